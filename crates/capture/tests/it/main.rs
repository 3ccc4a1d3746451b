//! The crate from outside, one module an area.

mod build;
mod changed;
mod conditions;
mod dlsw_pairs;
mod evidence;
mod examples;
mod forged;
mod formats;
mod judged;
mod link_conditions;
mod measured;
mod opened;
mod opened_late;
mod pauses;
mod planted;
mod protocols;
mod reconciliation;
mod refused;
mod robust;
mod sna;
mod split;
mod text_input;
mod traps;
mod tshark;
mod witnesses;
mod writes;
