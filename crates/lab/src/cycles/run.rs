//! Runs cycles against a region, and measures their cost there.

use super::{CycleCase, LOOPS, application};
use crate::error::LabError;
use crate::serve::{MetricsReading, Server, stop_flag};
use drive::engine::{self, LoadOutcome, SilentObserver};
use drive::load::LoadError;
use drive::plan::RunPlan;
use drive::scenario;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

/// A region of a case.
#[derive(Debug)]
pub struct Region {
    /// Its way to serve sockets.
    pub case: CycleCase,
    /// The server, whose listener CSKL is started.
    pub server: Server,
    /// The listener's address.
    pub listener: String,
}

/// The result of some cycles.
#[derive(Clone, Debug)]
pub struct CycleResult {
    /// Messages that were answered.
    pub messages: f64,
    /// CPU of general engines, µs per message; all CPU if there are no offload
    /// engines.
    pub general_us: f64,
    /// CPU of all engines, µs a message.
    pub all_us: f64,
    /// The increase of the region's counter of general engines, in ms.
    pub general_ms: f64,
    /// The same of offload engines: threads that may run there, wherever they
    /// ran.
    pub offload_ms: f64,
    /// CPU of the threads that read and write for receivers, µs a message.
    pub receivers_us: f64,
    /// By the driver.
    pub outcome: LoadOutcome,
}

impl Region {
    /// Starts a region with the `tupelo` at this path, or with the running
    /// executable.
    pub fn start(case: &CycleCase, executable: Option<&Path>) -> Result<Region, LabError> {
        let application = application(case);
        let server = match executable {
            Some(path) => Server::start_of(path, &application)?,
            None => Server::start(&application)?,
        };
        Ok(Region {
            listener: server.listener("CSKL")?,
            case: *case,
            server,
        })
    }

    /// So many cycles at once, of so many requests each.
    pub fn cycles(&mut self, concurrent: u32, requests: u32) -> Result<CycleResult, LabError> {
        let plan = plan(&self.listener, concurrent, requests)?;
        let before = self.server.idle()?;
        let outcome =
            engine::run(&plan, &mut SilentObserver, stop_flag()).map_err(LoadError::from)?;
        let after = self.server.idle()?;
        let sum = outcome.sum();
        let wrong = sum.whole.failures() + sum.whole.checks_failed;
        let messages = sum.whole.answered as f64;
        if wrong > 0 || sum.whole.answered < u64::from(concurrent * requests) {
            let texts: Vec<String> = outcome.messages().keys().cloned().collect();
            return Err(LabError::Failed(format!(
                "{}: {wrong} of {} requests went wrong: {}",
                self.case.name,
                concurrent * requests,
                texts.join("; ")
            )));
        }
        let us = |series: &str| after.since(&before, series) / messages * 1e6;
        let general = us("tupelo_engine_cpu_seconds_total{engine=\"general\"}");
        let offload = us("tupelo_engine_cpu_seconds_total{engine=\"offload\"}");
        let ms = |us: f64| us * messages / 1e3;
        Ok(CycleResult {
            messages,
            general_ms: ms(general),
            offload_ms: ms(offload),
            general_us: self.case.general(general, offload),
            all_us: general + offload,
            receivers_us: us("tupelo_service_cpu_seconds_total{service=\"receivers\"}"),
            outcome,
        })
    }

    /// Sends `said` and returns everything received until the connection ends.
    pub fn ask(&self, said: &str) -> Result<String, LabError> {
        let failed = |error: std::io::Error| LabError::Failed(format!("{said}: {error}"));
        let mut stream = TcpStream::connect(&self.listener).map_err(failed)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
        // In one write: data after it would belong to the transaction.
        let line = format!("{said}\n");
        stream.write_all(line.as_bytes()).map_err(failed)?;
        let mut received = String::new();
        stream.read_to_string(&mut received).map_err(failed)?;
        Ok(received)
    }
}

/// CPU of the customer's program by itself, with its LINK, in µs.
pub fn application_us(region: &mut Region) -> Result<f64, LabError> {
    region.ask(&format!("LOOP,{}", LOOPS / 10))?;
    let before = region.server.idle()?;
    region.ask(&format!("LOOP,{LOOPS}"))?;
    let after = region.server.idle()?;
    let cpu = |metrics: &MetricsReading| metrics.get("tupelo_region_task_cpu_seconds_total");
    Ok((cpu(&after) - cpu(&before)) / f64::from(LOOPS) * 1e6)
}

/// The plan of the outer injector.
pub fn plan(listener: &str, concurrent: u32, requests: u32) -> Result<RunPlan, LabError> {
    let text = format!(
        "title = \"socket cycles\"\nwarmup = \"0s\"\nthreads = 1\ntimeout = \"20s\"\n\
         [[population]]\nname = \"gateway\"\nclients = {concurrent}\n\
         cycle = {requests}\ncycles = 1\n\
         sockets = {{ to = \"tcp://{listener}\", from = \"tcp://{listener}\" }}\n\
         opening = {{ to = \"RECV,S{{{{client}}}}\\n\", from = \"SEND,S{{{{client}}}}\\n\" }}\n\
         [[population.step]]\nsocket = \"to\"\nreceive_from = \"from\"\n\
         send = \"{REQUEST}\"\nframe = {{ delimiter = \"\\n\" }}\n\
         contains = \"A REQUEST OF THE GATEWAY\"\nsize = 100\n"
    );
    let read = scenario::read(&text, Path::new("."));
    let scenario = read.map_err(|mistakes| {
        let messages: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        LabError::Failed(messages.join("\n"))
    })?;
    let mut variants = scenario.variants.into_iter();
    let first = variants.next().map(|variant| variant.plan);
    first.ok_or_else(|| LabError::Failed("a scenario without a run".into()))
}

/// 99 characters; with its line end a request has 100 bytes, and so has its
/// answer.
const REQUEST: &str = "a request of the gateway, as many bytes as the answer has: 100 with the line end. 1234567890 123456";
/// Longer than any task of the laboratory takes.
const PATIENCE: Duration = Duration::from_secs(60);
