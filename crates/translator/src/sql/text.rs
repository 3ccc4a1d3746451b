//! The text of a statement and the place of each of its parts in the source.

use crate::source::SourcePlace;
use crate::token::Token;

/// The text between EXEC SQL and END-EXEC.
#[derive(Debug, Clone, Default)]
pub(crate) struct SqlText {
    /// The text; lines end where those of the source do.
    pub text: String,
    /// Offset of each token, and its place.
    marks: Vec<(usize, SourcePlace)>,
    start: SourcePlace,
}

impl SqlText {
    /// Joins the tokens as they stood: a comment ends with its line.
    pub(crate) fn of(tokens: &[Token], start: SourcePlace) -> SqlText {
        let mut out = SqlText {
            start,
            ..SqlText::default()
        };
        let mut line = None;
        for (at, token) in tokens.iter().enumerate() {
            let here = (token.place.file, token.place.line);
            if line.is_some_and(|l| l != here) {
                out.text.push('\n');
            } else if token.spaced && line.is_some() {
                out.text.push(' ');
            }
            line = Some(here);
            out.marks.push((out.text.len(), token.place));
            // A not sign of UTF-8 is two characters here.
            let next_is_not = tokens.get(at + 1).is_some_and(|t| t.text.starts_with('¬'));
            let text = token.text.replace("Â¬", "¬");
            let text = match text.strip_suffix('Â') {
                Some(rest) if next_is_not => rest,
                _ => &text,
            };
            out.text.push_str(text);
        }
        out
    }

    /// Whether a place is in a comment of SQL, where a quote means nothing.
    pub(crate) fn is_comment(&self, line: u32, column: u32) -> bool {
        let mark = self
            .marks
            .iter()
            .find(|(_, p)| p.line == line && p.column == column);
        let Some((offset, _)) = mark else {
            return false;
        };
        let before = &self.text[..*offset];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        before[start..].contains("--")
    }

    /// The place of an offset.
    pub(crate) fn place(&self, at: usize) -> SourcePlace {
        let after = self.marks.partition_point(|(offset, _)| *offset <= at);
        let Some((offset, place)) = after.checked_sub(1).and_then(|i| self.marks.get(i)) else {
            return self.start;
        };
        let more = u32::try_from(at - offset).unwrap_or(0);
        SourcePlace {
            column: place.column.saturating_add(more),
            ..*place
        }
    }
}
