//! Transient data.
