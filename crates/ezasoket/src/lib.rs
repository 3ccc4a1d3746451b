//! The socket calls of CICS programs, `CALL 'EZASOKET'`.
//!
//! The common part of a worker and its region: the functions and their
//! parameters, the error numbers, addresses and options as programs see them,
//! and the implementation of each call on a descriptor. The crate `sockets` has
//! the ownership of descriptors and the policy for addresses; the worker
//! decides where a call runs.
//!
//! Reference: IP CICS Sockets Guide, "Sockets extended API"; IP sockets
//! application programming interface guide and reference, "CALL instruction
//! API".

mod address;
mod errno;
mod function;
mod host;
mod interface;
mod mask;
mod message;
mod option;
mod own_ports;
mod rule;
mod select;
mod socket;
mod wait;

/// Most sockets of a task.
pub const MOST_SOCKETS: i64 = 2000;

pub use address::{AF_INET, AF_INET6, ClientId, SOCKADDR_BYTES, SOCKADDR6_BYTES, SocketName};
pub use errno::Errno;
pub use function::{Function, ResultParameters};
pub use host::HostList;
pub use interface::{IFREQ_BYTES, InterfaceQuery};
pub use mask::SelectMask;
pub use message::{CallReply, Request};
pub use option::{Command, OptionName, SocketControl};
pub use own_ports::{is_own_port, refuse_own_port};
pub use rule::AddressRule;
pub use select::{SelectResult, SelectTimeout, select};
pub use socket::{MAX_DATA_BYTES, Socket, SocketKind, flags};
pub use wait::{PollResult, SocketWaiter, system_poll};
