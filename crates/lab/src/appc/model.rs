//! The simulated networks with one set of costs and one structure, from which every
//! table is computed.

use super::costs::MachineCosts;
use super::mainframe::{self, Client};
use super::micro::{self, MachinePair, TransactionKind};
use crate::ring::{AcknowledgePoint, Pacing, RingError, run};

/// Costs, structure and a seed: the same three give the same times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkModel {
    /// The costs of the machines.
    pub costs: MachineCosts,
    /// The choices where the guide is silent.
    pub structure: ModelStructure,
    /// Seed of the waiting time for the token.
    pub seed: u64,
}

/// Choices of the model where the guide is silent. Each field is a row of
/// [`super::choices::CHOICES`], with the alternative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelStructure {
    /// When the front end acknowledges a frame.
    pub acknowledges: AcknowledgePoint,
    /// The pacing of sessions if no text says whether it is adaptive.
    pub default_pacing: Pacing,
    /// The most RUs that NS/DOS sends in a window.
    pub dos_most_window: u8,
    /// A verb, a dispatch, an RU and a frame, each, on the machines of
    /// Appendix A.
    pub step_ns: u64,
    /// Time of a segment of an RU in the front end, in addition to its PIU.
    pub segment_ns: u64,
    /// A frame at the front end's link level.
    pub link_ns: u64,
    /// Time of a bus-master card for a frame, in addition to its bytes.
    pub card_frame_ns: u64,
    /// And for a byte, in picoseconds.
    pub card_byte_ps: u64,
    /// Delay of an acknowledgement by the front end.
    pub t2_ns: u64,
    /// Whether DOS waits until a frame has left.
    pub dos_waits_for_send: bool,
    /// Time of an RU and of a frame under OS/2 in Appendix B. `None` if they
    /// cost as much as a verb.
    pub os2_ru_ns: Option<u64>,
    /// A receive buffer of the OS/2 driver.
    pub driver_buffer_ns: u64,
}

impl Default for ModelStructure {
    fn default() -> ModelStructure {
        ModelStructure {
            acknowledges: AcknowledgePoint::OnArrival,
            default_pacing: Pacing::Adaptive,
            dos_most_window: 63,
            step_ns: 0,
            segment_ns: 0,
            link_ns: 0,
            card_frame_ns: 50_000,
            card_byte_ps: 125_000,
            t2_ns: 100_000_000,
            dos_waits_for_send: true,
            os2_ru_ns: None,
            driver_buffer_ns: 0,
        }
    }
}

impl NetworkModel {
    /// The model of the report.
    pub fn new(seed: u64) -> NetworkModel {
        NetworkModel {
            costs: MachineCosts::default(),
            structure: ModelStructure::default(),
            seed,
        }
    }

    /// The same with other costs.
    pub fn with_costs(&self, costs: MachineCosts) -> NetworkModel {
        NetworkModel {
            costs,
            ..self.clone()
        }
    }

    /// The same with another structure.
    pub fn with_structure(&self, change: impl FnOnce(&mut ModelStructure)) -> NetworkModel {
        let mut model = self.clone();
        change(&mut model.structure);
        model
    }

    /// Seconds of one transfer of Appendix A, the mean of some.
    pub fn mainframe_s(
        &self,
        client: Client,
        parameters: &mainframe::MainframeParameters,
        repetitions: usize,
    ) -> Result<f64, RingError> {
        let network = parameters.network(client, self);
        let outcome = run(&network, client.workload(repetitions), self.seed)?;
        Ok(outcome.mean_s())
    }

    /// Seconds of one transaction of Appendix B, the mean of some.
    pub fn micro_s(
        &self,
        pair: MachinePair,
        kind: TransactionKind,
        parameters: &micro::MicroParameters,
        repetitions: usize,
    ) -> Result<f64, RingError> {
        let network = parameters.network(pair, self);
        let outcome = run(&network, kind.workload(repetitions), self.seed)?;
        Ok(outcome.mean_s())
    }
}
