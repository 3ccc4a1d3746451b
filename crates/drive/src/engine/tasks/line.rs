//! The interface between clients that are tasks and the protocols they use.
//!
//! A protocol is one file with a `Line`, which connects a client to its targets,
//! and one row of [`lines!`] with the name of its variant of [`Protocol`]. Data
//! that the clients of a thread share is a field of [`ThreadResources`].

use super::ThreadContext;
use crate::clock;
use crate::engine::{RequestCounts, RequestFailure};
use crate::net;
use crate::plan::{LoadTarget, Population, Protocol, RequestStep};
use http::HeaderMap;
use std::io;
use tokio::net::TcpStream;

/// Why a request has no answer, with the message.
pub(super) type Failed = (RequestFailure, String);

/// One request.
pub(super) struct Asked<'a> {
    /// The step: its request, checks and captures.
    pub step: &'a RequestStep,
    /// The target.
    pub target: &'a LoadTarget,
    /// The rendered request.
    pub bytes: &'a [u8],
    /// The client's number in its population.
    pub client: u64,
}

impl Asked<'_> {
    /// Whether checks or captures need the body of the answer.
    pub fn keeps_body(&self) -> bool {
        !self.step.captures.is_empty() || self.step.checks.iter().any(|k| k.needs_body())
    }
}

/// An answer as checks and captures see it.
pub(super) struct Answer {
    /// The status; for APPC the return code.
    pub status: u16,
    /// Headers, where the protocol has some.
    pub headers: HeaderMap,
    /// The body, or its stored part.
    pub body: Vec<u8>,
    /// The length of the whole body.
    pub size: u64,
}

/// Counts the traffic of a request for its population.
pub(super) struct Meter<'a> {
    /// What the clients of the thread share.
    pub common: &'a std::rc::Rc<ThreadContext>,
    /// The index of the population.
    pub population: usize,
    /// Whether the request is in the measured part.
    pub measured: bool,
}

impl Meter<'_> {
    /// Counts a connection or conversation that was opened.
    pub fn connected(&self, took_ns: u64) {
        let mut ledger = self.common.ledger.borrow_mut();
        ledger.note_connect(self.population, self.measured, took_ns);
    }

    /// Counts bytes of a request.
    pub fn sent(&self, bytes: u64) {
        self.count(|counts| counts.bytes_out += bytes);
    }

    /// Counts bytes of an answer.
    pub fn received(&self, bytes: u64) {
        self.count(|counts| counts.bytes_in += bytes);
    }

    /// Bytes belong to the time at which they are counted, whenever they were
    /// requested.
    fn count(&self, each: impl Fn(&mut RequestCounts)) {
        let mut ledger = self.common.ledger.borrow_mut();
        let measuring = ledger.measures(clock::now());
        ledger.count(self.population, measuring, each);
    }
}

/// Opens a connection to a target. Local addresses are used in turn.
pub(super) async fn connect(target: &LoadTarget, client: u64) -> io::Result<TcpStream> {
    let source = match target.sources.len() as u64 {
        0 => None,
        n => Some(target.sources[(client % n) as usize]),
    };
    let fd = net::connect(target.address, source, &target.knobs)?;
    let stream = TcpStream::from_std(fd.into())?;
    stream.writable().await?;
    match stream.take_error()? {
        Some(error) => Err(error),
        None => Ok(stream),
    }
}

/// The failure to open a connection.
pub(super) fn refused(error: &io::Error) -> Failed {
    (RequestFailure::Connect, net::why_not(error))
}

macro_rules! lines {
    ($($(#[$doc:meta])* $name:ident => $module:ident,)+) => {
        /// The protocol state of one client.
        pub(super) enum Line {
            $($(#[$doc])* $name(super::$module::Line),)+
        }

        impl Line {
            /// The line of a client. Returns `None` if its population
            /// uses the driver's own request path.
            pub fn of(population: &Population) -> Option<Line> {
                population.targets.iter().find_map(|target| match target.protocol {
                    Protocol::Stream => None,
                    $(Protocol::$name { .. } => {
                        Some(Line::$name(super::$module::Line::new(population)))
                    })+
                })
            }

            /// Sends a request and waits for its answer. If it is
            /// dropped before it completes, the caller calls
            /// [`Line::give_up`].
            pub async fn exchange(
                &mut self,
                asked: &Asked<'_>,
                meter: &Meter<'_>,
            ) -> Result<Answer, Failed> {
                match self {
                    $(Line::$name(line) => line.exchange(asked, meter).await,)+
                }
            }

            /// Closes what a failed request left open.
            pub fn give_up(&mut self) {
                match self {
                    $(Line::$name(line) => line.give_up(),)+
                }
            }

            /// Ends an iteration after its last answer.
            pub async fn end_iteration(&mut self, population: &Population) {
                match self {
                    $(Line::$name(line) => line.end_iteration(population).await,)+
                }
            }
        }
    };
}

lines! {
    /// HTTP/2.
    Http2 => http2,
    /// LU 6.2.
    Appc => appc,
    /// 3270 terminals.
    Terminal => terminal,
}

/// Data that the lines of one thread share.
#[derive(Default)]
pub(super) struct ThreadResources {
    /// The thread's LU 6.2 nodes.
    pub appc: super::appc::ThreadNodes,
}

/// The stored part of a body is at most this long.
pub(super) const LONGEST_KEPT: usize = 16 << 20;
