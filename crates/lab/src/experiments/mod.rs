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
    /// Its subject, in one line.
    pub about: &'static str,
    /// The paper it reproduces, by its title in short.
    pub paper: &'static str,
    /// Its requirements on the machine.
    pub needs: MachineNeeds,
    /// The default number of repetitions: more than one if single runs are
    /// noisy on a machine with other load.
    pub repeats: usize,
    /// Runs the experiment.
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

/// The requirements of an experiment on the machine.
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
