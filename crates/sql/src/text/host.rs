//! Host variables: how statements refer to them, and what they are.
//!
//! The text of a statement only has names; its translator or its program knows the
//! fields. Reference: Db2 for z/OS SQL Reference, "References to host variables".

use crate::field::CobolType;

/// A reference to a host variable in a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostReference {
    /// Name in capitals; `GROUP.FIELD` when it is qualified.
    pub name: String,
    /// The indicator's name, if there is one.
    pub indicator: Option<String>,
    /// Offset of the reference in the statement's text.
    pub at: usize,
}

/// The description of a host variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostType {
    /// Its COBOL type.
    pub cobol: CobolType,
    /// Whether it has an indicator.
    pub nullable: bool,
}

/// The descriptions of a program's host variables.
pub trait HostVariables {
    /// The type of the input with this number, from 1; `None` if it is not
    /// known, as for a parameter marker of a prepared statement.
    fn input(&self, number: usize) -> Option<HostType>;
}

/// Nothing is known of host variables.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHostVariables;

impl HostVariables for NoHostVariables {
    fn input(&self, _number: usize) -> Option<HostType> {
        None
    }
}

impl HostVariables for Vec<HostType> {
    fn input(&self, number: usize) -> Option<HostType> {
        self.get(number.checked_sub(1)?).cloned()
    }
}
