//! A region with worker processes, from the outside.

mod faults;
mod harness;
mod limits;
mod run;
