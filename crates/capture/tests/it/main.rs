//! The crate from outside, one module an area.

mod planted;
mod reconciliation;
mod robust;
mod split;
mod traps;
mod tshark;
