//! The last calls and events of the interface, for operators.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use ezasoket::{CallReply, Errno, Request};
use region::TransId;
use serde::Serialize;

/// Most lines that are kept.
const LINES: usize = 1000;

/// One call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TracedCall {
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// Number of the task; 0 for a listener.
    pub task: u64,
    /// Its transaction.
    pub transid: TransId,
    /// The call, or the listener's action.
    pub what: String,
    /// The socket, where there is one.
    pub socket: i64,
    /// RETCODE.
    pub retcode: i64,
    /// ERRNO by its name; empty without an error.
    pub errno: String,
    /// Microseconds that it took.
    pub us: u64,
}

/// The trace, off at first.
#[derive(Debug, Default)]
pub struct CallTrace {
    on: AtomicBool,
    lines: Mutex<VecDeque<TracedCall>>,
    calls: AtomicU64,
    failed: AtomicU64,
}

impl CallTrace {
    /// Switches it.
    pub fn switch(&self, on: bool) {
        self.on.store(on, Ordering::Relaxed);
    }

    /// Whether it is on.
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Calls since the start, and how many of them failed.
    pub fn counts(&self) -> (u64, u64) {
        (
            self.calls.load(Ordering::Relaxed),
            self.failed.load(Ordering::Relaxed),
        )
    }

    /// The lines, oldest first.
    pub fn lines(&self) -> Vec<TracedCall> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().cloned().collect()
    }

    /// A call is done.
    pub fn call(&self, task: u64, transid: TransId, request: &Request, reply: &CallReply, us: u64) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if reply.retcode < 0 {
            self.failed.fetch_add(1, Ordering::Relaxed);
        }
        if self.is_on() {
            self.push(TracedCall {
                at_ms: now_ms(),
                task,
                transid,
                what: request.function.name().to_owned(),
                socket: request.socket,
                retcode: reply.retcode,
                errno: match reply.retcode {
                    ..0 => Errno(reply.errno).name(),
                    _ => String::new(),
                },
                us,
            });
        }
    }

    /// A receiver has had a message run by a task and answered it.
    pub fn message(&self, (task, transid): (u64, TransId), socket: u64, what: String, us: u64) {
        self.push(TracedCall {
            at_ms: now_ms(),
            task,
            transid,
            what,
            socket: socket as i64,
            retcode: 0,
            errno: String::new(),
            us,
        });
    }

    /// A listener did something.
    pub fn event(&self, transid: TransId, socket: i64, what: &str) {
        if self.is_on() {
            self.push(TracedCall {
                at_ms: now_ms(),
                task: 0,
                transid,
                what: what.to_owned(),
                socket,
                retcode: 0,
                errno: String::new(),
                us: 0,
            });
        }
    }

    fn push(&self, line: TracedCall) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |d| d.as_millis() as u64)
}
