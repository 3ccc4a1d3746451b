//! The whole program, tried as its users do: a server of its own for each test,
//! on ports the system picks, with records in a folder that goes away.

mod advise;
mod aping;
mod appc;
mod appc_channels;
mod appc_pip;
mod appc_reload;
mod appc_verbs;
mod bank;
mod batch;
mod capture;
mod cli;
mod clients;
mod commands;
mod documents;
mod drive;
mod ends;
mod faults;
mod first_hour;
mod genapp;
mod health;
mod hostile;
mod http;
mod lab;
mod names;
mod node;
mod operator;
mod program;
mod programs;
mod queues;
mod reload;
mod schemas;
mod server;
mod sockets;
mod starts;
mod trace;
