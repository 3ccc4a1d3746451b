//! The papers' experiments, reproduced and printed beside the published figures.
//!
//! Layer 3: reads wires and records, never internals of what it measures.
