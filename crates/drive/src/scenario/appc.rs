//! Populations with LU 6.2 conversations: their partner and their steps.

use super::request::TargetList;
use super::step::{hex, pieces, writes};
use super::template::TemplateNames;
use super::tree::{MistakeList, Node, TreeValue};
use crate::appc::AppcPartner;
use crate::message::{AnswerCheck, ReplyEnd, RequestTemplate, TemplatePiece};
use crate::plan::RequestStep;
use crate::units::parse_size;
use sna::mode::SyncLevel;
use std::net::SocketAddr;
use std::path::Path;

/// The partner's address, its name for messages, and its definition. Returns `None`
/// after an error, which has been noted.
pub(super) fn partner(
    node: &Node,
    folder: &Path,
    notes: &mut MistakeList<'_>,
) -> Option<(SocketAddr, String, AppcPartner)> {
    // The check of keys has noted what is missing.
    let (address, at) = node.text("address")?;
    let (name, _) = node.text("partner")?;
    let (tp, _) = node.text("tp")?;
    let text = |key: &str| node.text(key).map(|(text, _)| text.to_owned());
    let mut partner = AppcPartner::new(name, tp);
    if let Some((file, at)) = node.text("config") {
        match crate::appc::read_config(&folder.join(file)) {
            Ok(config) => partner.node = config,
            Err(why) => notes.add(&at.span, why),
        }
    }
    partner.mode = text("mode").unwrap_or(partner.mode);
    partner.node.lu = text("lu").map_or(partner.node.lu, |lu| lu.to_uppercase());
    partner.user = text("user").map(|user| (user, text("password")));
    if partner.user.is_none()
        && let Some(password) = node.get("password")
    {
        notes.add(&password.span, "a `password` needs a `user`");
    }
    if text("sync").as_deref() == Some("none") {
        partner.sync = SyncLevel::None;
    }
    let small = |key: &str| node.integer(key).and_then(|n| usize::try_from(n).ok());
    partner.tune(small("ru"), small("pacing"));
    if let Err(why) = partner.validate() {
        let key = match &why {
            appc::Error::Config { what, .. } => node.get(what),
            _ => None,
        };
        notes.add(&key.unwrap_or(node).span, why.to_string());
        return None;
    }
    match appc::NodeHost::resolve(address) {
        Ok(found) => Some((found, format!("{} at {found}", partner.partner), partner)),
        Err(why) => {
            notes.add_unresolved(&at.span, why.to_string());
            None
        }
    }
}

/// A step of a conversation. Returns `None` after an error, which has been noted.
pub(super) fn step(
    node: &Node,
    names: &TemplateNames<'_>,
    targets: &TargetList<'_>,
    notes: &mut MistakeList<'_>,
) -> Option<RequestStep> {
    super::step::refuse_of_terminals(node, notes);
    let foreign = [
        "headers",
        "body",
        "body_file",
        "status",
        "receive_from",
        "frame",
        "write_pause",
    ];
    for key in foreign {
        if let Some(other) = node.get(key) {
            let text = format!("`{key}` does not belong to a conversation's step");
            notes.add(&other.span, text);
        }
    }
    let ebcdic = node.bool("ebcdic").unwrap_or(false);
    let (body, translated) = match (node.text("send"), node.text("send_hex")) {
        (Some((text, at)), None) => (pieces(text, at, names, notes)?, ebcdic),
        (None, Some((digits, at))) => match hex(digits) {
            Some(bytes) => (vec![TemplatePiece::Bytes(bytes.into())], false),
            None => {
                notes.add(&at.span, "`send_hex` must be pairs of hexadecimal digits");
                return None;
            }
        },
        (None, None) => (Vec::new(), ebcdic),
        (Some(_), Some((_, at))) => {
            notes.add(&at.span, "give either `send` or `send_hex`");
            return None;
        }
    };
    let bytes = node.get("bytes").and_then(|node| match node.as_text() {
        Some(text) => parse_size(text).ok(),
        None => node.as_number().map(|n| n as usize),
    });
    if let (Some(bytes), Some(at)) = (bytes, node.get("bytes"))
        && bytes > MOST_BYTES
    {
        notes.add(
            &at.span,
            format!("a step can send at most {MOST_BYTES} bytes"),
        );
        return None;
    }
    let reply = match (node.bool("confirm"), node.bool("reply")) {
        (Some(true), None) => ReplyEnd::Confirmation,
        (Some(true), Some(_)) => {
            let text = "give either `confirm` or `reply`";
            notes.add(&node.span, text);
            return None;
        }
        (_, Some(false)) => ReplyEnd::None,
        _ => ReplyEnd::Turn { ebcdic },
    };
    let target = targets.partner??;
    let partner = crate::appc::partner_of(&targets.list[target])?;
    if reply == ReplyEnd::Confirmation && partner.sync == SyncLevel::None {
        notes.add(&node.span, "`confirm` requires sync level confirm");
    }
    let template = RequestTemplate::Plain {
        body: body.into(),
        bytes,
        ebcdic: translated,
    };
    let name = node.text("name").map_or(partner.tp.as_str(), |n| n.0);
    Some(RequestStep {
        name: name.to_owned(),
        target,
        reply_target: target,
        request: template.simplified(),
        writes: writes(node),
        reply,
        checks: Vec::new(),
        captures: Vec::new(),
        think: None,
    })
}

/// The return codes that a step accepts.
pub(super) fn code_check(node: &Node) -> AnswerCheck {
    let codes = node.list("return_code").iter();
    let mut codes: Vec<(u16, u16)> = codes
        .filter_map(|n| match n.value {
            TreeValue::Integer(code) => u16::try_from(code).ok().map(|c| (c, c)),
            _ => None,
        })
        .collect();
    if codes.is_empty() {
        codes = crate::appc::USUAL_CODES.to_vec();
    }
    AnswerCheck::Status(codes.into())
}

/// The maximum size of a client's request.
const MOST_BYTES: usize = 64 << 20;
