//! A region with worker processes, from the outside.

mod harness;
mod run;
