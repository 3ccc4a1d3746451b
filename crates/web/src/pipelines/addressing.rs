//! A region's part of the addressing of messages: message IDs, allowed
//! destinations, and sending.
//!
//! A request may name another address for its answer. The caller chooses that
//! address, not a program, so `[web] reply_to` must allow it; without the
//! setting none is allowed. An answer that cannot be sent is logged, because no
//! program waits for it.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HOST};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use soap::envelope::SoapVersion;
use soap::pipeline::ReplyPolicy;
use tokio::time::timeout;

use crate::client::{ClientConnector, ClientError, OutgoingRequest, ServerTarget, exchange};
use crate::service::CicsWebSupport;

/// A name for a message that no other has.
pub fn message_id() -> String {
    // Keys of the process's own, and another pair each time.
    let half = || RandomState::new().build_hasher().finish();
    let (high, low) = (half(), half());
    format!(
        "urn:uuid:{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xFFFF,
        high & 0xFFF,
        low >> 48 & 0x3FFF | 0x8000,
        low & 0xFFFF_FFFF_FFFF
    )
}

/// The addresses that requests may name for their answers.
#[derive(Debug)]
pub struct ReplyAllowList(pub Arc<ClientConnector>);

impl ReplyPolicy for ReplyAllowList {
    fn allows(&self, address: &str) -> bool {
        target(address).is_some_and(|(target, _)| self.0.may_allow(&target))
    }
}

/// Server and path of an address.
fn target(address: &str) -> Option<(ServerTarget, String)> {
    let url = crate::parse_url(address)?;
    let path = match url.query {
        "" => url.path.to_owned(),
        query => format!("{}?{query}", url.path),
    };
    let target = ServerTarget {
        secure: url.scheme.eq_ignore_ascii_case("https"),
        host: url.host.to_owned(),
        port: url.port,
        certificate: None,
    };
    Some((target, path))
}

impl CicsWebSupport {
    /// Sends an answer to where a request, or the program, wants it.
    pub(super) fn send_elsewhere(
        &self,
        address: String,
        by_program: bool,
        version: SoapVersion,
        message: Vec<u8>,
    ) {
        let connector = if by_program {
            self.0.connector.clone()
        } else {
            self.0.replies.clone()
        };
        let limit = Duration::from_millis(u64::from(self.0.config.client_timeout_ms));
        self.0.runtime.spawn(move || async move {
            let sent = send(&connector, &address, version, message);
            let why = match timeout(limit, sent).await {
                Ok(Ok(status)) if status < 300 => return,
                Ok(Ok(status)) => format!("the address returned status {status}"),
                Ok(Err(error)) => super::requester::error_text(error).to_owned(),
                Err(_) => super::requester::error_text(ClientError::TimedOut).to_owned(),
            };
            tracing::warn!(
                address,
                "an answer could not be sent to its ReplyTo address: {why}"
            );
        });
    }
}

async fn send(
    connector: &ClientConnector,
    address: &str,
    version: SoapVersion,
    message: Vec<u8>,
) -> Result<u16, ClientError> {
    let (target, path) = target(address).ok_or(ClientError::Path)?;
    let mut headers = HeaderMap::new();
    let value = |text: &str| HeaderValue::from_str(text).map_err(|_| ClientError::Path);
    headers.insert(HOST, value(&target.authority())?);
    let media = format!("{}; charset=UTF-8", version.media_type());
    headers.insert(CONTENT_TYPE, value(&media)?);
    if version == SoapVersion::V11 {
        headers.insert(HeaderName::from_static("soapaction"), value("\"\"")?);
    }
    let outgoing = OutgoingRequest {
        method: Method::POST,
        target: path,
        headers,
        body: Bytes::from(message).into(),
        close: true,
    };
    let (response, _) = exchange(connector, &target, None, outgoing, MOST).await?;
    Ok(response.status.as_u16())
}

/// Most bytes of the response to an answer.
const MOST: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::WebConfig;

    #[test]
    fn only_addresses_that_the_settings_name_get_answers() {
        let allows = |rules: &[&str], address: &str| {
            let config = WebConfig {
                connect: rules.iter().map(|rule| (*rule).to_owned()).collect(),
                ..WebConfig::default()
            };
            ReplyAllowList(Arc::new(ClientConnector::new(&config))).allows(address)
        };
        assert!(allows(&["127.0.0.1:80"], "http://localhost/a?b"));
        assert!(allows(&["10.0.0.0/8"], "https://10.1.2.3:8443/"));
        for (rules, address) in [
            (&[][..], "http://127.0.0.1/"),
            (&["127.0.0.1:80"][..], "http://127.0.0.1:81/"),
            (&["any"], "http://somewhere.example/"),
            (&["any"], "mailto:a@b"),
        ] {
            assert!(!allows(rules, address), "{address}");
        }
    }

    #[test]
    fn names_of_messages_differ() {
        let one = message_id();
        assert_eq!(one.len(), 45, "{one}");
        assert_ne!(one, message_id());
    }
}
