//! The engine: threads that send requests and record the results.
//!
//! Each thread owns its clients, sockets, schedule and histograms; threads share
//! nothing during a request. Once an interval a thread hands its records to the
//! collector and starts with empty ones, so a live view costs the run nothing. The
//! intended start of a request is kept from the schedule to the record. This makes
//! the response time correct when the server stalls.
//!
//! Reference: Tene, "How not to measure latency"; the term is coordinated
//! omission. Invariant: at any instant, sent = answered + failed + outstanding.

mod ahead;
mod arrivals;
mod client;
mod exchange;
mod free;
mod group;
mod ledger;
mod life;
mod lifecycle;
mod record;
mod run;
mod tasks;
mod worker;

pub use record::{
    IntervalRecord, PopulationRecord, RequestCounts, RequestFailure, StepRecord, Welford,
};
pub use run::{LoadOutcome, RunError, RunObserver, SilentObserver, run};
