//! The client: the load driver with one connection, its requests in sequence,
//! written in the pieces that an experiment wants.

use crate::error::LabError;
use crate::net::{EmulatedPath, PORT, SERVER};
use drive::engine::{self, SilentObserver};
use drive::load::{HttpLoad, LoadError};
use drive::plan::{SocketOptions, WritePattern};
use measure::Histogram;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The actions of the client.
#[derive(Clone, Debug)]
pub struct ClientPlan {
    /// Requests, in sequence.
    pub requests: u64,
    /// Length of a request, head included; longer than the head.
    pub request_bytes: usize,
    /// Write head and body in sequence instead of at once.
    pub head_apart: bool,
    /// Keep the connection for all requests.
    pub keep_alive: bool,
    /// TCP_NODELAY.
    pub no_delay: bool,
    /// TCP_QUICKACK after every read.
    pub quick_ack: bool,
}

/// The results of the client.
#[derive(Clone)]
pub struct ResponseTimes {
    /// From the request's beginning, connection set-up included where there
    /// was one, to the last byte of the answer.
    pub response: Histogram,
    /// Answers.
    pub answered: u64,
}

impl Default for ClientPlan {
    fn default() -> ClientPlan {
        ClientPlan {
            requests: 10,
            request_bytes: 400,
            head_apart: false,
            keep_alive: true,
            no_delay: true,
            quick_ack: false,
        }
    }
}

impl ClientPlan {
    /// Sends the requests over a wire and waits for the answers.
    pub fn run(&self, wire: &EmulatedPath) -> Result<ResponseTimes, LabError> {
        let plan = self.plan()?;
        let outcome = wire
            .client
            .run(|| engine::run(&plan, &mut SilentObserver, &AtomicBool::new(false)))?
            .map_err(LoadError::from)?;
        let sum = outcome.sum();
        let timing = ResponseTimes {
            response: sum.response.clone(),
            answered: sum.measured.answered,
        };
        if timing.answered == self.requests {
            Ok(timing)
        } else {
            Err(LabError::Failed(format!(
                "{} of {} requests were answered",
                timing.answered, self.requests
            )))
        }
    }

    /// The driver's plan.
    fn plan(&self) -> Result<drive::plan::RunPlan, LabError> {
        let mut load = HttpLoad::new(format!("http://{SERVER}:{PORT}/account"));
        load.method = "POST".into();
        load.iterations = Some(self.requests);
        load.clients = 1;
        load.threads = 1;
        load.keep_alive = self.keep_alive;
        load.timeout = Duration::from_secs(10);
        load.knobs = SocketOptions {
            no_delay: self.no_delay,
            quick_ack: self.quick_ack,
            ..SocketOptions::default()
        };
        let head = |body: usize| {
            let close = if self.keep_alive {
                ""
            } else {
                "Connection: close\r\n"
            };
            format!(
                "POST /account HTTP/1.1\r\nHost: {SERVER}:{PORT}\r\n{close}Content-Length: {body}\r\n\r\n"
            )
            .len()
        };
        // The head grows with the digits of the body's length.
        let fits = |body: &usize| head(*body) + body <= self.request_bytes;
        let body = (0..self.request_bytes).rev().find(fits).unwrap_or(0);
        load.body = vec![b'x'; body];
        let mut plan = load.plan()?;
        for step in plan.populations.iter_mut().flat_map(|p| &mut p.steps) {
            if self.head_apart {
                step.writes = WritePattern {
                    sizes: vec![head(body), body.max(1)],
                    pause_ns: 0,
                };
            }
        }
        Ok(plan)
    }
}
