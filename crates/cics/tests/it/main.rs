//! The vocabulary from outside.

mod csd_never_panics;
