//! Copybooks for programs that call an API: for each operation its
//! information block (`PREFIXnnI01`), request (`Q01`) and response (`P01`).
//!
//! Reference: z/OS Connect, "Generating the language structures for an API
//! requester"; public samples.

use super::operation::RequesterOperation;
use super::{CallInterface, read};
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::openapi::Document;
use crate::project::structure::GeneratedCopybook;
use crate::project::{folder_name, keys, read_yaml};
use copybook::CodePage;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// Characters of a line of a comment, which ends at column 72.
const COMMENT: usize = 60;

/// `options.yaml` of a requester.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequesterOptions {
    /// The prefix of copybooks' names, at most 3 characters.
    pub prefix: String,
    /// Characters of a text without `maxLength`.
    pub characters: u64,
    /// Digits after the point of a number without `multipleOf`.
    pub fraction_digits: u32,
}

impl Default for RequesterOptions {
    fn default() -> Self {
        RequesterOptions {
            prefix: "API".into(),
            characters: 255,
            fraction_digits: 2,
        }
    }
}

impl RequesterOptions {
    pub(super) fn read(file: &Path, out: &mut ProjectDiagnostics) -> Option<RequesterOptions> {
        let node = read_yaml(file, out)?;
        keys::check(keys::ProjectFile::Requester, file, &node, out);
        let usual = RequesterOptions::default();
        let text = |name: &str| node.get(name).and_then(|n| n.text()).map(str::trim);
        Some(RequesterOptions {
            prefix: text("requesterPrefix").unwrap_or(&usual.prefix).to_owned(),
            characters: text("defaultCharacterMaxLength")
                .and_then(|n| n.parse().ok())
                .unwrap_or(usual.characters),
            fraction_digits: text("defaultFractionDigits")
                .and_then(|n| n.parse().ok())
                .unwrap_or(usual.fraction_digits),
        })
    }
}

/// The name of an API: the title of its document, without blanks.
pub(super) fn api_name(document: &Document) -> String {
    let title = document.json.pointer("/info/title").and_then(Value::as_str);
    let title = title.unwrap_or("api");
    title.split_whitespace().collect()
}

/// The name that z/OS Connect EE's build toolkit gives an API: its title with
/// hyphens for blanks, and its version.
pub(super) fn toolkit_name(document: &Document) -> String {
    let text = |pointer: &str| {
        let text = document.json.pointer(pointer).and_then(Value::as_str);
        text.unwrap_or_default().trim().to_owned()
    };
    let title = text("/info/title").replace(' ', "-");
    format!("{title}_{}", text("/info/version"))
}

/// Makes the copybooks of all operations of the API in `folder`; `prefix` counts
/// before that of its options.
///
/// # Errors Unreadable input, and operations whose schemas have no rule, if
/// none has one; otherwise these are notes.
pub fn requester_copybooks(
    folder: &Path,
    calling: CallInterface,
    prefix: Option<&str>,
) -> Result<(Vec<GeneratedCopybook>, ProjectDiagnostics), ProjectDiagnostics> {
    let mut out = ProjectDiagnostics::default();
    let Some((document, options)) = read(folder, &mut out) else {
        return Err(out);
    };
    let api = api_name(&document);
    let prefix = prefix.unwrap_or(&options.prefix);
    let mut all = Vec::new();
    for (number, object) in document.operations().iter().enumerate() {
        let operation =
            RequesterOperation::new(&document, object, options.limits(), CodePage::ascii());
        let stem = format!("{prefix}{number:02}");
        let sides = [("Q01", true), ("P01", false)].map(|(letter, request)| {
            let name = format!("{stem}{letter}");
            let made = operation.structures(calling, request, &name);
            made.map(|(structures, text)| {
                let empty = structures.base_bytes() == 0;
                let text = comments(operation.left_out(request)) + &text;
                (!empty).then_some(GeneratedCopybook { name, text })
            })
        });
        let place = format!("{} {}", operation.method, operation.path);
        match sides {
            [Ok(request), Ok(response)] => {
                let left_out = [true, false]
                    .map(|request| operation.left_out(request))
                    .concat();
                if let [first, others @ ..] = &left_out[..] {
                    let more = match others.len() {
                        0 => String::new(),
                        n => format!(", and {n} more (in the copybooks)"),
                    };
                    let at = document.at(&["paths", object.path, object.method]);
                    let message = format!("{place} lacks some fields: {first}{more}");
                    out.warn(&document.file, at, message);
                }
                all.push(information(&stem, &api, object, &operation, calling));
                all.extend(request);
                all.extend(response);
            }
            [request, response] => {
                for why in [request.err(), response.err()].into_iter().flatten() {
                    let at = document.at(&["paths", object.path, object.method]);
                    let message = format!("{place} has no copybooks: {why}");
                    out.warn(&document.file, at, message);
                }
            }
        }
    }
    if all.is_empty() {
        let message = "no operation has copybooks";
        out.error(&document.file, FilePosition::default(), message);
        return Err(out);
    }
    Ok((all, out))
}

/// The block that names the called operation.
fn information(
    stem: &str,
    api: &str,
    object: &crate::openapi::OperationObject<'_>,
    operation: &RequesterOperation,
    calling: CallInterface,
) -> GeneratedCopybook {
    let id = object.object.get("operationId").and_then(Value::as_str);
    let path = folder_name(object.path);
    let name = format!("{stem}I01");
    let mut text = String::new();
    let mut field = |name: &str, value: &str| {
        let _ = write!(
            text,
            "           03 {name:<28} PIC X(255)\n              VALUE '{}'.\n           \
             03 {:<28} PIC 9(9) COMP-5 SYNC\n              VALUE {}.\n",
            cut(value),
            format!("{name}-LEN"),
            cut(value).trim_end().len()
        );
    };
    match calling {
        CallInterface::Stub => {
            field("BAQ-APINAME", api);
            field("BAQ-APIPATH", &path);
            field("BAQ-APIMETHOD", &operation.method);
        }
        CallInterface::HostApi => {
            field("BAQ-API-NAME", api);
            field("BAQ-API-PATH", &path);
            field("BAQ-API-METHOD", &operation.method);
            field("BAQ-API-OPERATION", id.unwrap_or(" "));
            field("BAQ-API-MEDIA-TYPE", operation.media());
        }
    }
    if calling == CallInterface::HostApi {
        let mut head = format!("       01 BAQ-API-INFO-{name}.\n");
        let _ = writeln!(
            head,
            "           03 BAQ-API-INFO-EYE             PIC X(4) VALUE 'BAQA'."
        );
        for (item, value) in [("LENGTH", 1311), ("VERSION", 2), ("RESERVED01", 0)] {
            let _ = writeln!(
                head,
                "           03 {:<28} PIC 9(9) COMP-5 SYNC\n              VALUE {value}.",
                format!("BAQ-API-INFO-{item}")
            );
        }
        text.insert_str(0, &head);
    }
    GeneratedCopybook { name, text }
}

/// The left-out parts of a structure, as comments of its copybook.
fn comments(left_out: &[String]) -> String {
    let mut text = String::new();
    for why in left_out {
        let plain = why.replace(|c: char| c.is_control() || !c.is_ascii(), "?");
        let (first, mut rest) = first_line(&plain);
        let _ = writeln!(text, "      * {first}");
        while !rest.is_empty() {
            let (line, after) = first_line(rest);
            let _ = writeln!(text, "      *   {line}");
            rest = after;
        }
    }
    text
}

/// What fits in a line of a comment, up to a blank if there is one, and the rest of
/// a text in ASCII.
fn first_line(text: &str) -> (&str, &str) {
    if text.len() <= COMMENT {
        return (text, "");
    }
    let (line, rest) = match text[..=COMMENT].rfind(' ') {
        Some(blank) if blank > 0 => text.split_at(blank),
        _ => text.split_at(COMMENT),
    };
    (line, rest.trim_start())
}

/// A literal that a line holds, and that has no quote in it.
fn cut(value: &str) -> String {
    let plain = value.chars().filter(|c| *c != '\'' && !c.is_control());
    plain.take(48).collect()
}
