//! Each request pays for a TLS handshake, because it has a connection of its own.

use super::connection_per_request::{habit, name, one_each, service_finding};
use super::{About, Confidence, Finding, Rule};
use crate::{Explanation, Phase};

/// Tells of TLS services whose connections carry one exchange each.
pub struct TlsPerConnection;

static ABOUT: About = About {
    id: "tls.handshake-per-connection",
    title: "every request paid for a connection and a TLS handshake",
    linux: "let the client keep connections (HTTP keep-alive, a pool); the handshake is paid once \
            a connection",
    zos: "CICS TCPIPSERVICE SOCKETCLOSE(NO) or a time, MAXPERSIST above the clients' number; for \
          requests from CICS, SOCKETCLOSE on the URIMAP keeps connections for use again",
    limits: "Counts connections with a TLS handshake that carried one exchange, where nine of ten begin with one. With HTTP/2 a client that said no more \
             than the first words, in one record, asked for nothing. The CPU of the \
             handshake is not on the wire; its time is.",
    literature: "Coarfa, Druschel and Wallach 2006 (\"Performance analysis of TLS web servers\")",
};

impl Rule for TlsPerConnection {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn capture(&self, explanation: &Explanation, out: &mut Vec<Finding>) {
        for service in &explanation.services {
            // Where most speak in clear, a count of all says nothing of TLS.
            let mostly = service.tls * 10 >= service.opened * 9;
            if mostly && one_each(service) {
                let cost = service.phases.of(Phase::Tls) + service.phases.of(Phase::Connect);
                let mut finding = service_finding(
                    ABOUT.id,
                    explanation,
                    cost,
                    format!(
                        "{} of {} TLS connections to {} carried one request each",
                        service.single_exchange,
                        service.opened,
                        name(service)
                    ),
                );
                // Where one request ends within TLS is told by turns.
                finding.confidence = habit(service).min(Confidence::Medium);
                out.push(finding);
            }
        }
    }
}
