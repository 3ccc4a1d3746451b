//! The region of "CICS Web Services": client and server of a service in one region,
//! by pipelines and by web support, with a relay on another host.
//!
//! The programs are those of `examples/web-services`. [`flow`] is one row of
//! the paper's table: a region, its path, and rounds of the client's
//! transaction with their records and their capture.

mod application;
mod flow;

pub use application::ClientTransport;
pub use flow::{Flow, FlowConditions, FlowRound, FlowRounds};
