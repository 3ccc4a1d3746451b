//! The laboratory, as a person uses it.
