//! Rules over system initialization parameters: the name of one, what is wrong with
//! its value, or which other one it is below, and the parameter to code instead.
//!
//! Reference: CICS TS system initialization parameters.

use crate::cicsts::SitParameter;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::{RuleCheck, TuningRule};
use crate::source::{PAPER_000, PAPER_002, cics};

/// A system initialization parameter.
struct ParameterTest {
    name: &'static str,
    bad: fn(&SitParameter) -> bool,
    wanted: &'static str,
}

impl RuleCheck for ParameterTest {
    fn find(&self, rule: &'static TuningRule, set: &DocumentSet, out: &mut Vec<TuningFinding>) {
        if let Some((document, p)) = set.sit(self.name).filter(|(_, p)| (self.bad)(p)) {
            out.push(TuningFinding::at(rule, document.place(p.at), p.text()).code(self.wanted));
        }
    }
}

/// A parameter that is to be at least as large as MXT, the limit of tasks.
struct LimitTest {
    name: &'static str,
    /// The parameter to code, by the limit of tasks.
    wanted: fn(u64) -> String,
    needs: &'static str,
}

impl RuleCheck for LimitTest {
    fn find(&self, rule: &'static TuningRule, set: &DocumentSet, out: &mut Vec<TuningFinding>) {
        let (Some((document, limit)), Some((sit, mxt))) = (set.sit(self.name), set.sit("MXT"))
        else {
            return;
        };
        if let (Some(most), Some(tasks)) = (limit.number(), mxt.number())
            && most < tasks
        {
            let finding = TuningFinding::at(rule, document.place(limit.at), limit.text());
            let finding = finding.code((self.wanted)(tasks)).needs(self.needs);
            out.push(finding.because(sit.place(mxt.at), mxt.text()));
        }
    }
}

pub(super) static FORCEQR: TuningRule = TuningRule {
    name: "cics.forceqr",
    summary: "FORCEQR=YES runs threadsafe programs on the QR TCB.",
    why: "It is meant for testing programs that proved not to be threadsafe. One processor then \
          carries every program of the region.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[cics::FORCEQR],
    check: &ParameterTest {
        name: "FORCEQR",
        bad: |p| p.is("YES"),
        wanted: "FORCEQR=NO",
    },
};

pub(super) static SSL_DELAY: TuningRule = TuningRule {
    name: "cics.ssl-delay",
    summary: "SSLDELAY=0 keeps no session ids.",
    why: "Every new SSL connection then pays a full handshake with its public-key work. The \
          default keeps sessions for 600 seconds.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[PAPER_002, cics::SSLDELAY],
    check: &ParameterTest {
        name: "SSLDELAY",
        bad: |p| p.number() == Some(0),
        wanted: "SSLDELAY=600",
    },
};

pub(super) static RUWAPOOL: TuningRule = TuningRule {
    name: "cics.ruwapool",
    summary: "RUWAPOOL=NO is coded.",
    why: "Each LINK to a Language Environment program then gets and frees its run-unit work \
          area; with YES a task keeps them in a pool.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[cics::RUWAPOOL],
    check: &ParameterTest {
        name: "RUWAPOOL",
        bad: |p| p.is("NO"),
        wanted: "RUWAPOOL=YES",
    },
};

pub(super) static AUXTR: TuningRule = TuningRule {
    name: "cics.auxtr",
    summary: "AUXTR=ON starts auxiliary trace with the region.",
    why: "It is the instrument for finding switches and waits, and each entry costs CPU and I/O. \
          Switch it on for a measured interval, and off for what is compared.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[PAPER_000, cics::AUXTR],
    check: &ParameterTest {
        name: "AUXTR",
        bad: |p| p.is("ON"),
        wanted: "AUXTR=OFF",
    },
};

pub(super) static MAXOPENTCBS: TuningRule = TuningRule {
    name: "cics.mxt.maxopentcbs",
    summary: "MAXOPENTCBS is coded below MXT.",
    why: "A task that needs an L8 or L9 TCB waits when all are in use. Left out, CICS derives it \
          from MXT.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[cics::MAXOPENTCBS],
    check: &LimitTest {
        name: "MAXOPENTCBS",
        wanted: |tasks| format!("MAXOPENTCBS={tasks}"),
        needs: "or leave it out: CICS TS 4.2 and later derive it from MXT",
    },
};

pub(super) static MAXSOCKETS: TuningRule = TuningRule {
    name: "cics.mxt.maxsockets",
    summary: "MAXSOCKETS is below MXT.",
    why: "A persistent connection holds its socket while no task runs for it, so sockets are \
          many times the tasks. At the limit CICS closes idle connections, and clients connect \
          again.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[cics::MAXSOCKETS_MXT, cics::MAXSOCKETS],
    check: &LimitTest {
        name: "MAXSOCKETS",
        wanted: |_| "MAXSOCKETS=65535".to_owned(),
        needs: "a MAXFILEPROC in BPXPRMxx, or FILEPROCMAX of the region's user, as large",
    },
};
