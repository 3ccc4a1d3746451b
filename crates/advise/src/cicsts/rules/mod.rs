//! The rules of this area: one file each, one row here.

use crate::rule::Rule;

/// The rows.
pub(crate) static RULES: &[&Rule] = &[];
