//! The simulated networks with one set of costs: what every table asks.

use super::costs::Costs;
use super::mainframe::{self, Client};
use super::micro::{self, Kind, Pair};
use sna::ring::{Acknowledges, RingError, run};

/// Costs and a seed: the same two give the same times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// What the machines cost.
    pub costs: Costs,
    /// What the wait for the token depends on.
    pub seed: u64,
    /// When the front end acknowledges a frame. No public source tells; what
    /// was published about OS/2 and the RS/6000 before tuning fits
    /// [`Acknowledges::OnArrival`], and `docs/guide/lab-appc.md` shows both.
    pub acknowledges: Acknowledges,
}

impl Model {
    /// The costs of the report.
    pub fn new(seed: u64) -> Model {
        Model {
            costs: Costs::default(),
            seed,
            acknowledges: Acknowledges::OnArrival,
        }
    }

    /// The same with other costs.
    pub fn with_costs(&self, costs: Costs) -> Model {
        Model {
            costs,
            ..self.clone()
        }
    }

    /// Seconds of one transfer of Appendix A, the mean of some.
    pub fn mainframe_s(
        &self,
        client: Client,
        parameters: &mainframe::Parameters,
        repetitions: usize,
    ) -> Result<f64, RingError> {
        let network = parameters.network(client, self);
        let outcome = run(&network, client.workload(repetitions), self.seed)?;
        Ok(outcome.mean_s())
    }

    /// Seconds of one transaction of Appendix B, the mean of some.
    pub fn micro_s(
        &self,
        pair: Pair,
        kind: Kind,
        parameters: &micro::Parameters,
        repetitions: usize,
    ) -> Result<f64, RingError> {
        let network = parameters.network(pair, &self.costs);
        let outcome = run(&network, kind.workload(repetitions), self.seed)?;
        Ok(outcome.mean_s())
    }
}
