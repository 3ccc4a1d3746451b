//! Tests of the crate as its users see it.

mod goldens;
mod live;
