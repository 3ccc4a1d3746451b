//! Tests of the public API, one module for each area.

mod build;
mod dlsw_pairs;
mod examples;
mod formats;
mod points;
mod protocols;
mod reconciliation;
mod robust;
mod sna;
mod split;
mod text_input;
mod tshark;
mod verdicts;
mod without;
