//! Something between the ends reset the connection in the name of one of them.
//!
//! Firewalls, filters and intruders write such packets. What they cannot easily
//! forge is where they stand: the hop limit that is left at the place of capture. Many
//! also miss the next sequence number, fill in a window that no stack sends with such
//! a reset, or do not stop the end itself from going on.

use super::ack_delayed::side;
use super::reset::Cut;
use super::{About, Confidence, Finding, Rule, as_trusted};
use crate::connection::Foreign;
use crate::{Connection, Exchange};

/// Tells of exchanges that a reset cut off which was not the end's own.
pub struct ResetPath;

static ABOUT: About = About {
    id: "tcp.reset.path",
    title: "something on the path reset the connection in an end's name",
    linux: "find the firewall, filter or proxy between the ends (its hop limit tells about how far \
            away it is); idle limits and rules on content are the usual reasons",
    zos: "the same between the network and the stack; on the stack itself look for IPSEC and \
          intrusion detection rules (IDS ATTACK and TR with reset) before the application",
    limits: "Medium where the hop limit (TTL) is at least two away from that of the end's other packets, \
             all of which agree, or where the end sent new data afterwards. Low by its number or window \
             alone, or where the other packets do not agree: paths change, and \
             another machine with the same address (a balancer) is no intruder. What has the end's own hop \
             limit cannot be told from the end.",
    literature: "Weaver, Sommer and Paxson 2009 (\"Detecting forged TCP reset packets\"); Clayton, Murdoch \
                 and Watson 2006 (\"Ignoring the Great Firewall of China\")",
};

impl Rule for ResetPath {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn exchange(&self, connection: &Connection, exchange: &Exchange, out: &mut Vec<Finding>) {
        let Some(foreign) = connection.foreign_reset() else {
            return;
        };
        let Some(cut) = Cut::of(connection, exchange) else {
            return;
        };
        let end = side(cut.who);
        let (sure, why) = match foreign {
            Foreign::HopLimit { own, reset, sure } => {
                let own = match own {
                    [least, greatest] if least == greatest => least.to_string(),
                    [least, greatest] => format!("{least} to {greatest}"),
                };
                let why = format!("has the hop limit {reset}, the {end}'s other packets {own}");
                (sure, why)
            }
            Foreign::SpokeOn => (true, format!("did not stop the {end}, which sent new data")),
            Foreign::PassedOver(1_000_000_000..) => {
                let why = format!("has a number that is none of the {end}'s");
                (false, why)
            }
            Foreign::PassedOver(bytes) => {
                let why = format!("is numbered {bytes} bytes behind what the {end} had sent");
                (false, why)
            }
            Foreign::Window(bytes) => {
                let why = format!("acknowledges nothing and has a window of {bytes} bytes");
                (false, why)
            }
        };
        let confidence = match sure {
            true => as_trusted(connection, Confidence::Medium),
            false => Confidence::Low,
        };
        let text = format!(
            "a reset in the {end}'s name ended the connection {}; it {why}: something on the path \
             may have sent it",
            cut.when
        );
        out.push(cut.finding(ABOUT.id, (connection, exchange), confidence, text));
    }
}
