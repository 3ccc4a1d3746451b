//! The crate from outside, one module an area.

mod planted;
mod reconciliation;
mod traps;
mod tshark;
