//! The capture holds packets twice, as a mirror of both directions of a switch
//! port, or a capture on two interfaces at once, gives them.
//!
//! Copies are left out of the analysis; without that they would look like
//! retransmissions.

use super::{About, Confidence, Finding, Rule};
use crate::{Explanation, Marks};

/// Tells of captures that hold frames twice.
pub struct Duplicates;

static ABOUT: About = About {
    id: "capture.duplicates",
    title: "the capture holds packets twice",
    linux: "capture on one interface instead of `any`; mirror one direction of a port; \
            `editcap -d` removes copies",
    zos: "trace one interface (LINKNAME or INTFNAME on PKTTRACE), not all that a packet passes",
    limits: "A copy is the same packet with the same IP identification, sequence numbers and \
             payload within a few milliseconds, also with others between, or a piece of a large one captured before \
             offload and again behind it. Where there is no identification (IPv6) not all copies can be told. Ten or more are medium, fewer \
             low (some devices send that way), and three quarters of a file too (made by hand), more than five of each packet (a flood), and where \
             receivers tell of half as many (DSACK). The times of the analysis are those of the first.",
    literature: "Paxson 1997 (\"Automated packet trace analysis of TCP implementations\": measurement \
                 duplicates)",
};

impl Rule for Duplicates {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn capture(&self, explanation: &Explanation, out: &mut Vec<Finding>) {
        let totals = &explanation.totals;
        if totals.duplicate_frames == 0 {
            return;
        }
        // Copies that their receivers tell of came over the path.
        let delivered = totals.marks.of(Marks::DSACK) * 2 >= totals.duplicate_frames;
        let why = match delivered {
            true => {
                "their receivers tell that they got some twice, so something on the path doubles them"
            }
            false => "they are left out",
        };
        out.push(Finding {
            pending: None,
            between: None,
            rule: ABOUT.id,
            connection: None,
            exchange: None,
            at_ns: explanation.capture.first_ns,
            cost_ns: 0,
            // A few may be a device's own way to send again.
            // Most of a file: made by hand.
            confidence: match totals.duplicate_frames >= MANY
                && !delivered
                && totals.duplicate_frames * 4 < explanation.capture.packets * 3
                && totals.duplicate_frames <= totals.duplicated_packets * OF_ONE
            {
                true => Confidence::High,
                false => Confidence::Low,
            },
            packets: Vec::new(),
            text: format!(
                "at least {} of {} packets are copies of one just before; {why}",
                totals.duplicate_frames, explanation.capture.packets
            ),
        });
    }
}

/// So many copies are the capture's.
const MANY: u64 = 10;

/// More copies of each packet are no capture's: three places, each of them twice.
const OF_ONE: u64 = 5;
