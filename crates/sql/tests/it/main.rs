//! Tests of the crate as its users see it.

mod cluster;
mod goldens;
mod live;
