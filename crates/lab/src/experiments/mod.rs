//! The experiments: one file each, one row here.

mod appc;
mod capacity;
mod context;
mod delayed_ack;
mod mss;
mod nagle;
mod network;
mod overload;
mod pictures;
mod presented;
mod script;
mod slow_start;
mod sockets;
mod tcp_tuning;
mod threadsafe;
mod web_services;

pub use context::Context;

use crate::error::LabError;
use crate::report::ExperimentReport;

/// One experiment.
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it shows, in one line.
    pub about: &'static str,
    /// The paper it reproduces, by its title in short.
    pub paper: &'static str,
    /// What it needs of the machine.
    pub needs: MachineNeeds,
    /// Repetitions when none are asked for: more than one where figures of one
    /// run are noise on a machine that does other work.
    pub repeats: usize,
    /// Carries it out.
    pub run: fn(&Context<'_>) -> Result<ExperimentReport, LabError>,
}

impl Experiment {
    /// A report of this experiment without figures.
    fn report(&self, title: &str, question: &str) -> ExperimentReport {
        ExperimentReport {
            experiment: self.name.into(),
            title: title.into(),
            paper: self.paper.into(),
            question: question.into(),
            ..ExperimentReport::default()
        }
    }
}

/// What an experiment needs of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineNeeds {
    /// Nothing that an ordinary user lacks.
    Nothing,
    /// Network namespaces of its own.
    Network,
}

/// Every experiment, in the order of the papers.
pub const EXPERIMENTS: &[Experiment] = &[
    mss::EXPERIMENT,
    nagle::EXPERIMENT,
    slow_start::EXPERIMENT,
    tcp_tuning::EXPERIMENT,
    threadsafe::EXPERIMENT,
    overload::EXPERIMENT,
    sockets::EXPERIMENT,
    script::EXPERIMENT,
    delayed_ack::EXPERIMENT,
    web_services::EXPERIMENT,
    capacity::EXPERIMENT,
    appc::EXPERIMENT,
];

/// The experiment of this name.
pub fn find(name: &str) -> Option<&'static Experiment> {
    EXPERIMENTS.iter().find(|e| e.name == name)
}
