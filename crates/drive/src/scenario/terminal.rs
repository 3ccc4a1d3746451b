//! Populations with 3270 terminals: their server and their steps.
//!
//! The input of a step is a [`ScreenStep`]. Its values are one template, separated
//! by a character that no terminal can type.

use super::request::TargetList;
use super::step::{pieces, writes};
use super::template::TemplateNames;
use super::tree::{MistakeList, Node};
use crate::message::{ReplyEnd, RequestTemplate, TemplatePiece};
use crate::plan::RequestStep;
use crate::terminal::{
    SEPARATOR, ScreenPlace, ScreenStep, TerminalTarget, WaitFor, code_table, key_named, model_named,
};
use crate::tls::{TlsTarget, TrustSettings};
use crate::url::UrlError;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use tn3270::{Key, LuName};

/// The TN3270 server of a population.
pub(super) struct TerminalServer {
    pub address: SocketAddr,
    /// The name in messages.
    pub name: String,
    /// TLS from the first byte.
    pub tls: Option<TlsTarget>,
    pub settings: TerminalTarget,
}

/// The server of a `terminal` table. Returns `None` after an error, which has been
/// noted.
pub(super) fn server(
    node: &Node,
    trust: &TrustSettings,
    notes: &mut MistakeList<'_>,
) -> Option<TerminalServer> {
    // The check of keys has noted what is missing.
    let (text, at) = node.text("address")?;
    let model = match node.text("model") {
        None => model_named("2"),
        Some((name, at)) => model_named(name).or_else(|| {
            let text = "`model` must be 2, 3, 4, 5, or a size of at least 24x80 such as 62x160";
            notes.add(&at.span, text);
            None
        }),
    };
    let mut units = Vec::new();
    for unit in node.list("lu") {
        match unit.as_text().map(|name| LuName::parse(name.as_bytes())) {
            Some(Some(name)) => units.push(name),
            Some(None) => notes.add(&unit.span, "an LU name has 1 to 8 letters and digits"),
            None => {}
        }
    }
    let table = match node.text("code_page") {
        None => Some(tn3270::CodeTable::cp037()),
        Some((name, at)) => match code_table(name) {
            Ok(table) => Some(table),
            Err(why) => {
                notes.add(&at.span, why);
                None
            }
        },
    };
    let (address, host) = match resolve(text) {
        Ok(found) => found,
        Err(why @ UrlError::Resolve(..)) => {
            notes.add_unresolved(&at.span, why.to_string());
            return None;
        }
        Err(why) => {
            notes.add(&at.span, why.to_string());
            return None;
        }
    };
    let tls = match TlsTarget::new(&host, trust, false) {
        Ok(tls) => tls.without_alpn(),
        Err(why) => {
            notes.add(&at.span, why.to_string());
            return None;
        }
    };
    Some(TerminalServer {
        address,
        name: format!("the terminals at {text}"),
        tls: node.bool("tls").unwrap_or(false).then(|| tls.clone()),
        settings: TerminalTarget {
            model: model?,
            units: units.into(),
            tn3270e: node.bool("tn3270e").unwrap_or(true),
            table: Arc::new(table?),
            start_tls: Arc::new(tls),
        },
    })
}

/// The address of `host` or `host:port`, and the host name.
pub(crate) fn resolve(text: &str) -> Result<(SocketAddr, String), UrlError> {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
            let port = port.parse::<u16>();
            let port = port.map_err(|_| UrlError::Port)?;
            (host, port)
        }
        _ => (text, TELNET_PORT),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let found = (host, port).to_socket_addrs();
    let failed = |why: String| UrlError::Resolve(host.to_owned(), why);
    let first = found.map_err(|e| failed(e.to_string()))?.next();
    let address = first.ok_or_else(|| failed("no address".to_owned()))?;
    Ok((address, host.to_owned()))
}

/// A screen step. Returns `None` after an error, which has been noted.
pub(super) fn step(
    node: &Node,
    names: &TemplateNames<'_>,
    targets: &TargetList<'_>,
    notes: &mut MistakeList<'_>,
) -> Option<RequestStep> {
    for key in FOREIGN {
        if let Some(other) = node.get(key) {
            let text = format!("`{key}` cannot be used in a terminal's step");
            notes.add(&other.span, text);
        }
    }
    let (places, values) = entries(node, names, notes)?;
    let key = match node.text("key") {
        None => Key::Enter,
        Some((name, at)) => match key_named(name) {
            Some(key) => key,
            None => {
                let text =
                    "`key` must be enter, clear, pf1 to pf24, pa1 to pa3, attn, sysreq or select";
                notes.add(&at.span, text);
                return None;
            }
        },
    };
    let wait = match (node.text("wait_for"), node.bool("reply")) {
        (Some((_, at)), Some(false)) => {
            notes.add(&at.span, "give either `wait_for` or `reply = false`");
            return None;
        }
        (Some((text, _)), _) => WaitFor::Text(text.into()),
        (None, Some(false)) => WaitFor::Nothing,
        (None, _) => WaitFor::Unlock,
    };
    let target = targets.terminal??;
    let body = values.join(&TemplatePiece::Bytes(
        SEPARATOR.to_string().into_bytes().into(),
    ));
    let template = RequestTemplate::Plain {
        body: body.into(),
        bytes: None,
        ebcdic: false,
    };
    let typed = node.text("type").or(node.text("key"));
    let name = node.text("name").or(typed).map_or("enter", |n| n.0);
    Some(RequestStep {
        name: name.to_owned(),
        target,
        reply_target: target,
        request: template.simplified(),
        writes: writes(node),
        reply: ReplyEnd::Screen(Arc::new(ScreenStep { places, key, wait })),
        checks: Vec::new(),
        captures: Vec::new(),
        think: None,
    })
}

/// The input positions of a step with their values. Returns `None` after an error,
/// which has been noted.
fn entries(
    node: &Node,
    names: &TemplateNames<'_>,
    notes: &mut MistakeList<'_>,
) -> Option<(Vec<ScreenPlace>, Vec<Vec<TemplatePiece>>)> {
    let mut places = Vec::new();
    let mut values: Vec<Vec<TemplatePiece>> = Vec::new();
    for entry in node
        .get("fields")
        .map_or(&[][..], super::tree::Node::entries)
    {
        let text = entry.node.as_text().unwrap_or_default();
        values.push(pieces(text, &entry.node, names, notes)?);
        places.push(match position(&entry.key) {
            Some((row, column)) => ScreenPlace::Position(row, column),
            None => ScreenPlace::Label(entry.key.as_str().into()),
        });
    }
    let cursor = match node.text("cursor") {
        None => None,
        Some((text, at)) => match position(text) {
            Some(found) => Some(found),
            None => {
                notes.add(&at.span, "write `cursor` as \"row,column\", both from 1");
                return None;
            }
        },
    };
    if cursor.is_some() || node.get("type").is_some() {
        values.push(match node.text("type") {
            Some((text, at)) => pieces(text, at, names, notes)?,
            None => Vec::new(),
        });
        places.push(match cursor {
            Some((row, column)) => ScreenPlace::Cursor(row, column),
            None => ScreenPlace::AtCursor,
        });
    }
    Some((places, values))
}

/// Row and column of `row,column`. Returns `None` for any other text.
fn position(text: &str) -> Option<(u16, u16)> {
    let (row, column) = text.split_once(',')?;
    Some((row.trim().parse().ok()?, column.trim().parse().ok()?))
}

/// Keys of other protocols' steps.
const FOREIGN: &[&str] = &[
    "headers",
    "body",
    "body_file",
    "status",
    "size",
    "send",
    "send_hex",
    "receive_from",
    "frame",
    "confirm",
    "bytes",
    "ebcdic",
    "return_code",
    "writes",
    "write_pause",
];
/// The port of Telnet.
const TELNET_PORT: u16 = 23;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_a_row_and_a_column() {
        assert_eq!(position("5,10"), Some((5, 10)));
        assert_eq!(position("5, 10"), Some((5, 10)));
        for label in ["Option", "Name, first", "5", ",", "5,"] {
            assert_eq!(position(label), None, "{label}");
        }
    }

    #[test]
    fn an_address_has_the_port_of_telnet_unless_it_names_another() {
        let found = |text| resolve(text).unwrap();
        assert_eq!(found("127.0.0.1:3270").0.port(), 3270);
        assert_eq!(found("127.0.0.1").0.port(), 23);
        assert_eq!(found("[::1]:992").0, "[::1]:992".parse().unwrap());
        assert_eq!(found("[::1]").0.port(), 23);
        assert!(resolve("127.0.0.1:x").is_err());
    }
}
