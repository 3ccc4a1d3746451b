//! Rules over one kernel setting: its key, what is wrong with its value, and the
//! value to set instead.
//!
//! Reference: Linux kernel documentation, networking/ip-sysctl and
//! admin-guide/sysctl/net.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::linux::SysctlValue;
use crate::rule::{RuleCheck, TuningRule};
use crate::source::{PAPER_000, kernel};

/// A setting that is one number.
struct NumberSetting {
    key: &'static str,
    bad: fn(u64) -> bool,
    wanted: &'static str,
}

/// Settings whose better value depends on the present one.
struct KernelSetting {
    keys: &'static [&'static str],
    /// The better value; `None` if the present one is good.
    better: fn(&SysctlValue) -> Option<String>,
}

impl RuleCheck for NumberSetting {
    fn find(&self, rule: &'static TuningRule, set: &DocumentSet, out: &mut Vec<TuningFinding>) {
        setting(set, rule, self.key, out, |value| {
            (self.bad)(value.number()?).then(|| self.wanted.to_owned())
        });
    }
}

impl RuleCheck for KernelSetting {
    fn find(&self, rule: &'static TuningRule, set: &DocumentSet, out: &mut Vec<TuningFinding>) {
        for key in self.keys {
            setting(set, rule, key, out, self.better);
        }
    }
}

/// A finding for a kernel setting if `better` returns another value.
pub(super) fn setting(
    documents: &DocumentSet,
    rule: &'static TuningRule,
    key: &str,
    findings: &mut Vec<TuningFinding>,
    better: impl Fn(&SysctlValue) -> Option<String>,
) {
    for (document, sysctl) in documents.sysctls() {
        if let Some(value) = sysctl.get(key)
            && let Some(wanted) = better(value)
        {
            findings.push(
                TuningFinding::at(rule, document.place(value.value_at), &*value.value)
                    .code(value.set(&wanted)),
            );
        }
    }
}

/// Minimum, default and maximum in bytes, with a default and a maximum that are
/// large enough. Returns `None` if they are already.
fn three(value: &SysctlValue, usual: u64, most: u64) -> Option<String> {
    let [least, now, end] = value.numbers()?[..] else {
        return None;
    };
    let small = now < usual || end < most;
    small.then(|| format!("{least} {} {}", now.max(usual), end.max(most)))
}

/// The kernel's default for the largest socket buffers.
const CORE_MEM_BYTES: u64 = 212_992;

pub(super) static SLOW_START_AFTER_IDLE: TuningRule = TuningRule {
    name: "linux.tcp.slow-start-after-idle",
    summary: "tcp_slow_start_after_idle is on.",
    why: "A connection that rested for one retransmission timeout starts with a small congestion \
          window again. Clients that think between requests pay round trips for every large \
          response.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, kernel::IP_SYSCTL, kernel::RFC2861],
    check: &NumberSetting {
        key: "net.ipv4.tcp_slow_start_after_idle",
        bad: |n| n != 0,
        wanted: "0",
    },
};

pub(super) static TCP_RMEM: TuningRule = TuningRule {
    name: "linux.tcp.rmem",
    summary: "tcp_rmem starts below 64K or ends below 4 MB.",
    why: "The third number bounds the window that a receiver may offer, and with it one \
          connection's throughput: window divided by round-trip time. The second is where it \
          starts.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check: &KernelSetting {
        keys: &["net.ipv4.tcp_rmem"],
        better: |value| three(value, 65_536, 4_194_304),
    },
};

pub(super) static TCP_WMEM: TuningRule = TuningRule {
    name: "linux.tcp.wmem",
    summary: "tcp_wmem starts below 16K or ends below 4 MB.",
    why: "The third number bounds what may be under way without an acknowledgement. Large \
          responses over long paths wait for it.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check: &KernelSetting {
        keys: &["net.ipv4.tcp_wmem"],
        better: |value| three(value, 16_384, 4_194_304),
    },
};

pub(super) static DEFAULT_QDISC: TuningRule = TuningRule {
    name: "linux.default-qdisc",
    summary: "default_qdisc is pfifo_fast.",
    why: "One queue for all: short requests wait until a bulk transfer before them is sent. \
        fq_codel gives each flow its own queue and keeps queues short; fq also paces.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[kernel::NET_SYSCTL],
    check: &KernelSetting {
        keys: &["net.core.default_qdisc"],
        better: |value| (value.value == "pfifo_fast").then(|| "fq_codel".to_owned()),
    },
};

pub(super) static LOCAL_PORT_RANGE: TuningRule = TuningRule {
    name: "linux.ip-local-port-range",
    summary: "ip_local_port_range leaves fewer than 28,000 ports.",
    why: "Each closed connection keeps its port for 60 s. A client that connects for every \
          request runs out of ports at the range divided by 60 connections a second to one \
          server.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check: &KernelSetting {
        keys: &["net.ipv4.ip_local_port_range"],
        better: |value| {
            let [low, high] = value.numbers()?[..] else {
                return None;
            };
            (high.saturating_sub(low) < 28_000).then(|| "15000 65000".to_owned())
        },
    },
};

pub(super) static TW_REUSE: TuningRule = TuningRule {
    name: "linux.tcp.tw-reuse",
    summary: "tcp_tw_reuse is off.",
    why: "A client that connects for every request cannot use a port again for 60 s, though time \
          stamps make it safe. 2 allows it on loopback only, 1 everywhere. Persistent \
          connections are the better cure.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check: &NumberSetting {
        key: "net.ipv4.tcp_tw_reuse",
        bad: |n| n == 0,
        wanted: "1",
    },
};

pub(super) static TW_RECYCLE: TuningRule = TuningRule {
    name: "linux.tcp.tw-recycle",
    summary: "tcp_tw_recycle is on.",
    why: "It drops connection requests of clients that share one translated address if their \
        time stamps differ: they see lost SYNs and wait a second or more. Kernels from 4.12 \
        no longer have it.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check: &NumberSetting {
        key: "net.ipv4.tcp_tw_recycle",
        bad: |n| n != 0,
        wanted: "0",
    },
};

pub(super) static MTU_PROBING: TuningRule = TuningRule {
    name: "linux.tcp.mtu-probing",
    summary: "tcp_mtu_probing is off.",
    why: "Where a router drops large packets and its message is filtered, a connection hangs at \
          its first full segment. 1 makes the kernel try smaller ones after a timeout.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[kernel::IP_SYSCTL, kernel::RFC4821],
    check: &NumberSetting {
        key: "net.ipv4.tcp_mtu_probing",
        bad: |n| n == 0,
        wanted: "1",
    },
};

pub(super) static SYNCOOKIES: TuningRule = TuningRule {
    name: "linux.tcp.syncookies",
    summary: "tcp_syncookies is off, or always on.",
    why: "Without cookies a full queue of half-open connections drops new ones, and clients wait \
          a second for their next SYN. 2 sends cookies always, which loses TCP options where \
          time stamps are missing; 1 sends them when the queue is full.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[kernel::IP_SYSCTL],
    check: &NumberSetting {
        key: "net.ipv4.tcp_syncookies",
        bad: |n| n != 1,
        wanted: "1",
    },
};

pub(super) static SOMAXCONN: TuningRule = TuningRule {
    name: "linux.somaxconn",
    summary: "somaxconn is below 4096.",
    why: "It caps the backlog of every listening socket without an error. A burst beyond it \
          loses connection requests, and each lost one waits a second. The default was 128 \
          before Linux 5.4 and is 4096 since.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, kernel::NET_SYSCTL],
    check: &NumberSetting {
        key: "net.core.somaxconn",
        bad: |n| n < 4096,
        wanted: "4096",
    },
};

pub(super) static WINDOW_SCALING: TuningRule = TuningRule {
    name: "linux.tcp.window-scaling",
    summary: "tcp_window_scaling is off.",
    why: "The window cannot be more than 64K, so a connection carries at most 64K a round trip.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[kernel::IP_SYSCTL, kernel::RFC7323],
    check: &NumberSetting {
        key: "net.ipv4.tcp_window_scaling",
        bad: |n| n == 0,
        wanted: "1",
    },
};

pub(super) static SACK: TuningRule = TuningRule {
    name: "linux.tcp.sack",
    summary: "tcp_sack is off.",
    why: "The sender then mends one loss a round trip, and several losses in one window often \
          end in a timeout of 200 ms or more.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[kernel::IP_SYSCTL, kernel::RFC2018],
    check: &NumberSetting {
        key: "net.ipv4.tcp_sack",
        bad: |n| n == 0,
        wanted: "1",
    },
};

pub(super) static TIMESTAMPS: TuningRule = TuningRule {
    name: "linux.tcp.timestamps",
    summary: "tcp_timestamps is off.",
    why: "Without time stamps round trips are measured less often, ports in TIME_WAIT cannot be \
          used again safely, and SYN cookies lose window scaling and SACK.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[kernel::IP_SYSCTL, kernel::RFC7323],
    check: &NumberSetting {
        key: "net.ipv4.tcp_timestamps",
        bad: |n| n == 0,
        wanted: "1",
    },
};

pub(super) static CORE_MEM: TuningRule = TuningRule {
    name: "linux.core-mem",
    summary: "rmem_max or wmem_max is below 208K, the default.",
    why: "A program that sets its own socket buffers gets no more than this, and with SO_RCVBUF \
          set the kernel no longer grows the window by itself.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[kernel::NET_SYSCTL],
    check: &KernelSetting {
        keys: &["net.core.rmem_max", "net.core.wmem_max"],
        better: |value| (value.number()? < CORE_MEM_BYTES).then(|| CORE_MEM_BYTES.to_string()),
    },
};
