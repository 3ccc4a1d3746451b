//! Programs in a worker: compiled COBOL, run in a child process.

#[path = "../../../sql/tests/it/cluster.rs"]
mod cluster;
mod cobol;
mod containers;
mod environment;
mod files;
mod link;
mod markup;
mod programs;
mod services;
mod sql;
mod transforms;
mod traps;
