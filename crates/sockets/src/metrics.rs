//! Figures of listeners and receivers on `/metrics`.
//!
//! Reference: Prometheus, "Exposition formats".

use std::fmt::Write;

use crate::native::ReceiverStatus;
use crate::service::{ListenerStatus, SocketService};

/// A metric: name, type, help, and its value.
type Metric<T> = (&'static str, &'static str, &'static str, fn(&T) -> u64);

/// Appends everything as text.
pub fn write(sockets: &SocketService, out: &mut String) {
    let listening = sockets.listening();
    rows(out, LISTENERS, "listener", &listening, |l| {
        l.listener.clone()
    });
    let receiving = sockets.receiving();
    rows(out, RECEIVERS, "receiver", &receiving, |r| {
        r.receiver.to_string()
    });
}

/// The same for a listener and a receiver without activity, for lists of the
/// metrics.
pub fn sample(out: &mut String) {
    let listening = ListenerStatus {
        listener: String::new(),
        address: None,
        accepted: 0,
        started: 0,
        refused: 0,
        waiting: 0,
        expired: 0,
    };
    rows(out, LISTENERS, "listener", &[listening], |l| {
        l.listener.clone()
    });
    let receiving = [ReceiverStatus::default()];
    rows(out, RECEIVERS, "receiver", &receiving, |_| String::new());
}

fn rows<T>(
    out: &mut String,
    metrics: &[Metric<T>],
    label: &str,
    all: &[T],
    name_of: impl Fn(&T) -> String,
) {
    if all.is_empty() {
        return;
    }
    for (name, kind, help, value) in metrics {
        // A string takes everything.
        let _ = write!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for one in all {
            let of = name_of(one).replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(out, "{name}{{{label}=\"{of}\"}} {}", value(one));
        }
    }
}

const LISTENERS: &[Metric<ListenerStatus>] = &[
    (
        "tupelo_sockets_accepted_total",
        "counter",
        "Connections that a listener accepted.",
        |l| l.accepted,
    ),
    (
        "tupelo_sockets_started_total",
        "counter",
        "Connections for which it started a transaction or that it gave to a receiver.",
        |l| l.started,
    ),
    (
        "tupelo_sockets_refused_total",
        "counter",
        "Clients that the listener refused.",
        |l| l.refused,
    ),
];

const RECEIVERS: &[Metric<ReceiverStatus>] = &[
    (
        "tupelo_receiver_connections",
        "gauge",
        "Connections of a receiver and its sender.",
        |r| r.connections,
    ),
    (
        "tupelo_receiver_messages_total",
        "counter",
        "Messages for which a task was run.",
        |r| r.messages,
    ),
    (
        "tupelo_receiver_read_bytes_total",
        "counter",
        "Bytes of messages and their frames.",
        |r| r.bytes_in,
    ),
    (
        "tupelo_receiver_written_bytes_total",
        "counter",
        "Bytes of answers and their frames.",
        |r| r.bytes_out,
    ),
    (
        "tupelo_receiver_refused_total",
        "counter",
        "Connections that were not taken.",
        |r| r.refused,
    ),
    (
        "tupelo_receiver_failed_total",
        "counter",
        "Connections ended because of an error.",
        |r| r.failed,
    ),
    (
        "tupelo_receiver_timed_out_total",
        "counter",
        "Of these, by a limit of time.",
        |r| r.timed_out,
    ),
    (
        "tupelo_receiver_held_up_total",
        "counter",
        "Messages that waited because the region was full.",
        |r| r.held_up,
    ),
    (
        "tupelo_receiver_unanswered_total",
        "counter",
        "Answers that could not be sent because the client had disconnected.",
        |r| r.unanswered,
    ),
];
