//! The crate from outside, one module an area.

mod reconciliation;
