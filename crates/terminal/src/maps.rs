//! The maps of a region, by set and name.
//!
//! Layouts are made once, when the maps are read. A reload replaces the table;
//! commands that are under way continue with the one they have.

use std::collections::HashMap;

use bms::{MapLayout, MapSet};

/// Map sets by name.
#[derive(Debug, Default)]
pub struct MapTable {
    sets: HashMap<String, HashMap<String, MapLayout>>,
}

/// Why there is no map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingMap {
    /// There is no set of this name.
    Set,
    /// The set has no such map.
    Map,
}

impl MapTable {
    /// The table of these sets. Of two with one name the first counts.
    pub fn new(sets: &[MapSet]) -> MapTable {
        let mut table = MapTable::default();
        for set in sets {
            table.sets.entry(set.name.clone()).or_insert_with(|| {
                let maps = set.maps.iter();
                maps.map(|map| (map.name.clone(), MapLayout::new(map)))
                    .collect()
            });
        }
        table
    }

    /// Number of map sets.
    pub fn sets(&self) -> usize {
        self.sets.len()
    }

    /// A map.
    ///
    /// # Errors
    /// What of it is missing.
    pub fn find(&self, set: &str, map: &str) -> Result<&MapLayout, MissingMap> {
        let maps = self.sets.get(set).ok_or(MissingMap::Set)?;
        maps.get(map).ok_or(MissingMap::Map)
    }
}
