//! The whole program, tried as its users do: a server of its own for each test,
//! on ports the system picks, with records in a folder that goes away.

mod appc;
mod bank;
mod cli;
mod ends;
mod faults;
mod http;
mod programs;
mod server;
