//! Side information: what a symbolic destination name stands for.

use crate::name::{LuName, ModeName, TpName};
use std::collections::BTreeMap;

/// What a symbolic destination name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideInfo {
    /// The partner.
    pub partner: LuName,
    /// The mode.
    pub mode: ModeName,
    /// The program to start there.
    pub tp: TpName,
}

/// Side information by symbolic destination name, 1 to 8 characters.
#[derive(Clone, Debug, Default)]
pub struct SideTable {
    rows: BTreeMap<String, SideInfo>,
}

impl SideTable {
    /// Adds a name or replaces what it stands for. Lower case is taken as
    /// upper case.
    pub fn define(&mut self, name: &str, info: SideInfo) {
        self.rows.insert(key(name), info);
    }

    /// What a name stands for; blanks at its end are not part of it.
    pub fn get(&self, name: &str) -> Option<&SideInfo> {
        self.rows.get(&key(name))
    }
}

fn key(name: &str) -> String {
    name.trim_end().to_ascii_uppercase()
}
