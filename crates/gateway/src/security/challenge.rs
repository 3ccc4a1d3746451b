//! The answers to callers that are not admitted.
//!
//! Reference: RFC 9110, section 11.6.1; RFC 7617 (Basic); RFC 6750 (Bearer).

use super::{AccessDenied, AuthenticationScheme, KeyPlace};
use crate::problem::ProblemDocument;
use http::{HeaderValue, StatusCode};

/// Seconds after which a password may be sent again when too many wait.
const RETRY_AFTER_S: u32 = 1;

/// The problem document, with its challenges.
pub(crate) fn problem(denied: AccessDenied, realm: &str) -> ProblemDocument {
    match denied {
        AccessDenied::Unknown {
            why,
            token,
            schemes,
        } => {
            let title = "Authentication is needed";
            let ways: Vec<&str> = schemes.iter().map(named).collect();
            let ways = ways.join(" or ");
            let detail = match &why {
                Some(why) => sentence(why),
                None => format!("The request does not identify its sender; send {ways}"),
            };
            // The fault of another scheme does not concern a token.
            let token = why.as_deref().filter(|_| token);
            let challenge = |scheme: &AuthenticationScheme| challenge(scheme, realm, token);
            let challenges = schemes.iter().filter_map(challenge).collect();
            ProblemDocument {
                challenges,
                ..ProblemDocument::new(StatusCode::UNAUTHORIZED, title, detail)
            }
        }
        AccessDenied::Forbidden { needed, bearer, .. } => {
            let title = "Not allowed";
            let detail = format!("This takes {}", needed.join(" or "));
            let words: String = needed.join(" ").chars().filter(|c| *c != '"').collect();
            let text = format!(
                "Bearer realm=\"{realm}\", error=\"insufficient_scope\", scope=\"{words}\""
            );
            let challenge = bearer.then(|| HeaderValue::from_str(&text).ok()).flatten();
            ProblemDocument {
                challenges: challenge.into_iter().collect(),
                ..ProblemDocument::new(StatusCode::FORBIDDEN, title, detail)
            }
        }
        AccessDenied::Busy => ProblemDocument {
            retry_after: Some(RETRY_AFTER_S),
            ..unavailable("Too many passwords wait to be checked")
        },
        AccessDenied::NoKeys => ProblemDocument {
            retry_after: Some(10),
            ..unavailable("The keys for checking tokens could not be fetched")
        },
        AccessDenied::Insecure => {
            let detail = "This resource is served by HTTPS only";
            ProblemDocument::new(StatusCode::FORBIDDEN, "HTTPS is needed", detail)
        }
        AccessDenied::TooMany(wait) => ProblemDocument {
            retry_after: Some(wait.as_secs().clamp(1, 3600) as u32),
            ..ProblemDocument::new(
                StatusCode::TOO_MANY_REQUESTS,
                "Too many requests",
                "This client has sent more requests than it may",
            )
        },
    }
}

fn unavailable(detail: &str) -> ProblemDocument {
    let title = "Authentication is not possible now";
    ProblemDocument::new(StatusCode::SERVICE_UNAVAILABLE, title, detail)
}

fn named(scheme: &AuthenticationScheme) -> &'static str {
    match scheme {
        AuthenticationScheme::Basic => "a user name and password",
        AuthenticationScheme::Bearer => "a bearer token",
        AuthenticationScheme::ApiKey(..) => "an API key",
        AuthenticationScheme::Certificate => "a client certificate",
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

fn challenge(
    scheme: &AuthenticationScheme,
    realm: &str,
    token: Option<&str>,
) -> Option<HeaderValue> {
    let text = match scheme {
        AuthenticationScheme::Basic => format!("Basic realm=\"{realm}\", charset=\"UTF-8\""),
        AuthenticationScheme::Bearer => match token {
            Some(why) if !why.contains('"') => format!(
                "Bearer realm=\"{realm}\", error=\"invalid_token\", error_description=\"{why}\""
            ),
            _ => format!("Bearer realm=\"{realm}\""),
        },
        AuthenticationScheme::ApiKey(place, name) => {
            let place = match place {
                KeyPlace::Header => "header",
                KeyPlace::Query => "query",
                KeyPlace::Cookie => "cookie",
            };
            format!("ApiKey realm=\"{realm}\", in=\"{place}\", name=\"{name}\"")
        }
        AuthenticationScheme::Certificate => format!("Certificate realm=\"{realm}\""),
    };
    HeaderValue::from_str(&text).ok()
}
