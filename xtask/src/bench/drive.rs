//! The load driver's budgets.

use super::Bench;

/// The driver's benches.
pub const BENCHES: &[Bench] = &[];
