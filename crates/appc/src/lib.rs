//! The LU 6.2 stack over real networks: DLSw over TCP and 802.2 over Ethernet.
//!
//! Layer 3: sockets and threads around the cores of `sna`. A [`NodeHost`] is one
//! node: it listens, calls partners, starts transaction programs that partners
//! attach, and gives programs blocking [`Conversation`]s.
//!
//! ```no_run
//! use appc::{AllocateRequest, AppcConfig, NodeHost};
//!
//! let host = NodeHost::start(AppcConfig::named("NET.CLIENT")?)?;
//! host.define_partner("NET.SERVER", "127.0.0.1:2065")?;
//! let mut conversation = host.allocate(&AllocateRequest::new("NET.SERVER", "APINGD"))?;
//! conversation.send(b"hello")?;
//! # Ok::<(), appc::Error>(())
//! ```
//!
//! | module | what |
//! |---|---|
//! | [`config`] | logical units, partners, modes, links, as a TOML section |
//! | [`host`] | the node: threads, waiting, attached programs |
//! | [`net`] | transports: DLSw over TCP, LLC2 over a raw Ethernet socket |
//! | [`conversation`] | blocking verbs |
//! | [`aping`] | APING and its server |
//! | [`transactions`] | file transfer and inquiry, client and server |
//! | [`trace`] | captures that tshark decodes |
//! | [`admin`] | the status of a running node, for `tupelo appc status` |
//!
//! [`DrivenNode`] is the same node without threads, for an owner that holds many
//! conversations in one.
//!
//! Invariant: a program's thread that waits does the node's input and output
//! itself, so a reply reaches it without a change of threads.

pub mod admin;
pub mod aping;
pub mod config;
pub mod conversation;
mod error;
pub mod host;
pub mod net;
mod own_name;
mod section;
pub mod trace;
pub mod transactions;

pub use config::AppcConfig;
pub use conversation::{AllocateRequest, Conversation, ReceiveResult, withheld};
pub use error::Error;
pub use host::{DrivenNode, IncomingAttach, NodeHost, ThreadHook, WakeEvent};
pub use own_name::own_name;
pub use section::AppcSection;
