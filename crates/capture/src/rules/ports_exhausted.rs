//! Signs that a client goes through its ports: an address pair comes back
//! while the other end may still be waiting in TIME_WAIT.

use super::connection_per_request::{name, service_finding};
use super::{About, Confidence, Finding, Rule};
use crate::Explanation;

/// Tells of services whose clients reused an address pair.
pub struct PortsExhausted;

static ABOUT: About = About {
    id: "tcp.ports.exhausted",
    title: "a client used its ports again while the server may still remember them",
    linux: "keep connections open; else widen net.ipv4.ip_local_port_range, and keep \
            net.ipv4.tcp_tw_reuse on at the client",
    zos: "keep connections open; else widen EPHEMERALPORTS on TCPCONFIG where it was narrowed \
          (1024 to 65535 by default) and shorten TIMEWAITINTERVAL there (60 seconds)",
    limits: "The reuse of an address pair within one capture is a sign, not a proof. Ports that \
             a client could not get at all leave no packet. Medium from twenty of a thousand \
             connections on of which half carried something (a flood draws ports by chance); a client with a fixed port comes back with it too.",
    literature: "RFC 1122 4.2.2.13, RFC 6191; Faber, Touch and Yue 1999 (TIME-WAIT)",
};

impl Rule for PortsExhausted {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn capture(&self, explanation: &Explanation, out: &mut Vec<Finding>) {
        for service in explanation.services.iter().filter(|s| s.ports_reused > 0) {
            let mut finding = service_finding(
                ABOUT.id,
                explanation,
                0,
                format!(
                    "{} connections to {} used an address pair again that an earlier one had",
                    service.ports_reused,
                    name(service)
                ),
            );
            // A client with a fixed port comes back with it too.
            let many = service.ports_reused >= MANY && service.connections >= RANGE;
            // A flood draws its ports by chance, and carries nothing.
            let many = many && service.exchanges * 2 >= service.connections;
            finding.confidence = match many {
                true => Confidence::Medium,
                false => Confidence::Low,
            };
            out.push(finding);
        }
    }
}

/// So many address pairs that came back.
const MANY: u64 = 20;

/// A client goes through its ports with connections by the thousand.
const RANGE: u64 = 1000;
