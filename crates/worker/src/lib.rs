//! The child process that hosts libcob, runs programs and serves EXEC CICS.
//!
//! A worker runs one task at a time, on one thread. Programs call in for each
//! EXEC CICS command; what needs no one else is served here, the rest crosses
//! to the region. [`run`] is the whole life of a worker process.
//!
//! * `cob`: libcob, its fields, loaded modules, and the C object that holds
//!   every jump;
//! * `host`, `worker`, `exec`, `conditions`, `abend`: the program table, LINK
//!   levels, the way of a command, HANDLE and abends;
//! * `le`: the Language Environment services that programs CALL;
//! * `sql`: EXEC SQL over a connection that the region lends;
//! * `baq`: the calls of the API requester;
//! * `markup`: JSON and XML statements;
//! * `channel`, `storage`, `files`, `clock`: what a task has;
//! * `web`: the web request that a task serves;
//! * `commands`: one file a command or group, and the table that finds them;
//! * `sandbox`, `print`: the confinement of programs, and the lines that they print;
//! * `probe`: tasks from a file, for programs under test;
//! * `services`, `remote`, `memory`: requests to the region and the store, over the link or
//!   in memory.
//!
//! Invariant: nothing here opens a socket, a file for writing or a thread; a
//! program that destroys its process destroys nothing else.

mod abend;
pub mod baq;
mod channel;
mod clock;
mod cob;
mod commands;
mod conditions;
pub mod connections;
mod cpu;
mod exec;
mod eza;
mod files;
mod host;
mod le;
mod markup;
pub mod memory;
mod print;
pub mod probe;
mod remote;
mod run;
pub mod sandbox;
pub mod services;
pub mod sql;
mod stepping;
mod storage;
mod timer;
mod transforms;
mod urp;
mod web;
mod worker;

pub use abend::Abend;
pub use cob::StartError;
pub use remote::LinkServices;
pub use run::run;
pub use services::WorkerServices;
pub use worker::{TaskEnd, Worker};
