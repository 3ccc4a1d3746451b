//! What a developer does more than once.
fn main() {}
