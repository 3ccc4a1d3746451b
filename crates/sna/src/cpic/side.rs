//! Side information: the meaning of symbolic destination names.

use crate::name::{LuName, ModeName, TpName};
use std::collections::BTreeMap;

/// The meaning of a symbolic destination name.
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
    /// Adds or replaces a name. Lower case is converted to upper case.
    pub fn define(&mut self, name: &str, info: SideInfo) {
        self.rows.insert(key(name), info);
    }

    /// The entry of a name, without trailing blanks.
    pub fn get(&self, name: &str) -> Option<&SideInfo> {
        self.rows.get(&key(name))
    }
}

fn key(name: &str) -> String {
    name.trim_end().to_ascii_uppercase()
}
