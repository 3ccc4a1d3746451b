//! A token ring in virtual time with its machines: workstations, a front end with
//! its channel, a host; with real sessions and a real link layer.
//!
//! | file | what |
//! |---|---|
//! | [`config`] | networks, machines, parameters, workloads |
//! | [`cost`] | processor and adapter time, the quantities to calibrate |
//! | [`medium`] | the ring: token, frames, rates |
//! | `clock` | the event queue and the seeded generator |
//! | `cpu`, `port`, `hold`, `channel` | the parts of a machine |
//! | `end` | a program with its node: the transactions of the benchmark |
//! | `world` | the simulation |
//! | [`outcome`] | what a run found |
//!
//! Everything is counted in integer nanoseconds and depends on the seed alone:
//! the same network, workload and seed give the same [`RunOutcome`], to the last
//! frame. The link layer is [`sna::dlc::llc2`], the sessions are those of
//! [`sna::Node`]; this module gives them time and charges for their work.
//!
//! Invariant: no real clock, no thread, nothing random but the seeded wait for
//! the token and lost frames.

mod channel;
mod clock;
pub mod config;
pub mod cost;
mod cpu;
mod end;
mod hold;
pub mod medium;
pub mod outcome;
mod port;
#[cfg(test)]
mod tests;
mod world;

pub use config::{
    AcknowledgePoint, Channel, FrontEnd, Link, Pacing, PathControl, RingHost, RingMachine,
    RingNetwork, RingWorkload, Server, Session, Transaction,
};
pub use cost::{AdapterCard, AdapterTransfer, ProcessorCost};
pub use hold::SUBAREA_BYTES;
pub use medium::{FRAME_OVERHEAD_BYTES, TokenRing};
pub use outcome::{RingError, RunOutcome};

/// The work of the benchmark: the tuned file transfer between two workstations on a
/// 16 Mb/s ring, `transfers` times. The caller measures the time per event of
/// [`RunOutcome::events`].
pub fn bench(transfers: usize) -> Result<RunOutcome, RingError> {
    let workstation = workstation();
    let network = RingNetwork {
        ring: TokenRing::at_16_mbit(),
        client: workstation.clone(),
        server: Server::OnRing(workstation),
    };
    run(&network, RingWorkload::file(100_000, 1, transfers), 1)
}

/// A workstation of the 1990s.
fn workstation() -> RingMachine {
    RingMachine {
        cost: ProcessorCost {
            dispatch_ns: 800_000,
            verb_ns: 400_000,
            byte_out_ps: 250_000,
            byte_in_ps: 250_000,
            copy_out_ps: 400_000,
            copy_in_ps: 400_000,
            ..ProcessorCost::uniform(150_000)
        },
        adapter: AdapterCard::shared_memory(64 * 1024),
        link: Link::new(8, 8, 17_749),
        session: Session::new(4096, Pacing::Adaptive, 63),
    }
}

/// Runs `workload` over `network`.
pub fn run(
    network: &RingNetwork,
    workload: RingWorkload,
    seed: u64,
) -> Result<RunOutcome, RingError> {
    world::RingSimulation::new(network, workload, seed)?.run()
}
