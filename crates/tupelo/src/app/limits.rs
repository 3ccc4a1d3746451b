//! The ranges of the numbers of `[gateway]`, and the form of its origins.
//!
//! `check` and `serve` reject a value out of its range; a silent other limit would
//! mislead the operator.

use std::path::Path;

use super::config::GatewaySection;
use super::finding::{Findings, Severity};
use super::settings::at;

const DAY_S: u64 = 24 * 60 * 60;

/// Each number with its smallest and largest value.
fn bounds(of: &GatewaySection) -> [(&'static str, u64, u64, u64); 14] {
    [
        ("threads", of.threads.into(), 0, 1_024),
        ("max_body_bytes", of.max_body_bytes, 0, 1 << 30),
        (
            "max_header_bytes",
            of.max_header_bytes.into(),
            8 << 10,
            1 << 20,
        ),
        ("max_headers", of.max_headers.into(), 8, 1_000),
        ("max_json_depth", of.max_json_depth.into(), 1, 128),
        ("max_streams", of.max_streams.into(), 1, 10_000),
        ("max_connections", of.max_connections.into(), 1, 1_000_000),
        ("memory_mib", of.memory_mib.into(), 1, 1 << 20),
        ("min_rate_window_s", of.min_rate_window_s, 1, DAY_S),
        (
            "tls_handshake_timeout_s",
            of.tls_handshake_timeout_s,
            1,
            DAY_S,
        ),
        ("request_timeout_s", of.request_timeout_s, 1, DAY_S),
        ("idle_timeout_s", of.idle_timeout_s, 1, DAY_S),
        (
            "response_timeout_ms",
            of.response_timeout_ms.into(),
            1,
            DAY_S * 1_000,
        ),
        ("cors_max_age_s", of.cors_max_age_s.into(), 0, DAY_S),
    ]
}

/// Findings about the limits of a gateway and its CORS settings.
pub fn findings(folder: &Path, gateway: &GatewaySection) -> Findings {
    let mut found = Findings::new(folder);
    let mut say = |key: &str, severity, message: String, help: &str| {
        found.add(at(folder, "gateway", key, severity, message, help));
    };
    for (key, value, least, most) in bounds(gateway) {
        if !(least..=most).contains(&value) {
            let message = format!("{key} is {value}; expected {least} to {most}");
            let help = "leave it out for the default";
            say(key, Severity::Error, message, help);
        }
    }
    let key = "cors_origins";
    for origin in gateway.cors_origins.iter().filter(|o| *o != "*") {
        if let Some(why) = no_origin(origin) {
            let message = format!("{origin:?} is not an origin that a browser sends: {why}");
            let help = "write a scheme, a host and, if needed, a port: https://shop.example";
            say(key, Severity::Error, message, help);
        }
    }
    let any = gateway.cors_origins.iter().any(|o| o == "*");
    if any && gateway.cors_credentials {
        let message = "cors_credentials with cors_origins = [\"*\"] would let every page act as \
                       the browser's user";
        let help = "name the origins whose pages may";
        say("cors_credentials", Severity::Error, message.into(), help);
    }
    for (key, names) in [
        ("cors_allow_headers", &gateway.cors_allow_headers),
        ("cors_expose_headers", &gateway.cors_expose_headers),
    ] {
        for name in names.iter().filter(|name| !is_token(name)) {
            let message = format!("{key}: {name:?} is not the name of a header");
            let help = "one name in each string: [\"Retry-After\", \"X-Total\"]";
            say(key, Severity::Error, message, help);
        }
        if gateway.cors_credentials && names.iter().any(|name| name == "*") {
            let message =
                format!("{key}: with cors_credentials browsers read * as a header named *");
            say(key, Severity::Error, message, "name the headers");
        }
        if gateway.cors_origins.is_empty() && !names.is_empty() {
            let message = format!("{key} has no effect: cors_origins is empty");
            let help =
                "cors_origins = [\"https://shop.example\"] lets pages of that origin call the APIs";
            say(key, Severity::Warning, message, help);
        }
    }
    found
}

/// Why a text is not an origin as browsers send it.
fn no_origin(text: &str) -> Option<&'static str> {
    if text == "null" {
        return None;
    }
    let Some((scheme, host)) = text.split_once("://") else {
        return Some("it has no scheme, such as https://");
    };
    let rest = host.rsplit_once(']').map_or(host, |(_, after)| after);
    let port = rest.split_once(':').map(|(_, port)| port);
    if host.is_empty() {
        Some("it has no host")
    } else if host.contains(['/', '?', '#']) {
        Some("there is text after the host")
    } else if host.contains(['@', ' ', '*']) {
        Some("it does not name a single host")
    } else if text.chars().any(|c| c.is_ascii_uppercase()) {
        Some("browsers write it in lower case")
    } else if matches!(
        (scheme, port),
        ("http", Some("80")) | ("https", Some("443"))
    ) {
        Some("browsers leave the default port out")
    } else if port.is_some_and(|port| port.parse::<u16>().is_err()) {
        Some("its port is not a number")
    } else {
        None
    }
}

/// Whether a text can name a header.
fn is_token(text: &str) -> bool {
    let mark = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.bytes().all(mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_settings_are_within_their_bounds() {
        let found = findings(Path::new("/nowhere"), &GatewaySection::default());
        assert_eq!(found.count(Severity::Error), 0);
    }

    #[test]
    fn origins_are_written_as_browsers_write_them() {
        for good in ["null", "https://a.example", "http://[::1]:8081", "app://x"] {
            assert_eq!(no_origin(good), None, "{good}");
        }
        for wrong in [
            "a.example",
            "https://",
            "https://a.example/",
            "https://A.example",
            "https://a.example:443",
            "http://a.example:80",
            "https://*.example",
            "https://a.example:x",
        ] {
            assert!(no_origin(wrong).is_some(), "{wrong}");
        }
    }
}
