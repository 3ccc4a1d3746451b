//! The crate as its users see it.

mod addressing;
mod codec;
mod descriptions;
#[allow(dead_code, reason = "shared with the tests of the crate copybook")]
#[path = "../../../copybook/tests/it/generate.rs"]
mod generate;
mod pipelines;
mod properties;
