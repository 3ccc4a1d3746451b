//! Each request has a connection of its own.

use super::{About, Confidence, Finding, Rule};
use crate::{Explanation, Phase, Service};

/// Tells of services whose connections carry one exchange each.
pub struct ConnectionPerRequest;

static ABOUT: About = About {
    id: "tcp.connection-per-request",
    title: "every request opened a connection of its own",
    linux: "let the client keep connections (HTTP keep-alive, a pool), and the server allow it \
            (keep-alive timeout, requests per connection)",
    zos: "CICS TCPIPSERVICE SOCKETCLOSE(NO) or a time, MAXPERSIST above the clients' number; for \
          requests from CICS, SOCKETCLOSE on the URIMAP keeps connections for use again",
    limits: "Counts connections that were opened in the capture and carried one exchange. Who \
             closed first is told; why it closed is not on the wire, except in HTTP headers.",
    literature: "Mogul 1995 (\"The case for persistent-connection HTTP\"); RFC 9112 9.3",
};

impl Rule for ConnectionPerRequest {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn capture(&self, explanation: &Explanation, out: &mut Vec<Finding>) {
        for service in &explanation.services {
            if service.tls == 0 && one_each(service) {
                let closer = match service.closed_by_server * 2 > service.connections {
                    true => "the server closes them",
                    false => "the client closes them",
                };
                out.push(service_finding(
                    ABOUT.id,
                    explanation,
                    service.phases.of(Phase::Connect),
                    format!(
                        "{} of {} connections to {} carried one request each; {closer}",
                        service.single_exchange,
                        service.connections,
                        name(service)
                    ),
                ));
            }
        }
    }
}

/// Whether nearly every connection that was opened carried one exchange.
pub(super) fn one_each(service: &Service) -> bool {
    service.opened >= MANY && service.single_exchange * 10 >= service.connections * 8
}

/// Address and port.
pub(super) fn name(service: &Service) -> String {
    match service.address {
        Some(address) => crate::station::end_name(address, service.port),
        None => "other services".to_owned(),
    }
}

/// A finding on a service.
pub(super) fn service_finding(
    rule: &'static str,
    explanation: &Explanation,
    cost_ns: i64,
    text: String,
) -> Finding {
    Finding {
        pending: None,
        rule,
        connection: None,
        exchange: None,
        at_ns: explanation.capture.first_ns,
        cost_ns,
        confidence: Confidence::High,
        packets: Vec::new(),
        text,
    }
}

/// So many connections make a habit.
const MANY: u64 = 3;
