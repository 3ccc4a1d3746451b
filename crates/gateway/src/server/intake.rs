//! The memory and time of a request: its body coming in, and room for its
//! answer.
//!
//! A body of known length is admitted before it is read: its memory is
//! reserved, or the client is asked to try again. One of unknown length
//! reserves memory as it grows. Each must arrive at the least rate of the
//! configuration.

use super::conn::ConnectionTimer;
use super::memory::{MemoryRequest, ReservedMemory};
use super::relay;
use super::serve::Server;
use super::ticks::ticks;
use crate::backend::ProgramBackend;
use crate::problem::ProblemDocument;
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode};
use http_body::Body as _;
use hyper::body::Incoming;
use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of a body that are not accounted for: the read buffer has them.
const FREE_BODY: usize = 8 << 10;
/// Ticks that a request waits for memory. The slowest clients give way within
/// them if that helps.
const ROOM_TICKS: u64 = 5;
/// Requests of a door that may wait for memory at a time. An answer waits where
/// its program left it, and keeps a worker from its next task.
const MOST_WAITING: u32 = 16;
/// Seconds after which a client that found no room should try again.
const RETRY_AFTER_S: u32 = 1;

/// Counts one that waits for room until it is dropped.
struct WaitingCount<'s>(&'s Cell<u32>);

impl Drop for WaitingCount<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

/// A body that is complete, and the memory it takes.
#[derive(Debug, Default)]
pub(super) struct RequestBody {
    pub bytes: Bytes,
    /// The trailers after it.
    pub trailers: Option<Box<HeaderMap>>,
    _held: Vec<ReservedMemory>,
}

/// A body under way.
struct BodyIntake {
    first: Bytes,
    rest: Option<BytesMut>,
    held: Vec<ReservedMemory>,
    /// Bytes that there is room for.
    room: usize,
}

impl BodyIntake {
    fn len(&self) -> usize {
        self.rest.as_ref().map_or(self.first.len(), BytesMut::len)
    }

    fn push(&mut self, data: Bytes, to_come: usize) {
        match &mut self.rest {
            Some(rest) => rest.extend_from_slice(&data),
            None if self.first.is_empty() => self.first = data,
            None => {
                let length = self.first.len() + data.len();
                let mut all = BytesMut::with_capacity(length + to_come);
                all.extend_from_slice(&self.first);
                all.extend_from_slice(&data);
                self.first = Bytes::new();
                self.rest = Some(all);
            }
        }
    }
}

impl<B: ProgramBackend> Server<B> {
    /// Ticks over which a client's rate is taken.
    pub fn rate_window(&self) -> u64 {
        ticks(self.shared.config.rate_window_ms)
    }

    /// Least bytes that a client must move in that time.
    pub fn least_bytes(&self) -> u64 {
        let config = &self.shared.config;
        (u64::from(config.min_rate_bytes_s) * u64::from(config.rate_window_ms)).div_ceil(1_000)
    }

    /// Room for that many bytes, at once or within a moment.
    pub async fn room(
        &self,
        timer: &ConnectionTimer,
        bytes: usize,
    ) -> Result<ReservedMemory, ProblemDocument> {
        if let Some(held) = timer.account.hold(bytes) {
            return Ok(held);
        }
        if self.waiting_for_room.get() >= MOST_WAITING {
            return Err(self.no_room());
        }
        let metrics = &self.shared.metrics;
        let gave_way = self.connections.make_room(bytes);
        metrics.connections_gave_way.fetch_add(gave_way, Relaxed);
        let mut wish = MemoryRequest::new(timer.account.clone(), bytes);
        let held = std::future::poll_fn(|cx| timer.account.poll_hold(&mut wish, cx));
        self.waiting_for_room.set(self.waiting_for_room.get() + 1);
        let held = {
            let _waiting = WaitingCount(&self.waiting_for_room);
            self.deadlines.limit(ROOM_TICKS, held).await
        };
        held.ok_or_else(|| self.no_room())
    }

    /// The answer to a client that found no memory in time; counts it.
    #[cold]
    pub(super) fn no_room(&self) -> ProblemDocument {
        self.shared.metrics.memory_refused.fetch_add(1, Relaxed);
        let detail = "Other requests and answers use all memory";
        let title = "No memory is left for this request";
        ProblemDocument {
            retry_after: Some(RETRY_AFTER_S),
            ..ProblemDocument::new(StatusCode::SERVICE_UNAVAILABLE, title, detail)
        }
    }

    /// Reads a body to its end. One that has arrived with its headers, as small
    /// ones do, needs neither a timer nor a copy nor an account.
    pub fn read_body(
        &self,
        incoming: Incoming,
        timer: &ConnectionTimer,
    ) -> impl Future<Output = Result<RequestBody, ProblemDocument>> {
        self.read_body_of(incoming, timer, self.shared.config.max_body_bytes)
    }

    /// As [`Server::read_body`], of at most so many bytes.
    pub async fn read_body_of(
        &self,
        mut incoming: Incoming,
        timer: &ConnectionTimer,
        limit: usize,
    ) -> Result<RequestBody, ProblemDocument> {
        let declared = incoming.size_hint().lower();
        if declared > limit as u64 {
            return Err(too_large(limit));
        }
        let mut intake = BodyIntake {
            first: Bytes::new(),
            rest: None,
            held: Vec::new(),
            room: FREE_BODY,
        };
        if declared as usize > intake.room {
            intake.room = declared as usize;
            intake.held.push(self.room(timer, intake.room).await?);
        }
        let mut reading = timer.body();
        let (least, window) = (self.least_bytes(), self.rate_window());
        let (mut begun, mut came) = (self.deadlines.now(), 0);
        let mut trailers = None;
        while !incoming.is_end_stream() {
            let next = std::future::poll_fn(|cx| relay::poll_frame(&mut incoming, cx));
            let spent = self.deadlines.now() - begun;
            if spent >= window {
                if came < least {
                    return Err(too_slow());
                }
                (begun, came) = (self.deadlines.now(), 0);
                continue;
            }
            let frame = match self.deadlines.limit(window - spent, next).await {
                Some(Some(Ok(frame))) => frame,
                Some(Some(Err(e))) => return Err(broken(&e)),
                Some(None) => break,
                None => continue,
            };
            let data = match frame.into_data() {
                Ok(data) => data,
                Err(frame) => {
                    trailers = frame.into_trailers().ok().map(Box::new).or(trailers);
                    continue;
                }
            };
            came += data.len() as u64;
            let length = intake.len() + data.len();
            if length > limit {
                return Err(too_large(limit));
            }
            if length > intake.room {
                // Twice as much each time, so that the pieces stay few.
                let more = length.max(intake.room * 2).min(limit) - intake.room;
                // Meanwhile it is not its client that it waits for.
                drop(reading);
                intake.held.push(self.room(timer, more).await?);
                intake.room += more;
                reading = timer.body();
                (begun, came) = (self.deadlines.now(), 0);
            }
            let to_come = (incoming.size_hint().lower() as usize).min(limit);
            intake.push(data, to_come);
        }
        drop(reading);
        Ok(RequestBody {
            bytes: intake.rest.map_or(intake.first, BytesMut::freeze),
            trailers,
            _held: intake.held,
        })
    }
}

#[cold]
fn too_large(limit: usize) -> ProblemDocument {
    let detail = format!("The body is longer than {limit} bytes");
    let title = "The body is too large";
    ProblemDocument::new(StatusCode::PAYLOAD_TOO_LARGE, title, detail)
}

#[cold]
fn too_slow() -> ProblemDocument {
    let detail = "The rest of the body did not arrive in time";
    let title = "The request took too long";
    ProblemDocument::new(StatusCode::REQUEST_TIMEOUT, title, detail)
}

#[cold]
fn broken(error: &hyper::Error) -> ProblemDocument {
    let detail = format!("The body could not be read: {error}");
    ProblemDocument::new(StatusCode::BAD_REQUEST, "The body is broken", detail)
}
