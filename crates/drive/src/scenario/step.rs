//! Steps of a population: HTTP requests and messages on raw sockets.

use super::build::think;
use super::request::TargetList;
use super::template::{self, TemplateNames};
use super::tree::{MistakeList, Node, TreeValue};
use crate::feeder::Feeder;
use crate::load::http_request;
use crate::message::{
    AnswerCheck, CaptureFrom, MessageFraming, ReplyEnd, RequestTemplate, TemplatePiece,
    TemplateVariable, ValueCapture, forbidden_in_header, forbidden_name,
};
use crate::plan::{RequestStep, WritePattern};
use regex::bytes::Regex;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// All valid steps; errors of the others have been noted.
pub(super) fn steps(
    population: &Node,
    folder: &Path,
    feeders: &[Arc<Feeder>],
    targets: &mut TargetList<'_>,
    notes: &mut MistakeList<'_>,
) -> Vec<RequestStep> {
    let mut captured: Vec<String> = Vec::new();
    let mut steps = Vec::new();
    for node in population.list("step") {
        let names = TemplateNames {
            feeders,
            captured: &captured,
        };
        let built = match (node.get("request"), node.get("socket")) {
            (None, None) if targets.terminal.is_some() => {
                super::terminal::step(node, &names, targets, notes)
            }
            _ if targets.terminal.is_some() => {
                notes.add(
                    &node.span,
                    "a population with `terminal` can have screen steps only",
                );
                None
            }
            (None, None) if targets.partner.is_some() => {
                super::appc::step(node, &names, targets, notes)
            }
            (Some(_), None) | (None, Some(_)) if targets.partner.is_some() => {
                notes.add(
                    &node.span,
                    "a population with `appc` can have conversation steps only",
                );
                None
            }
            (Some(_), None) => http(node, folder, &names, targets, notes),
            (None, Some(_)) => raw(node, &names, targets, notes),
            _ => {
                notes.add(&node.span, "a step needs either `request` or `socket`");
                None
            }
        };
        let captures = captures(node, &mut captured, notes);
        let mut checks = checks(node, notes);
        if targets.partner.is_some() {
            checks.push(super::appc::code_check(node));
        }
        let think = think(node, folder, notes);
        if let Some(mut step) = built {
            step.captures = captures;
            step.checks = checks;
            step.think = think;
            steps.push(step);
        }
    }
    if population
        .get("step")
        .is_some_and(|s| s.as_list().is_empty())
    {
        notes.add(&population.span, "a population needs at least one step");
    }
    steps
}

fn http(
    node: &Node,
    folder: &Path,
    names: &TemplateNames<'_>,
    targets: &mut TargetList<'_>,
    notes: &mut MistakeList<'_>,
) -> Option<RequestStep> {
    refuse_of_conversations(node, notes);
    for key in ["send", "send_hex", "receive_from", "frame", "reply"] {
        if let Some(other) = node.get(key) {
            notes.add(
                &other.span,
                format!("`{key}` can be used only with `socket`, not with `request`"),
            );
        }
    }
    // Every part is read before the first error ends the step.
    let headers = headers(node, names, notes);
    let body = body(node, folder, names, notes);
    let (text, at) = node.text("request")?;
    let Some((method, address)) = text.split_once(' ') else {
        notes.add(
            &at.span,
            "write the method and the path, for example `GET /accounts`",
        );
        return None;
    };
    let url = match targets.url(address.trim()) {
        Ok(url) => url,
        Err(why) => {
            notes.add(&at.span, why);
            return None;
        }
    };
    let target = targets.http(&url, at, notes);
    let path = pieces(&url.path, at, names, notes);
    let (headers, body) = (headers?, body?);
    let (target, path) = (target?, path?);
    let keep_alive = targets.list[target].keep_alive;
    let headers = headers.into_iter();
    match http_request(method, path, &url.authority(), headers, body, keep_alive) {
        Ok(request) => Some(RequestStep {
            name: node.text("name").map_or(text, |(name, _)| name).to_owned(),
            target,
            reply_target: target,
            request,
            writes: writes(node),
            reply: ReplyEnd::Http {
                no_body: method == "HEAD",
            },
            checks: Vec::new(),
            captures: Vec::new(),
            think: None,
        }),
        Err(why) => {
            notes.add(&at.span, why.to_string());
            None
        }
    }
}

fn refuse_of_conversations(node: &Node, notes: &mut MistakeList<'_>) {
    for key in ["confirm", "bytes", "ebcdic", "return_code"] {
        if let Some(other) = node.get(key) {
            notes.add(
                &other.span,
                format!("`{key}` can be used only in an `appc` population"),
            );
        }
    }
    refuse_of_terminals(node, notes);
}

pub(super) fn refuse_of_terminals(node: &Node, notes: &mut MistakeList<'_>) {
    for key in ["fields", "type", "cursor", "key", "wait_for"] {
        if let Some(other) = node.get(key) {
            notes.add(
                &other.span,
                format!("`{key}` can be used only in a `terminal` population"),
            );
        }
    }
}

fn headers<'a>(
    node: &'a Node,
    names: &TemplateNames<'_>,
    notes: &mut MistakeList<'_>,
) -> Option<Vec<(&'a str, Vec<TemplatePiece>)>> {
    let entries = node.get("headers").map_or(&[][..], Node::entries);
    let read: Vec<_> = entries
        .iter()
        .map(|entry| {
            let value = entry.node.as_text().unwrap_or_default();
            let value = pieces(value, &entry.node, names, notes)?;
            refuse_line_ends(&entry.key, &value, &entry.node, names, notes);
            Some((entry.key.as_str(), value))
        })
        .collect();
    read.into_iter().collect()
}

/// Notes each column of a feeder whose values would end the header that uses it.
fn refuse_line_ends(
    header: &str,
    value: &[TemplatePiece],
    at: &Node,
    names: &TemplateNames<'_>,
    notes: &mut MistakeList<'_>,
) {
    for piece in value {
        let TemplatePiece::Var(TemplateVariable::Feeder { feeder, column }) = piece else {
            continue;
        };
        let feeder = &names.feeders[*feeder];
        if let Some((row, byte)) = feeder.find_in_column(*column, forbidden_in_header) {
            let why = format!(
                "feeder `{}`, row {}, column `{}`: the value contains {}, which is not allowed in the header {header}",
                feeder.name,
                row + 1,
                feeder.columns()[*column],
                forbidden_name(byte),
            );
            notes.add(&at.span, why);
        }
    }
}

fn body(
    node: &Node,
    folder: &Path,
    names: &TemplateNames<'_>,
    notes: &mut MistakeList<'_>,
) -> Option<Vec<TemplatePiece>> {
    match (node.text("body"), node.text("body_file")) {
        (Some((text, at)), None) => pieces(text, at, names, notes),
        (None, Some((file, at))) => match fs::read(folder.join(file)) {
            // Binary data has no templates and is sent unchanged.
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => pieces(&text, at, names, notes),
                Err(binary) => Some(vec![TemplatePiece::Bytes(binary.into_bytes().into())]),
            },
            Err(error) => {
                notes.add(&at.span, format!("{file}: {error}"));
                None
            }
        },
        (None, None) => Some(Vec::new()),
        (Some(_), Some((_, at))) => {
            notes.add(&at.span, "give either `body` or `body_file`");
            None
        }
    }
}

fn raw(
    node: &Node,
    names: &TemplateNames<'_>,
    targets: &mut TargetList<'_>,
    notes: &mut MistakeList<'_>,
) -> Option<RequestStep> {
    refuse_of_conversations(node, notes);
    for key in ["headers", "body", "body_file", "status"] {
        if let Some(other) = node.get(key) {
            notes.add(
                &other.span,
                format!("`{key}` can be used only with `request`, not with `socket`"),
            );
        }
    }
    let socket = |key: &str, notes: &mut MistakeList<'_>| {
        let (name, at) = node.text(key)?;
        targets.socket(name).unwrap_or_else(|why| {
            notes.add(&at.span, why);
            None
        })
    };
    let target = socket("socket", notes);
    let reply_target = match node.get("receive_from") {
        Some(_) => socket("receive_from", notes),
        None => target,
    };
    let body = match (node.text("send"), node.text("send_hex")) {
        (Some((text, at)), None) => pieces(text, at, names, notes)?,
        (None, Some((digits, at))) => match hex(digits) {
            Some(bytes) => vec![TemplatePiece::Bytes(bytes.into())],
            None => {
                notes.add(&at.span, "`send_hex` must be pairs of hexadecimal digits");
                return None;
            }
        },
        _ => {
            notes.add(
                &node.span,
                "a step on a socket needs either `send` or `send_hex`",
            );
            return None;
        }
    };
    let Some(framing) = framing(node, notes) else {
        if node.get("frame").is_none() {
            notes.add(&node.span, "a step on a socket needs `frame`");
        }
        return None;
    };
    let fixed = body.iter().map(|piece| match piece {
        TemplatePiece::Bytes(bytes) => bytes.len(),
        _ => 0,
    });
    if let Some(most) = framing
        .longest()
        .filter(|most| fixed.sum::<usize>() > *most)
    {
        notes.add(
            &node.span,
            format!("the message does not fit its frame, which ends at {most} bytes"),
        );
        return None;
    }
    let (target, reply_target) = (target?, reply_target?);
    let request = RequestTemplate::Message {
        body: body.into(),
        framing: framing.clone(),
    };
    let name = node.text("name").or(node.text("socket"))?.0;
    Some(RequestStep {
        name: name.to_owned(),
        target,
        reply_target,
        request: request.simplified(),
        writes: writes(node),
        reply: match node.bool("reply") {
            Some(false) => ReplyEnd::None,
            _ => ReplyEnd::Framed(framing),
        },
        checks: Vec::new(),
        captures: Vec::new(),
        think: None,
    })
}

pub(super) fn pieces(
    text: &str,
    at: &Node,
    names: &TemplateNames<'_>,
    notes: &mut MistakeList<'_>,
) -> Option<Vec<TemplatePiece>> {
    match template::parse(text, names) {
        Ok(pieces) => Some(pieces),
        Err(errors) => {
            for (message, help) in errors {
                notes.add_with(&at.span, message, help);
            }
            None
        }
    }
}

pub(super) fn writes(node: &Node) -> WritePattern {
    let sizes = node.list("writes").iter().filter_map(|n| match n.value {
        TreeValue::Integer(size) => usize::try_from(size).ok(),
        _ => None,
    });
    WritePattern {
        sizes: sizes.collect(),
        pause_ns: node.duration_ns("write_pause").unwrap_or(0),
    }
}

fn framing(node: &Node, notes: &mut MistakeList<'_>) -> Option<MessageFraming> {
    let frame = node.get("frame")?;
    let mut found = Vec::new();
    if let Some(bytes) = frame.integer("length") {
        if !matches!(bytes, 1 | 2 | 4 | 8) {
            notes.add(&frame.span, "`length` must be 1, 2, 4 or 8 bytes");
            return None;
        }
        found.push(MessageFraming::Length {
            bytes: bytes as usize,
            inclusive: frame.bool("inclusive").unwrap_or(false),
        });
    }
    if let Some((text, _)) = frame.text("delimiter") {
        if text.is_empty() {
            notes.add(&frame.span, "`delimiter` must not be empty");
            return None;
        }
        found.push(MessageFraming::Delimiter(text.as_bytes().into()));
    }
    if let Some(size) = frame.integer("fixed") {
        found.push(MessageFraming::Fixed(size as usize));
    }
    if frame.bool("close") == Some(true) {
        found.push(MessageFraming::Close);
    }
    if found.len() != 1 {
        notes.add(
            &frame.span,
            "`frame` needs exactly one of length, delimiter, fixed, close",
        );
        return None;
    }
    found.pop()
}

fn checks(node: &Node, notes: &mut MistakeList<'_>) -> Vec<AnswerCheck> {
    let mut checks = Vec::new();
    let mut ranges = Vec::new();
    for status in node.list("status") {
        match &status.value {
            TreeValue::Integer(code) => ranges.push((*code as u16, *code as u16)),
            TreeValue::Text(text) => match class(text) {
                Some(range) => ranges.push(range),
                None => notes.add(
                    &status.span,
                    "a status must be a number such as 200 or a class such as \"2xx\"",
                ),
            },
            _ => {}
        }
    }
    if node.get("request").is_some() {
        if ranges.is_empty() {
            ranges.push((100, 399));
        }
        checks.push(AnswerCheck::Status(ranges.into()));
    }
    if let Some((text, _)) = node.text("contains") {
        checks.push(AnswerCheck::Contains(text.as_bytes().into()));
    }
    if let Some((text, at)) = node.text("matches") {
        checks.extend(regex(text, at, notes).map(AnswerCheck::Matches));
    }
    if let Some(size) = node.integer("size") {
        checks.push(AnswerCheck::Size(size, size));
    }
    checks
}

fn class(text: &str) -> Option<(u16, u16)> {
    let digit = text.strip_suffix("xx")?.parse::<u16>().ok()?;
    (1..=5)
        .contains(&digit)
        .then_some((digit * 100, digit * 100 + 99))
}

fn captures(
    node: &Node,
    captured: &mut Vec<String>,
    notes: &mut MistakeList<'_>,
) -> Vec<ValueCapture> {
    let mut captures = Vec::new();
    for entry in node.get("capture").map_or(&[][..], Node::entries) {
        let from = match entry.node.entries() {
            [one] => one.node.as_text().and_then(|text| match one.key.as_str() {
                "json" if !text.is_empty() && !text.starts_with('/') => {
                    let why = format!(
                        "a JSON Pointer begins with `/`, as in `/{text}`, or is empty for the whole body"
                    );
                    notes.add(&one.node.span, why);
                    None
                }
                "json" => Some(CaptureFrom::Json(text.to_owned())),
                "header" => Some(CaptureFrom::Header(text.to_owned())),
                "regex" => regex(text, &one.node, notes).map(CaptureFrom::Regex),
                _ => None,
            }),
            _ => {
                notes.add(
                    &entry.span,
                    "a capture needs exactly one of json, header, regex",
                );
                None
            }
        };
        // The name counts as known even if its source is invalid, so that
        // its uses are not reported as further mistakes.
        let known = captured.iter().position(|c| *c == entry.key);
        let slot = known.unwrap_or_else(|| {
            captured.push(entry.key.clone());
            captured.len() - 1
        });
        captures.extend(from.map(|from| ValueCapture { slot, from }));
    }
    captures
}

fn regex(text: &str, at: &Node, notes: &mut MistakeList<'_>) -> Option<Regex> {
    match Regex::new(text) {
        Ok(regex) => Some(regex),
        Err(error) => {
            let last = error.to_string();
            let why = last.lines().last().unwrap_or_default().to_owned();
            notes.add(&at.span, format!("not a regular expression: {why}"));
            None
        }
    }
}

pub(super) fn hex(digits: &str) -> Option<Vec<u8>> {
    let digits: String = digits.split_ascii_whitespace().collect();
    base::hex::bytes(&digits)
}
