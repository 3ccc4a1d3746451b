//! Whole texts after COPY and REPLACE, for who needs more than data
//! descriptions.
//!
//! The translator of programs works on the same pieces as the parser of
//! copybooks, so that a COPY statement means the same to both.

use crate::diagnostic::Diagnostics;

use super::{CopyResolver, LineOptions, ReferenceFormat, TextPiece, expand, read};

/// A text with its members.
#[derive(Debug, Clone)]
pub struct PreprocessedText {
    /// Everything but comments, listing statements and compiler options. COPY and
    /// REPLACE have been carried out, and what they put in is at the place of its
    /// own file, replaced text at the place of what it replaced.
    pub pieces: Vec<TextPiece>,
    /// What is wrong with the text's lines and its COPY and REPLACE
    /// statements, and the files: the text first, then its members in the
    /// order of their first use.
    pub diagnostics: Diagnostics,
}

/// Reads `text` with its COPY members. `name` is what diagnostics call it.
///
/// `COPY` and `REPLACE` in an `EXEC` block are words of the command, but
/// `EXEC SQL INCLUDE` brings in its member.
pub fn preprocess(
    name: &str,
    text: &str,
    format: ReferenceFormat,
    resolver: &dyn CopyResolver,
) -> PreprocessedText {
    let mut diagnostics = Diagnostics::default();
    let file = diagnostics.add_file(name, text);
    let lines = lines_of(text, format);
    let pieces = read(text, file, lines, &mut diagnostics);
    let pieces = expand(pieces, lines, resolver, &mut diagnostics);
    PreprocessedText {
        pieces,
        diagnostics,
    }
}

/// How the lines of a text and of its members are to be read: members are in
/// the format of the text unless they look different, and follow its
/// `WITH DEBUGGING MODE`.
pub(crate) fn lines_of(text: &str, format: ReferenceFormat) -> LineOptions {
    LineOptions {
        format,
        otherwise: ReferenceFormat::detect(text),
        debugging: has_debugging_mode(text),
    }
}

/// `WITH DEBUGGING MODE` makes debugging lines program text.
fn has_debugging_mode(text: &str) -> bool {
    text.lines().any(|line| {
        let upper = line.to_ascii_uppercase();
        !matches!(line.as_bytes().get(6), Some(b'*' | b'/'))
            && upper
                .find("DEBUGGING")
                .is_some_and(|at| upper[at + 9..].trim_start().starts_with("MODE"))
    })
}
