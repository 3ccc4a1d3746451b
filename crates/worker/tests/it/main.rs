//! Programs in a worker: compiled COBOL, run in a child process.

mod cobol;
mod containers;
mod environment;
mod files;
mod link;
mod markup;
mod programs;
mod services;
mod transforms;
mod traps;
