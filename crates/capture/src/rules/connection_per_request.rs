//! Each request has a connection of its own.

use super::{About, Confidence, Finding, Rule};
use crate::{Explanation, Phase, Protocol, Service};

/// Tells of services whose connections carry one exchange each.
pub struct ConnectionPerRequest;

static ABOUT: About = About {
    id: "tcp.connection-per-request",
    title: "every request opened a connection of its own",
    linux: "let the client keep connections (HTTP keep-alive, a pool), and the server allow it \
            (keep-alive timeout, requests per connection)",
    zos: "CICS TCPIPSERVICE SOCKETCLOSE(NO) or a time, MAXPERSIST above the clients' number; for \
          requests from CICS, SOCKETCLOSE on the URIMAP keeps connections for use again",
    limits: "Counts connections that were opened in the capture and carried one exchange, which was answered; one \
             that the capture has on both sides of something that translates addresses once. Who \
             closed first is told where it is one end in four of five; why it closed is not on the wire, except in HTTP headers. High from ten closed \
             connections on, where the protocol tells where a request ends.",
    literature: "Mogul 1995 (\"The case for persistent-connection HTTP\"); RFC 9112 9.3",
};

impl Rule for ConnectionPerRequest {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn capture(&self, explanation: &Explanation, out: &mut Vec<Finding>) {
        for service in &explanation.services {
            // A few with TLS among many in clear are none of the other rule's.
            if service.tls * 10 <= service.opened && one_each(service) {
                let closer = closer(service);
                let mut finding = service_finding(
                    ABOUT.id,
                    explanation,
                    service.phases.of(Phase::Connect),
                    format!(
                        "{} of {} connections to {} carried one request each{closer}",
                        service.single_exchange,
                        service.opened,
                        name(service)
                    ),
                );
                finding.confidence = habit(service);
                out.push(finding);
            }
        }
    }
}

/// Whether nearly every connection that was opened carried one exchange.
pub(super) fn one_each(service: &Service) -> bool {
    service.opened >= MANY && service.single_exchange * 10 >= service.opened * 8
}

/// Who closes the service's connections, where one end closes four of five.
fn closer(service: &Service) -> &'static str {
    let by_server = service.closed_by_server;
    let by_client =
        (service.closed).saturating_sub(by_server + service.closed_at_once + service.resets);
    let most = |count: u64| count * 5 >= service.connections * 4;
    match (most(by_server), most(by_client)) {
        (true, _) => "; the server closes them",
        (_, true) => "; the client closes them",
        _ => "",
    }
}

/// How sure it is that this is how the clients are made: where the protocol tells
/// a request's end, where there were many and where they were closed.
pub(super) fn habit(service: &Service) -> Confidence {
    let told = matches!(
        service.protocol,
        Protocol::Http1 | Protocol::Http2 | Protocol::Framed2 | Protocol::Framed4
    );
    let closed = service.closed * 10 >= service.connections * 8;
    match (service.opened >= HABIT && closed, told) {
        (true, true) => Confidence::High,
        (true, false) | (false, true) => Confidence::Medium,
        (false, false) => Confidence::Low,
    }
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
        between: None,
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

/// So many connections are told of.
const MANY: u64 = 3;

/// So many make a habit.
const HABIT: u64 = 10;
