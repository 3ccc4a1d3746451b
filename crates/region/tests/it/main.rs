//! A region with worker processes, from the outside.

mod branches;
mod descriptors;
mod faults;
mod files;
mod harness;
mod limits;
mod open;
mod participants;
mod run;
