//! The seam between clients that are tasks and the protocols they speak.
//!
//! A protocol is one file with a `Line`, which a client has to its targets, and
//! one row of [`lines!`], which bears the name of its variant of [`Protocol`].
//! What the clients of a thread share is a field of [`ThreadResources`].

use super::ThreadContext;
use crate::clock;
use crate::engine::RequestFailure;
use crate::plan::{LoadTarget, Population, Protocol, RequestStep};
use http::HeaderMap;

/// Why a request has no answer.
pub(super) type Failed = (RequestFailure, String);

/// One request.
pub(super) struct Asked<'a> {
    /// What is asked, and what is to become of the answer.
    pub step: &'a RequestStep,
    /// Whom.
    pub target: &'a LoadTarget,
    /// The rendered request.
    pub bytes: &'a [u8],
    /// The client's number in its population.
    pub client: u64,
}

impl Asked<'_> {
    /// Whether checks or captures want the answer's body.
    pub fn keeps_body(&self) -> bool {
        !self.step.captures.is_empty() || self.step.checks.iter().any(|k| k.needs_body())
    }
}

/// An answer as checks and captures see it.
pub(super) struct Answer {
    /// The status; of APPC the return code.
    pub status: u16,
    /// Headers, where the protocol has some.
    pub headers: HeaderMap,
    /// The body, as far as it is kept.
    pub body: Vec<u8>,
    /// Its whole length.
    pub size: u64,
}

/// Where a protocol has counted what happens on the way.
pub(super) struct Meter<'a> {
    /// What the clients of the thread share.
    pub common: &'a std::rc::Rc<ThreadContext>,
    /// Whose request it is.
    pub population: usize,
    /// Whether it counts.
    pub measured: bool,
}

impl Meter<'_> {
    /// A connection or conversation was opened.
    pub fn connected(&self, took_ns: u64) {
        let mut state = self.common.state.borrow_mut();
        state.count(self.population, self.measured, |c| c.connects += 1);
        let record = &mut state.interval.populations[self.population];
        record.connect.record(took_ns);
    }

    /// Bytes of a request were handed over.
    pub fn sent(&self, bytes: u64) {
        let mut state = self.common.state.borrow_mut();
        let measuring = state.measures(clock::now());
        state.count(self.population, measuring, |c| c.bytes_out += bytes);
    }

    /// Bytes of an answer came.
    pub fn received(&self, bytes: u64) {
        let mut state = self.common.state.borrow_mut();
        let measuring = state.measures(clock::now());
        state.count(self.population, measuring, |c| c.bytes_in += bytes);
    }
}

macro_rules! lines {
    ($($(#[$doc:meta])* $name:ident => $module:ident,)+) => {
        /// A client's line to its targets.
        pub(super) enum Line {
            $($(#[$doc])* $name(super::$module::Line),)+
        }

        impl Line {
            /// The line of a client; none when its population is served by the
            /// driver's own request path.
            pub fn of(population: &Population) -> Option<Line> {
                population.targets.iter().find_map(|target| match target.protocol {
                    Protocol::Stream => None,
                    $(Protocol::$name { .. } => {
                        Some(Line::$name(super::$module::Line::new(population)))
                    })+
                })
            }

            /// Presents a request and waits for its answer. May be dropped
            /// before it is done; then [`Line::give_up`] follows.
            pub async fn exchange(
                &mut self,
                asked: &Asked<'_>,
                meter: &Meter<'_>,
            ) -> Result<Answer, Failed> {
                match self {
                    $(Line::$name(line) => line.exchange(asked, meter).await,)+
                }
            }

            /// The request failed: whatever it left is closed.
            pub fn give_up(&mut self) {
                match self {
                    $(Line::$name(line) => line.give_up(),)+
                }
            }

            /// The last answer of an iteration is there.
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

/// What the lines of one thread share.
#[derive(Default)]
pub(super) struct ThreadResources {
    /// The nodes that conversations begin from.
    pub appc: super::appc::ThreadNodes,
}

/// How much of a body is stored for checks and captures.
pub(super) const LONGEST_KEPT: usize = 16 << 20;
