//! TLS sessions are not resumed: each handshake is a full one.

use super::connection_per_request::{name, service_finding};
use super::{About, Confidence, Finding, Rule};
use crate::{Explanation, Phase};

/// Tells of TLS services where no connection resumed a session.
pub struct NoResumption;

static ABOUT: About = About {
    id: "tls.no-resumption",
    title: "TLS sessions were never resumed",
    linux: "let the client keep its session tickets, and the server hand them out (in a cluster \
            with a key or cache that its members share)",
    zos: "AT-TLS: GSK_V3_SIDCACHE_SIZE and GSK_V3_SESSION_TIMEOUT above zero, GSK_SYSPLEX_SIDCACHE \
          in a sysplex; CICS: SIT SSLDELAY, SSLCACHE=SYSPLEX",
    limits: "Told from the pre-shared key of TLS 1.3 and the session id of TLS 1.2 as they stand \
             in the hello messages. Clients that connect for the first time have nothing to \
             resume; three connections or more with \
             the server's hello must have been seen, and no number of them is high: whether these clients had been here \
             before is not on the wire.",
    literature: "RFC 8446 2.2, RFC 5077; Coarfa, Druschel and Wallach 2006",
};

impl Rule for NoResumption {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn capture(&self, explanation: &Explanation, out: &mut Vec<Finding>) {
        for service in &explanation.services {
            if service.tls_answered >= 3 && service.tls_resumed * 10 < service.tls_answered {
                // A resumed handshake saves about half of a full one's time.
                let cost = service.phases.of(Phase::Tls) / 2;
                let mut finding = service_finding(
                    ABOUT.id,
                    explanation,
                    cost,
                    format!(
                        "{} TLS handshakes with {}, {} of them resumed a session",
                        service.tls_answered,
                        name(service),
                        service.tls_resumed
                    ),
                );
                // Whether these clients had been here before is not on the wire.
                finding.confidence = match service.tls_answered >= MANY {
                    true => Confidence::Medium,
                    false => Confidence::Low,
                };
                out.push(finding);
            }
        }
    }
}

/// Fewer may have been opened at once, with nothing to resume.
const MANY: u64 = 6;
