//! Rules over one number of PROFILE.TCPIP: its statement, what is wrong with the
//! number, and the number to code instead.
//!
//! Reference: z/OS Communications Server: IP Configuration Reference, TCPCONFIG
//! and SOMAXCONN.

use crate::document::{DocumentSet, LineColumn};
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::{RuleCheck, TuningRule};
use crate::source::{PAPER_000, ip};
use crate::tcpip::TcpipProfile;

/// A number of a profile.
struct ProfileNumber {
    key: &'static str,
    /// The statement that the keyword belongs to, with a blank.
    on: &'static str,
    number: fn(&TcpipProfile, &str) -> Option<(u64, LineColumn)>,
    bad: fn(u64) -> bool,
    /// The default of today's releases.
    wanted: u64,
    /// What the present number costs.
    effect: Option<fn(u64) -> String>,
}

impl RuleCheck for ProfileNumber {
    fn find(&self, rule: &'static TuningRule, set: &DocumentSet, out: &mut Vec<TuningFinding>) {
        let ProfileNumber {
            key, on, wanted, ..
        } = self;
        for (document, profile) in set.profiles() {
            let number = (self.number)(profile, key).filter(|(n, _)| (self.bad)(*n));
            let Some((n, at)) = number else {
                continue;
            };
            let finding = TuningFinding::at(rule, document.place(at), format!("{key} {n}"))
                .code(format!("{on}{key} {wanted}"));
            out.push(match self.effect {
                Some(effect) => finding.effect(effect(n)),
                None => finding,
            });
        }
    }
}

/// What a buffer of some bytes lets through: at 10 ms a round trip carries one
/// buffer, 100 times a second.
fn throughput(bytes: u64) -> String {
    let rate = bytes * 100 * 8 / 1_000_000;
    format!("at a round trip of 10 ms at most {rate} Mb/s a connection")
}

/// The default of both buffers since z/OS V2R1.
const BUFFER_BYTES: u64 = 65_536;

pub(super) static BUFFER_RECEIVE: TuningRule = TuningRule {
    name: "tcpip.buffer.receive",
    summary: "TCPRCVBUFRSIZE is below 64K.",
    why: "The receive buffer is the window that a partner may fill before it must wait for an \
          acknowledgement: one buffer a round trip is all it can send. The default was 16K \
          before z/OS V2R1 and is 64K since.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[ip::TCPCONFIG, ip::MIGRATION_V2R1],
    check: &ProfileNumber {
        key: "TCPRCVBUFRSIZE",
        on: "TCPCONFIG ",
        number: |p, key| p.tcp.number(key),
        bad: |n| n < BUFFER_BYTES,
        wanted: BUFFER_BYTES,
        effect: Some(throughput),
    },
};

pub(super) static BUFFER_SEND: TuningRule = TuningRule {
    name: "tcpip.buffer.send",
    summary: "TCPSENDBFRSIZE is below 64K.",
    why: "The send buffer holds what is not yet acknowledged. A response larger than it makes \
          the application wait, and no more than one buffer is under way in a round trip. The \
          default was 16K before z/OS V2R1 and is 64K since.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[ip::TCPCONFIG, ip::MIGRATION_V2R1],
    check: &ProfileNumber {
        key: "TCPSENDBFRSIZE",
        on: "TCPCONFIG ",
        number: |p, key| p.tcp.number(key),
        bad: |n| n < BUFFER_BYTES,
        wanted: BUFFER_BYTES,
        effect: Some(throughput),
    },
};

pub(super) static SOMAXCONN: TuningRule = TuningRule {
    name: "tcpip.somaxconn",
    summary: "SOMAXCONN is below 1024.",
    why: "It caps the backlog of every listening socket without an error. A burst of new \
          connections beyond it is refused, and clients try again after seconds. The default was \
          10 before z/OS V2R1 and is 1024 since.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, ip::SOMAXCONN, ip::MIGRATION_V2R1],
    check: &ProfileNumber {
        key: "SOMAXCONN",
        on: "",
        number: |p, _| p.somaxconn,
        bad: |n| n < 1024,
        wanted: 1024,
        effect: None,
    },
};

pub(super) static TIME_WAIT: TuningRule = TuningRule {
    name: "tcpip.time-wait",
    summary: "TIMEWAITINTERVAL is above its default of 60 seconds.",
    why: "Closed connections keep their ports and their storage for this long.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[ip::TCPCONFIG],
    check: &ProfileNumber {
        key: "TIMEWAITINTERVAL",
        on: "TCPCONFIG ",
        number: |p, key| p.tcp.number(key),
        bad: |n| n > 60,
        wanted: 60,
        effect: None,
    },
};
