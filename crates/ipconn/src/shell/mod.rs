//! Sockets, threads and clocks around the connections, and the tasks that
//! requests become.

pub mod client;
pub mod directory;
mod drive;
mod in_unit;
pub mod linker;
mod mirror;
pub mod pool;
pub mod program;
pub mod server;
pub mod tls;
mod waiting;
