//! Rules over one attribute of a resource definition: the type of the resource,
//! the attribute, what is wrong with its value, and what to code instead.
//!
//! Reference: CICS TS resource definition.

use crate::cicsts::CsdDefinition;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::{RuleCheck, TuningRule};
use crate::source::{PAPER_000, PAPER_002, PAPER_003, cics};

/// An attribute of the definitions of one type.
struct AttributeTest {
    kind: &'static str,
    /// The finding is at this attribute, or at a definition without it.
    name: &'static str,
    /// The value found; `None` if it is good.
    wrong: fn(&CsdDefinition) -> Option<String>,
    /// The attributes to code.
    wanted: fn(&CsdDefinition) -> String,
    needs: Option<&'static str>,
    effect: Option<&'static str>,
}

impl RuleCheck for AttributeTest {
    fn find(&self, rule: &'static TuningRule, set: &DocumentSet, out: &mut Vec<TuningFinding>) {
        for (document, definition) in set.definitions(self.kind) {
            let Some(value) = (self.wrong)(definition) else {
                continue;
            };
            let place = document.place(definition.at(self.name));
            let mut finding = TuningFinding::at(rule, place, value)
                .code(definition.alter(&(self.wanted)(definition)));
            if let Some(needs) = self.needs {
                finding = finding.needs(needs);
            }
            if let Some(effect) = self.effect {
                finding = finding.effect(effect);
            }
            out.push(finding);
        }
    }
}

/// Whether an attribute is coded as 0, with any number of digits.
fn zero(definition: &CsdDefinition, name: &str) -> bool {
    definition.number(name).is_some_and(|(n, _)| n == 0)
}

/// An attribute as it is coded.
fn coded(definition: &CsdDefinition, name: &str) -> String {
    format!(
        "{name}({})",
        definition.get(name).map_or("", |(value, _)| value)
    )
}

pub(super) static OPENAPI: TuningRule = TuningRule {
    name: "cics.concurrency.openapi",
    summary: "A program has API(OPENAPI) with CONCURRENCY(QUASIRENT), coded or by default.",
    why: "An OPENAPI program must be threadsafe; CICS does not install the definition otherwise.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[cics::PROGRAM],
    check: &AttributeTest {
        kind: "PROGRAM",
        name: "API",
        wrong: |d| {
            let quasi = !d.has("CONCURRENCY") || d.is("CONCURRENCY", "QUASIRENT");
            (quasi && d.is("API", "OPENAPI")).then(|| "API(OPENAPI)".to_owned())
        },
        wanted: |_| "CONCURRENCY(REQUIRED) API(OPENAPI)".to_owned(),
        needs: Some("that the program is threadsafe; if it is not, API(CICSAPI)"),
        effect: None,
    },
};

pub(super) static TRANCLASS_PURGE: TuningRule = TuningRule {
    name: "cics.tranclass.purge",
    summary: "A TRANCLASS has PURGETHRESH(NO), coded or by default.",
    why: "Under overload its queue grows without a limit, and everyone in it waits longer. With \
          a threshold, new requests beyond it are refused at once and the waiting time stays \
          bounded.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, cics::TRANCLASS],
    check: &AttributeTest {
        kind: "TRANCLASS",
        name: "PURGETHRESH",
        wrong: |d| {
            (!d.has("PURGETHRESH") || d.is("PURGETHRESH", "NO"))
                .then(|| "PURGETHRESH(NO)".to_owned())
        },
        wanted: |d| {
            let active = d.number("MAXACTIVE").map_or(10, |(n, _)| n);
            format!(
                "PURGETHRESH({})",
                active.saturating_mul(10).clamp(1, 1_000_000)
            )
        },
        needs: Some("a threshold of what may wait in the time that users accept"),
        effect: None,
    },
};

pub(super) static IPCONN_RECEIVE: TuningRule = TuningRule {
    name: "cics.ipconn.receivecount",
    summary: "An IPCONN has a RECEIVECOUNT of 1, coded or by default, and sends nothing.",
    why: "A session carries one request at a time, so the requests over the connection wait \
          for one another. The lesser of both ends holds.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[PAPER_003, cics::IPCONN],
    check: &AttributeTest {
        kind: "IPCONN",
        name: "RECEIVECOUNT",
        wrong: |d| {
            let sends = d.number("SENDCOUNT").is_some_and(|(n, _)| n > 0);
            let one = if d.has("RECEIVECOUNT") {
                d.number("RECEIVECOUNT").is_some_and(|(n, _)| n == 1)
            } else {
                !sends
            };
            one.then(|| "RECEIVECOUNT(1)".to_owned())
        },
        wanted: |_| "RECEIVECOUNT(100)".to_owned(),
        needs: Some("as many as requests run at a time, and an MXT above it"),
        effect: Some("published runs used 500 sessions for up to 1,000 requests/s"),
    },
};

pub(super) static IPCONN_QUEUE: TuningRule = TuningRule {
    name: "cics.ipconn.queue",
    summary: "An IPCONN that sends has neither QUEUELIMIT nor MAXQTIME.",
    why: "When the partner is slow, tasks wait for a session without a limit, and the wait \
          spreads to everything that calls them.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[cics::IPCONN],
    check: &AttributeTest {
        kind: "IPCONN",
        name: "SENDCOUNT",
        wrong: |d| {
            let unlimited = |name| !d.has(name) || d.is(name, "NO");
            let waits = unlimited("QUEUELIMIT") && unlimited("MAXQTIME");
            (d.number("SENDCOUNT")?.0 > 0 && waits)
                .then(|| "QUEUELIMIT(NO) MAXQTIME(NO)".to_owned())
        },
        wanted: |d| {
            let count = d.number("SENDCOUNT").map_or(0, |(n, _)| n);
            format!("QUEUELIMIT({}) MAXQTIME(5)", count.min(9999))
        },
        needs: None,
        effect: None,
    },
};

pub(super) static SERVICE_SOCKETCLOSE: TuningRule = TuningRule {
    name: "cics.tcpipservice.socketclose",
    summary: "A TCPIPSERVICE for HTTP has SOCKETCLOSE(0).",
    why: "CICS closes the connection after each request, so each pays a connection set-up, and \
          with SSL a handshake. NO keeps it while the client does.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[PAPER_002, cics::TCPIPSERVICE, cics::MAXSOCKETS_MXT],
    check: &AttributeTest {
        kind: "TCPIPSERVICE",
        name: "SOCKETCLOSE",
        wrong: |d| {
            let http = !d.has("PROTOCOL") || d.is("PROTOCOL", "HTTP");
            (http && zero(d, "SOCKETCLOSE")).then(|| coded(d, "SOCKETCLOSE"))
        },
        wanted: |_| "SOCKETCLOSE(NO)".to_owned(),
        needs: None,
        effect: None,
    },
};

pub(super) static SERVICE_IPIC: TuningRule = TuningRule {
    name: "cics.tcpipservice.ipic-socketclose",
    summary: "A TCPIPSERVICE for IPIC or ECI has another SOCKETCLOSE than NO.",
    why: "These connections are to stay open; the manual demands NO.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[cics::TCPIPSERVICE, cics::IPCONN],
    check: &AttributeTest {
        kind: "TCPIPSERVICE",
        name: "SOCKETCLOSE",
        wrong: |d| {
            let stays = d.is("PROTOCOL", "IPIC") || d.is("PROTOCOL", "ECI");
            let other = d.get("SOCKETCLOSE").is_some() && !d.is("SOCKETCLOSE", "NO");
            (stays && other).then(|| coded(d, "SOCKETCLOSE"))
        },
        wanted: |_| "SOCKETCLOSE(NO)".to_owned(),
        needs: None,
        effect: None,
    },
};

pub(super) static SERVICE_MAXPERSIST: TuningRule = TuningRule {
    name: "cics.tcpipservice.maxpersist",
    summary: "A TCPIPSERVICE for HTTP has MAXPERSIST(0).",
    why: "No client may keep its connection: each request pays a connection set-up, and with SSL \
          a handshake.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[cics::TCPIPSERVICE],
    check: &AttributeTest {
        kind: "TCPIPSERVICE",
        name: "MAXPERSIST",
        wrong: |d| zero(d, "MAXPERSIST").then(|| "MAXPERSIST(0)".to_owned()),
        wanted: |_| "MAXPERSIST(NO)".to_owned(),
        needs: None,
        effect: None,
    },
};

pub(super) static SERVICE_BACKLOG: TuningRule = TuningRule {
    name: "cics.tcpipservice.backlog",
    summary: "A TCPIPSERVICE has a BACKLOG from 1 to 9.",
    why: "Connection requests that come while the listener starts a task wait in this queue; \
          beyond it they are refused. From CICS TS 5.1 on, 0 means as many as SOMAXCONN; before, \
          0 refuses all.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, cics::BACKLOG, cics::TCPIPSERVICE],
    check: &AttributeTest {
        kind: "TCPIPSERVICE",
        name: "BACKLOG",
        wrong: |d| {
            let (n, _) = d.number("BACKLOG")?;
            (1..10).contains(&n).then(|| format!("BACKLOG({n})"))
        },
        wanted: |_| "BACKLOG(1024)".to_owned(),
        needs: Some("a SOMAXCONN as large in the TCP/IP profile"),
        effect: None,
    },
};

pub(super) static URIMAP_POOL: TuningRule = TuningRule {
    name: "cics.urimap.pool",
    summary: "A URIMAP with USAGE(CLIENT) has SOCKETCLOSE(0), coded or by default.",
    why: "Each WEB OPEN makes a connection, and with SSL a handshake, and its end closes it. \
          With a time, CICS TS 4.2 and later keep the connection in a pool for the next.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_002, cics::URIMAP],
    check: &AttributeTest {
        kind: "URIMAP",
        name: "SOCKETCLOSE",
        wrong: |d| {
            let closes = !d.has("SOCKETCLOSE") || zero(d, "SOCKETCLOSE");
            (d.is("USAGE", "CLIENT") && closes).then(|| "SOCKETCLOSE(0)".to_owned())
        },
        wanted: |_| "SOCKETCLOSE(000030)".to_owned(),
        needs: Some("CICS TS 4.2 or later"),
        effect: None,
    },
};

pub(super) static FILE_STRINGS: TuningRule = TuningRule {
    name: "cics.file.strings",
    summary: "A local VSAM file has STRINGS(1), coded.",
    why: "Only one request on the file runs at a time; others wait for the string.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[cics::FILE],
    check: &AttributeTest {
        kind: "FILE",
        name: "STRINGS",
        wrong: |d| {
            let local = !d.has("REMOTESYSTEM") && !d.is("RLSACCESS", "YES");
            (local && d.number("STRINGS")?.0 == 1).then(|| "STRINGS(1)".to_owned())
        },
        wanted: |_| "STRINGS(10)".to_owned(),
        needs: Some("strings in the file's LSR pool"),
        effect: None,
    },
};
