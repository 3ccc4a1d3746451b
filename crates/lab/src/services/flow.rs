//! One row of the paper's table: rounds of a client's transaction, with
//! acknowledgements delayed or not.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use capture::CaptureExplanation;

use super::application::{ClientTransport, SERVER_PORT, START_PORT, application};
use crate::error::LabError;
use crate::experiments::Context;
use crate::net::{CLIENT, EmulatedPath, Impairment, Route, SERVER, WirePlan};
use crate::record::{CaptureSetup, Limits, PacketFilter, PacketRecorder};
use crate::report::ExperimentReport;
use crate::serve::{Record, Server};
use crate::traffic::TcpRelay;

/// A flow of the paper.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// As the paper calls it.
    pub name: &'static str,
    /// The client's transaction.
    pub client: &'static str,
    /// With TLS or without.
    pub transport: ClientTransport,
}

/// One run of the client's transaction.
#[derive(Clone, Debug)]
pub struct FlowRound {
    /// The record of the client.
    pub client: Record,
    /// The records of the tasks after it, in the order of their ends.
    pub others: Vec<Record>,
}

/// The rounds of a flow under one condition.
pub struct FlowRounds {
    /// Every round.
    pub rounds: Vec<FlowRound>,
    /// The explanation of the capture at the relay, for all rounds.
    pub explanation: CaptureExplanation,
}

/// The conditions of a flow.
#[derive(Clone, Copy, Debug)]
pub struct FlowConditions {
    /// Size of the relay's first write of a message; 0 for one write.
    pub first: usize,
    /// Microseconds that acknowledgements are held back.
    pub hold_us: u64,
    /// Number of runs of the client.
    pub rounds: usize,
}

impl FlowRound {
    /// Response time of the client, in milliseconds.
    pub fn response_ms(&self) -> f64 {
        ms(self.client.response_ns)
    }

    /// Response times of the others, added as the paper adds them.
    pub fn others_ms(&self) -> f64 {
        self.others.iter().map(|r| ms(r.response_ns)).sum()
    }
}

impl FlowRounds {
    /// The round with the median response time.
    pub fn median(&self) -> &FlowRound {
        let mut rounds: Vec<&FlowRound> = self.rounds.iter().collect();
        rounds.sort_by_key(|r| r.client.response_ns);
        rounds[rounds.len() / 2]
    }

    /// The cost per round of a kind of evidence in the capture, in
    /// milliseconds.
    pub fn cost_ms(&self, cause: &str) -> f64 {
        let slices = self.explanation.slices.iter();
        let cost: f64 = slices
            .filter(|slice| slice.kind.name() == cause)
            .map(|slice| slice.lost_ms)
            .sum();
        cost / self.rounds.len() as f64
    }
}

impl Flow {
    /// Runs the flow: a new region on a new wire, with `program` or the running
    /// executable.
    pub fn run(
        &self,
        context: &Context<'_>,
        report: &mut ExperimentReport,
        met: FlowConditions,
        name: &str,
        program: Option<&Path>,
    ) -> Result<FlowRounds, LabError> {
        let plan = WirePlan {
            to_server: Impairment {
                hold_acks_us: met.hold_us,
                // Without delay there is no forwarder, so the path
                // differs.
                ..Impairment::delay(1)
            },
            client: Route {
                // Acknowledged at once, and held back on the path.
                quickack: true,
                ..Route::default()
            },
            server: Route {
                rto_min_ms: Some(1_000),
                ..Route::default()
            },
            ..WirePlan::default()
        };
        let wire = EmulatedPath::new(&plan, context.seed)?;
        let relay = SocketAddr::from((SERVER, SERVER_PORT));
        let region = SocketAddr::from((CLIENT, SERVER_PORT));
        let _relay = TcpRelay::start(&wire.server, relay, region, met.first)?;
        let application = application(self.transport)?;
        let mut server = wire.client.run(|| match program {
            Some(program) => Server::start_of(program, &application),
            None => Server::start(&application),
        })??;
        let starts = SocketAddr::from((CLIENT, START_PORT));
        // Programs are loaded and workers started.
        self.round(&wire, &mut server, starts)?;
        let setup = CaptureSetup {
            interface: "eth0".into(),
            filter: PacketFilter::parse("tcp").map_err(|e| LabError::Failed(e.to_string()))?,
            snap_bytes: SNAP_BYTES,
            limits: Limits::default(),
        };
        let recorder = wire
            .server
            .run(|| PacketRecorder::start(setup, Vec::new()))??;
        let mut made = Vec::new();
        for _ in 0..met.rounds {
            made.push(self.round(&wire, &mut server, starts)?);
        }
        let recording = recorder.stop()?;
        // It stops within its namespace, where its address is.
        wire.client.run(|| drop(server))?;
        let kept = context.keep(&format!("{name}.pcapng"), &recording.file)?;
        report.files.extend(kept);
        let options = capture::AnalysisOptions::default();
        let explanation = capture::explain(recording.file.as_slice(), &options)
            .map_err(|error| LabError::Failed(format!("explaining the capture: {error}")))?;
        Ok(FlowRounds {
            rounds: made,
            explanation,
        })
    }

    /// Starts the client's transaction and waits for its record.
    fn round(
        &self,
        wire: &EmulatedPath,
        server: &mut Server,
        starts: SocketAddr,
    ) -> Result<FlowRound, LabError> {
        let path = format!("/fx/go?{}", self.client);
        let records = wire.client.run(|| {
            get(starts, &path)?;
            server.records_until(self.client)
        })??;
        let mut records: Vec<Record> = records
            .into_iter()
            // Those that started it.
            .filter(|r| r.transid.trim_end() != "CWBA")
            .collect();
        let at = records
            .iter()
            .position(|r| r.transid.trim_end() == self.client);
        let Some(client) = at.map(|at| records.remove(at)) else {
            return Err(LabError::Failed(format!("{} has no record", self.client)));
        };
        if !client.abend.trim_end().is_empty() {
            let why = format!("{} ended with abend {}", self.client, client.abend);
            return Err(LabError::Failed(why));
        }
        // The attach task of the starting request ended before.
        records.retain(|r| r.task > client.task);
        let answer = wire
            .client
            .run(|| get(starts, &format!("/fx/result?{}", self.client)))??;
        if !answer.contains("92.00") {
            return Err(LabError::Failed(format!(
                "{} received {answer:?}",
                self.client
            )));
        }
        Ok(FlowRound {
            client,
            others: records,
        })
    }
}

/// Asks the region by HTTP and returns the whole answer.
fn get(at: SocketAddr, path: &str) -> Result<String, LabError> {
    let failed = |error| LabError::system(format!("asking for {path}"))(error);
    let mut stream = TcpStream::connect_timeout(&at, LONGEST).map_err(failed)?;
    stream.set_read_timeout(Some(LONGEST)).map_err(failed)?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: lab\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(failed)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).map_err(failed)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

/// Whole frames of an Ethernet.
const SNAP_BYTES: usize = 2048;
/// Longer than a client takes that waits for every acknowledgement.
const LONGEST: Duration = Duration::from_secs(30);
