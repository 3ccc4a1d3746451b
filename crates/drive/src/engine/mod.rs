//! The engine: threads that present load and record what came of it.
//!
//! Each thread owns its clients, sockets, schedule and histograms; threads
//! share nothing on the way of a request. Once an interval a thread hands what
//! it recorded to the collector and starts afresh, so a live view costs a run
//! nothing. A request's intended start is kept from the schedule to the
//! record: that is what makes the response time true when the server stalls.
//!
//! Reference: Tene, "How not to measure latency"; the term is coordinated
//! omission. Invariant: at any instant, sent = answered + failed + outstanding.

mod ahead;
mod arrivals;
mod client;
mod exchange;
mod lifecycle;
mod record;
mod run;
mod tasks;
mod worker;

pub use record::{
    IntervalRecord, PopulationRecord, RequestCounts, RequestFailure, StepRecord, Welford,
};
pub use run::{LoadOutcome, RunError, RunObserver, SilentObserver, run};
