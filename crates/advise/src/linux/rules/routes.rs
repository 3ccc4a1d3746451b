//! Rules over one number of a route: its keyword, what is wrong with the number,
//! and the route without the keyword or with another number.
//!
//! Reference: iproute2, ip-route(8).

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::linux::IpRoute;
use crate::rule::{RuleCheck, TuningRule};
use crate::source::{PAPER_000, PAPER_002, kernel};

/// A number of a route.
struct RouteNumber {
    key: &'static str,
    bad: fn(&IpRoute, u64) -> bool,
    /// A value from this one down is a warning where the rule gives advice.
    severe: Option<u64>,
    /// The number to code. `None`: the route without the keyword is better.
    wanted: Option<&'static str>,
    needs: Option<&'static str>,
}

impl RuleCheck for RouteNumber {
    fn find(&self, rule: &'static TuningRule, set: &DocumentSet, out: &mut Vec<TuningFinding>) {
        let key = self.key;
        for (document, route) in set.ip_routes() {
            let Some((value, at)) = route.number(key).filter(|(n, _)| (self.bad)(route, *n)) else {
                continue;
            };
            let mut finding = TuningFinding::at(rule, document.place(at), format!("{key} {value}"))
                .code(route.change(key, self.wanted));
            if let Some(needs) = self.needs {
                finding = finding.needs(needs);
            }
            if self.severe.is_some_and(|severe| value <= severe) {
                finding = finding.severity(FindingSeverity::Warning);
            }
            out.push(finding);
        }
    }
}

pub(super) static INITCWND: TuningRule = TuningRule {
    name: "linux.route.initcwnd",
    summary: "A route sets initcwnd below 10.",
    why: "A new connection may send this many segments before the first acknowledgement. A \
        response of 14,600 bytes takes one round trip with 10 segments, three with 2 and \
        four with 1.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[PAPER_000, kernel::RFC6928, kernel::IP_ROUTE],
    check: &RouteNumber {
        key: "initcwnd",
        bad: |_, n| n < 10,
        severe: None,
        wanted: None,
        needs: None,
    },
};

pub(super) static ADVMSS: TuningRule = TuningRule {
    name: "linux.route.advmss",
    summary: "A route sets advmss below 1460, or 1440 for IPv6.",
    why: "The partner sends segments of no more than this: at 536 a request that fits one \
          Ethernet packet takes three.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, kernel::IP_ROUTE],
    check: &RouteNumber {
        key: "advmss",
        bad: |route, n| n < if route.v6() { 1440 } else { 1460 },
        severe: Some(536),
        wanted: None,
        needs: None,
    },
};

pub(super) static MTU: TuningRule = TuningRule {
    name: "linux.route.mtu",
    summary: "A route sets mtu below 1500.",
    why: "Segments carry 40 bytes less than this. A tunnel on the path may be the reason; then \
          leave it.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, kernel::IP_ROUTE],
    check: &RouteNumber {
        key: "mtu",
        bad: |_, n| n < 1500,
        severe: Some(576),
        wanted: None,
        needs: Some("that every link of the path carries 1500 bytes"),
    },
};

pub(super) static QUICKACK: TuningRule = TuningRule {
    name: "linux.route.quickack",
    summary: "A route sets quickack 0.",
    why: "Acknowledgements on this route may wait 40 ms from the first segment on. quickack 1 is \
          to Linux what NODELAYACKS is to z/OS; without either, the kernel acknowledges at once \
          until a connection looks interactive.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_002, kernel::IP_ROUTE],
    check: &RouteNumber {
        key: "quickack",
        bad: |_, n| n == 0,
        severe: None,
        wanted: Some("1"),
        needs: None,
    },
};

pub(super) static WINDOW: TuningRule = TuningRule {
    name: "linux.route.window",
    summary: "A route sets window below 65535.",
    why: "The partner may have no more than this under way: one window a round trip.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[kernel::IP_ROUTE],
    check: &RouteNumber {
        key: "window",
        bad: |_, n| (1..65_535).contains(&n),
        severe: None,
        wanted: None,
        needs: None,
    },
};
