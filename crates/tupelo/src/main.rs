//! The command line.
mod app;
fn main() {}
