//! Programs in a worker: compiled COBOL, run in a child process.

mod cobol;
mod traps;
