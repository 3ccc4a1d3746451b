//! Writes tokens as preprocessed COBOL whose lines know where they came from.

use crate::source::{SourceFiles, SourcePlace, encode};
use crate::token::Token;

/// Empty lines that are written rather than a `#line`.
const NEAR: u32 = 4;

/// Collects the text for the compiler.
pub(crate) struct Writer<'a> {
    files: &'a SourceFiles,
    out: String,
    /// File and line of the text that is being written.
    here: Option<(u16, u32)>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(files: &'a SourceFiles) -> Self {
        Writer {
            files,
            out: String::new(),
            here: None,
        }
    }

    /// Writes a token on its own line of its own file; one that had no blank
    /// before it follows what was written last.
    pub(crate) fn token(&mut self, token: &Token) {
        if token.spaced || self.here.is_none() {
            self.go_to(token.place);
            self.out.push(' ');
        }
        self.out.push_str(&token.text);
    }

    /// Writes generated text as if it were at a place.
    pub(crate) fn generated(&mut self, text: &str, at: SourcePlace) {
        self.go_to(at);
        self.out.push(' ');
        self.out.push_str(text);
    }

    fn go_to(&mut self, place: SourcePlace) {
        match self.here {
            Some((file, line)) if (file, line) == (place.file, place.line) => return,
            Some((file, line))
                if file == place.file && line < place.line && place.line - line <= NEAR =>
            {
                for _ in line..place.line {
                    self.out.push('\n');
                }
            }
            before => {
                if before.is_some() {
                    self.out.push('\n');
                }
                let path = self
                    .files
                    .path(place.file)
                    .to_string_lossy()
                    .replace('"', "'");
                self.out
                    .push_str(&format!("#line {} \"{path}\"\n", place.line));
            }
        }
        self.here = Some((place.file, place.line));
    }

    /// The text as bytes.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.out.push('\n');
        encode(&self.out)
    }
}

/// Tokens as one line of text.
pub(crate) fn inline(tokens: &[Token]) -> String {
    let mut text = String::new();
    for (i, t) in tokens.iter().enumerate() {
        if i > 0 && t.spaced {
            text.push(' ');
        }
        text.push_str(&t.text);
    }
    text
}
