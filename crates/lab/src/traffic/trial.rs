//! One run of an experiment: a wire, a server, a client, a capture of their
//! traffic, and the explanation of that capture.

use super::client::{ClientPlan, ResponseTimes};
use super::peer::{PeerPlan, UserPeer};
use super::server::{Server, ServerPlan};
use crate::error::LabError;
use crate::experiments::Context;
use crate::net::{EmulatedPath, ForwarderCounts, WirePlan};
use crate::record::{CaptureSetup, Limits, PacketFilter, PacketRecorder};
use crate::report::{ExperimentReport, JudgeFinding, NamedCause};
use capture::CaptureExplanation;

/// The parameters of a run.
#[derive(Clone, Debug)]
pub struct TrafficTrial {
    /// Distinguishes this run from the others of its experiment.
    pub conditions: String,
    /// The hosts and their path.
    pub wire: WirePlan,
    /// The far end.
    pub server: TrialEndpoint,
    /// The near end.
    pub client: ClientPlan,
}

/// The server of a run.
#[derive(Clone, Debug)]
pub enum TrialEndpoint {
    /// Threads on the kernel's sockets.
    Kernel(ServerPlan),
    /// A TCP in user space.
    User(PeerPlan),
}

/// The results of a run before the explanation.
pub struct TrialMeasurement {
    /// Response times as the client saw them.
    pub timing: ResponseTimes,
    /// The capture near the client, as pcapng.
    pub capture: Vec<u8>,
    /// Counters of the path, if there was one.
    pub path: Option<ForwarderCounts>,
}

/// The results of a run.
pub struct TrialResult {
    /// Distinguishes this run from the others of its experiment.
    pub conditions: String,
    /// Response times as the client saw them.
    pub timing: ResponseTimes,
    /// The explanation of the capture near the client.
    pub explanation: CaptureExplanation,
    /// Counters of the path, if there was one.
    pub path: Option<ForwarderCounts>,
}

impl TrafficTrial {
    /// Runs and explains it. `name` is that of the capture, if captures are
    /// kept.
    pub fn run(
        &self,
        context: &Context<'_>,
        report: &mut ExperimentReport,
        name: &str,
    ) -> Result<TrialResult, LabError> {
        context.report_progress(&self.conditions);
        let taken = self.take(context.seed)?;
        let kept = context.keep(&format!("{name}.pcapng"), &taken.capture)?;
        report.files.extend(kept);
        let explanation = capture::explain(
            taken.capture.as_slice(),
            &capture::AnalysisOptions::default(),
        )
        .map_err(|error| LabError::Failed(format!("explaining the capture: {error}")))?;
        Ok(TrialResult {
            conditions: self.conditions.clone(),
            timing: taken.timing,
            explanation,
            path: taken.path,
        })
    }

    /// Runs the trial without explaining its capture.
    pub fn take(&self, seed: u64) -> Result<TrialMeasurement, LabError> {
        let wire = WirePlan {
            user_space_server: matches!(self.server, TrialEndpoint::User(_)),
            ..self.wire.clone()
        };
        let wire = EmulatedPath::new(&wire, seed)?;
        let setup = CaptureSetup {
            interface: "eth0".into(),
            filter: PacketFilter::parse("tcp").map_err(|e| LabError::Failed(e.to_string()))?,
            snap_bytes: SNAP_BYTES,
            limits: Limits::default(),
        };
        let recorder = wire
            .client
            .run(|| PacketRecorder::start(setup, Vec::new()))??;
        let timing = match &self.server {
            TrialEndpoint::Kernel(plan) => {
                let _server = Server::start(&wire, plan)?;
                self.client.run(&wire)?
            }
            TrialEndpoint::User(plan) => {
                let _peer = UserPeer::start(&wire, plan)?;
                self.client.run(&wire)?
            }
        };
        let recording = recorder.stop()?;
        Ok(TrialMeasurement {
            timing,
            capture: recording.file,
            path: wire.close(),
        })
    }
}

impl TrialResult {
    /// The median response time in milliseconds.
    pub fn response_ms(&self) -> f64 {
        self.timing.response.quantile(0.5) as f64 / 1e6
    }

    /// The mean response time in milliseconds.
    pub fn mean_ms(&self) -> f64 {
        self.timing.response.mean() / 1e6
    }

    /// Data segments of a request: the median, which probes and retransmissions
    /// of a stalled machine do not change.
    pub fn request_segments(&self) -> f64 {
        self.median(|e| e.request.segments)
    }

    /// Data segments of a response: the median.
    pub fn response_segments(&self) -> f64 {
        self.median(|e| e.response.segments)
    }

    /// Packets of an exchange in both directions: the mean, including its part
    /// of the connection setup.
    pub fn packets(&self) -> f64 {
        let services = &self.explanation.services;
        let packets: u64 = services.iter().map(|s| s.packets).sum();
        packets as f64 / self.explanation.totals.exchanges.max(1) as f64
    }

    fn median(&self, count: impl Fn(&capture::Exchange) -> u32) -> f64 {
        let counts = self.explanation.exchanges.iter().map(count);
        let counts: Vec<f64> = counts.map(f64::from).collect();
        measure::stats::median(&counts).unwrap_or(0.0)
    }

    /// The causes in the explanation: the planted one, and every other one that
    /// has a remedy. Time without a remedy (round trips of requests in
    /// sequence) is not a cause.
    pub fn finding(&self, planted: Option<&str>) -> JudgeFinding {
        let named = self.explanation.slices.iter();
        let named = named.filter(|s| Some(s.kind.name()) == planted || s.remedy.is_some());
        let named = named.map(|s| NamedCause {
            cause: s.kind.name().into(),
            cost_ms: s.lost_ms,
            count: s.waits as usize,
        });
        let text = self.explanation.slices.iter();
        let mut text = text
            .filter(|s| Some(s.kind.name()) == planted)
            .map(|s| &s.sentence);
        JudgeFinding {
            conditions: self.conditions.clone(),
            planted: planted.map(str::to_owned),
            named: named.collect(),
            summary: text.next().cloned().unwrap_or_default(),
        }
    }
}

/// Whole frames of an Ethernet.
const SNAP_BYTES: usize = 2048;
