//! The reference page of the kinds of evidence, made from their table.
//!
//! `tupelo reference causes` prints it and `cargo xtask docs` writes it, so
//! that names in JSON and on the page cannot differ.

use crate::{EvidenceKind, Reason};
use std::fmt::Write;

/// The page in Markdown.
pub fn reference_page() -> String {
    let mut page = String::from(
        "# Kinds of evidence in captures\n\n`tupelo capture explain` gives every instant between a \
         request and its whole answer to one of these kinds. The verdict is the kind with the most \
         time. At an instant in which several requests wait, the kind that is first in this list owns \
         it. This page is made by `tupelo reference causes`.\n",
    );
    for kind in EvidenceKind::ALL {
        let _ = write!(page, "\n## {}\n\n{}\n\n", kind.name(), meaning(kind));
        page += "| reason | meaning |\n|---|---|\n";
        for reason in Reason::ALL.iter().filter(|one| one.kind() == kind) {
            let _ = writeln!(page, "| `{}` | {} |", reason.name(), reason.meaning());
        }
    }
    page
}

/// The meaning of a kind, and how it is detected.
fn meaning(kind: EvidenceKind) -> &'static str {
    match kind {
        EvidenceKind::NameLookup => {
            "A name was looked up with DNS, mDNS or LLMNR, over UDP or TCP. The wait begins with the \
             first query for the name and ends with its answer, or when the client opens a \
             connection without one."
        }
        EvidenceKind::ConnectFailed => {
            "A SYN was not answered, answered late or refused, or a connection was reset or closed \
             before its answer was complete."
        }
        EvidenceKind::MtuBlackHole => {
            "Segments above a size do not arrive and no ICMP message says so. Seen near the sender \
             (full segments repeated without success) and near the receiver (a hole of full segments between \
             small ones)."
        }
        EvidenceKind::WindowClosed => {
            "The receiver did not read: its window was zero, or shrunk and full. SNA's windows \
             (pacing, DLSw, 802.2) count here, too."
        }
        EvidenceKind::Retransmission => {
            "Data was sent again. The wait for the copy counts, and the waits of the same message \
             while the sender's window was still reduced."
        }
        EvidenceKind::WaitedForAck => {
            "A write waited for an acknowledgement: Nagle's algorithm, a delayed acknowledgement, or \
             both."
        }
        EvidenceKind::SlowPath => {
            "The path's round trip, on both sides of the place of capture. It is the verdict where a \
             round trip is long and there are few of them."
        }
        EvidenceKind::Chatty => {
            "Many round trips in sequence. The same time as `slow-path`, where the number of turns \
             and not their length is the cause."
        }
        EvidenceKind::TransferLimited => {
            "A transfer waited for a window or used up the path's rate. Bytes a round trip show which \
             limit it was."
        }
        EvidenceKind::HostWait => {
            "An end did not send although it could: the server before or within its answer, either \
             end within a TLS handshake, the client before or within its request."
        }
        EvidenceKind::Unexplained => {
            "Time that no kind claims. It is never hidden in another slice."
        }
    }
}
