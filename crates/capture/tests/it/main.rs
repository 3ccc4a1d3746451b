//! The crate from outside, one module an area.

mod planted;
mod reconciliation;
mod robust;
mod split;
mod text_input;
mod traps;
mod tshark;
