//! Parses templates: text with `{{…}}` holes.

use crate::feeder::Feeder;
use crate::message::{TemplatePiece, TemplateVariable};
use std::sync::Arc;

/// The names that a template may refer to.
pub(super) struct TemplateNames<'a> {
    pub feeders: &'a [Arc<Feeder>],
    /// Names captured by earlier steps; the position is the slot.
    pub captured: &'a [String],
}

/// The contents of a hole and its value, for the reference page.
pub(super) const HOLES: &[(&str, &str)] = &[
    (
        "feeder.column",
        "The column of the feeder's row for this iteration. Random rows depend only on the seed, the client and the iteration; sequential rows are assigned in the order in which iterations begin.",
    ),
    (
        "name",
        "The value that an earlier step of the iteration captured under this name.",
    ),
    ("client", "The client's number in its population, from 0."),
    ("iteration", "The client's iteration, from 0."),
    (
        "random LOW HIGH",
        "A whole number between the two, both included.",
    ),
    ("uuid", "A random UUID."),
    ("now_ms", "Milliseconds since 1970."),
    (
        "\"text\"",
        "The literal text: `{{\"{{\"}}` gives two braces, `{{\"$\"}}{x}` gives `${x}`.",
    ),
];

/// The message about an invalid hole, and the remedy.
pub(super) type InvalidHole = (String, Option<String>);

/// Parses a template. The errors describe each invalid hole. A hole with quoted
/// text is that text, so that braces can be written too.
pub(super) fn parse(
    text: &str,
    names: &TemplateNames<'_>,
) -> Result<Vec<TemplatePiece>, Vec<InvalidHole>> {
    let mut pieces = Vec::new();
    let mut errors = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        push_text(&mut pieces, &rest[..at]);
        let tail = &rest[at + 2..];
        let Some(end) = tail.find("}}") else {
            errors.push(("`{{` without `}}`".to_owned(), None));
            rest = "";
            break;
        };
        let name = tail[..end].trim();
        let literal = name.strip_prefix('"').and_then(|n| n.strip_suffix('"'));
        if let Some(literal) = literal {
            push_text(&mut pieces, literal);
            rest = &tail[end + 2..];
            continue;
        }
        match variable(name, names) {
            Ok(var) => pieces.push(TemplatePiece::Var(var)),
            Err(why) => errors.push(why),
        }
        rest = &tail[end + 2..];
    }
    push_text(&mut pieces, rest);
    if errors.is_empty() {
        Ok(pieces)
    } else {
        Err(errors)
    }
}

fn push_text(pieces: &mut Vec<TemplatePiece>, text: &str) {
    if !text.is_empty() {
        pieces.push(TemplatePiece::Bytes(text.as_bytes().into()));
    }
}

fn variable(name: &str, names: &TemplateNames<'_>) -> Result<TemplateVariable, InvalidHole> {
    let words: Vec<&str> = name.split_whitespace().collect();
    match words[..] {
        ["client"] => return Ok(TemplateVariable::Client),
        ["iteration"] => return Ok(TemplateVariable::Iteration),
        ["uuid"] => return Ok(TemplateVariable::Uuid),
        ["now_ms"] => return Ok(TemplateVariable::NowMs),
        ["random", low, high] => {
            let ends = (low.parse(), high.parse());
            return match ends {
                (Ok(low), Ok(high)) if low <= high => Ok(TemplateVariable::Random(low, high)),
                _ => {
                    let message = format!("`{name}`: write random LOW HIGH with whole numbers");
                    Err((message, None))
                }
            };
        }
        _ => {}
    }
    if let Some(slot) = names.captured.iter().position(|c| c == name) {
        return Ok(TemplateVariable::Captured(slot));
    }
    if let Some((feeder, column)) = name.split_once('.') {
        if let Some(index) = names.feeders.iter().position(|f| f.name == feeder) {
            let found = names.feeders[index].column(column);
            return match found {
                Some(column) => Ok(TemplateVariable::Feeder {
                    feeder: index,
                    column,
                }),
                None => {
                    let columns = names.feeders[index].columns();
                    let help = base::suggestion_or_all(column, &columns, "it has");
                    let message = format!("the feeder `{feeder}` has no column `{column}`");
                    Err((message, Some(help)))
                }
            };
        }
        let help = base::suggestion(feeder, names.feeders.iter().map(|f| &*f.name));
        return Err((format!("there is no feeder named `{feeder}`"), help));
    }
    let message = format!("`{name}` is not a value, and no earlier step captures it");
    let known = VALUES
        .into_iter()
        .chain(names.captured.iter().map(String::as_str));
    let help = base::suggestion(name, known).unwrap_or_else(|| {
        "values are client, iteration, uuid, now_ms, random LOW HIGH; literal braces are written `{{\"{{\"}}`".to_owned()
    });
    Err((message, Some(help)))
}

/// Values that every template has.
const VALUES: [&str; 4] = ["client", "iteration", "uuid", "now_ms"];
