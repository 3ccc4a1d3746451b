//! Statements of the form `VERB KEYWORD(VALUE) KEYWORD(VALUE)`: node
//! definition files of Communications Manager/2 and control language of
//! OS/400.
//!
//! A node definition ends with a semicolon and its comments begin a line with
//! `//` or `*`. A control-language command ends with its line unless that
//! ends in `+` or `-`, has comments in `/* */` and may follow a label.
//!
//! Reference: Communications Manager/2 CMVERIFY.TXT (format of a node
//! definitions file); OS/400 CL Programming, command syntax.

use super::statement::{KeywordOperand, ParsedStatements, Statement, unquote};
use crate::document::LineColumn;

/// The end of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementEnd {
    /// A semicolon: node definitions.
    Semicolon,
    /// The end of the line: control language.
    Line,
}

/// Reads a text.
pub fn read(text: &str, end: StatementEnd) -> ParsedStatements {
    let mut found = ParsedStatements::default();
    let chars = characters(text, end, &mut found);
    let mut scan = Scan { chars, at: 0 };
    while scan.skip_to_statement() {
        scan.statement(&mut found);
    }
    found
}

/// A character with its place; `END` where a statement ends.
type Char = (char, LineColumn);
const END: char = '\u{0}';

/// The characters without comments and continuation marks.
fn characters(text: &str, end: StatementEnd, found: &mut ParsedStatements) -> Vec<Char> {
    let mut out = Vec::new();
    let mut comment: Option<LineColumn> = None;
    let mut open: Option<LineColumn> = None;
    for (i, line) in text.lines().enumerate() {
        let line = line.trim_end();
        let trimmed = line.trim_start();
        if end == StatementEnd::Semicolon && (trimmed.starts_with("//") || trimmed.starts_with('*'))
        {
            continue;
        }
        let chars: Vec<char> = line.chars().filter(|c| *c != END).collect();
        let mut quoted = false;
        let mut goes_on = false;
        let mut j = 0;
        while j < chars.len() {
            let at = LineColumn::from_zero(i, j);
            let pair = (chars[j], chars.get(j + 1).copied());
            if comment.is_some() {
                if pair == ('*', Some('/')) {
                    comment = None;
                    j += 1;
                }
            } else if end == StatementEnd::Line && !quoted && pair == ('/', Some('*')) {
                comment = Some(at);
                j += 1;
            } else if end == StatementEnd::Line
                && j + 1 == chars.len()
                && matches!(chars[j], '+' | '-')
            {
                goes_on = true;
            } else {
                quoted ^= chars[j] == '\'';
                let c = match (end, chars[j]) {
                    (StatementEnd::Semicolon, ';') if !quoted => END,
                    (_, c) => c,
                };
                out.push((c, at));
            }
            j += 1;
        }
        let at = LineColumn::from_zero(i, chars.len());
        let ends = end == StatementEnd::Line && !goes_on && comment.is_none();
        // A line of a comment alone neither ends nor continues anything.
        if goes_on || !trimmed.is_empty() {
            open = goes_on.then_some(at);
        }
        out.push((if ends { END } else { ' ' }, at));
    }
    if let Some(at) = comment {
        found.warn(at, "the comment is never closed");
    }
    if let Some(at) = open {
        found.warn(at, "the command is continued, but no line follows");
    }
    if end == StatementEnd::Semicolon {
        // The text after the last semicolon is read as well.
        let rest = out
            .iter()
            .rposition(|(c, _)| *c == END)
            .map_or(0, |i| i + 1);
        if let Some((_, at)) = out[rest..].iter().find(|(c, _)| !c.is_whitespace()) {
            found.warn(*at, "the last statement does not end with a semicolon");
        }
    }
    out
}

struct Scan {
    chars: Vec<Char>,
    at: usize,
}

impl Scan {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).map(|(c, _)| *c)
    }

    fn place(&self) -> LineColumn {
        let last = self
            .chars
            .last()
            .map_or_else(LineColumn::default, |(_, at)| *at);
        self.chars.get(self.at).map_or(last, |(_, at)| *at)
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Moves to the next word; false at the end of the text.
    fn skip_to_statement(&mut self) -> bool {
        while self.peek().is_some_and(|c| c.is_whitespace() || c == END) {
            self.at += 1;
        }
        self.at < self.chars.len()
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.peek() {
            if c.is_whitespace() || matches!(c, '(' | ')' | END) {
                break;
            }
            word.push(c);
            self.at += 1;
        }
        word
    }

    fn statement(&mut self, found: &mut ParsedStatements) {
        let mut at = self.place();
        let mut verb = self.word();
        if verb.ends_with(':') {
            self.skip_blanks();
            at = self.place();
            verb = self.word();
        }
        let mut statement = Statement::new(&verb, "", at);
        loop {
            self.skip_blanks();
            match self.peek() {
                None => break,
                Some(END) => {
                    self.at += 1;
                    break;
                }
                Some(')') => {
                    found.warn(
                        self.place(),
                        "a parenthesis is closed that was never opened",
                    );
                    self.at += 1;
                }
                Some(_) => {
                    let operand = self.operand(found);
                    statement.operands.push(operand);
                }
            }
        }
        if !statement.verb.is_empty() || !statement.operands.is_empty() {
            found.statements.push(statement);
        }
    }

    /// `KEYWORD(VALUE)`, or a value alone.
    fn operand(&mut self, found: &mut ParsedStatements) -> KeywordOperand {
        let at = self.place();
        let word = self.word();
        let start = self.at;
        self.skip_blanks();
        if self.peek() != Some('(') {
            self.at = start;
            return KeywordOperand {
                name: String::new(),
                value: unquote(&word).to_owned(),
                at,
            };
        }
        self.at += 1;
        let (mut depth, mut quoted, mut value) = (1u32, false, String::new());
        loop {
            let Some(c) = self.peek() else {
                found.warn(at, format!("{word}: the parenthesis is never closed"));
                break;
            };
            match c {
                END => {
                    found.warn(at, format!("{word}: the parenthesis is never closed"));
                    break;
                }
                '\'' => quoted = !quoted,
                '(' if !quoted => depth += 1,
                ')' if !quoted => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                break;
            }
            value.push(c);
        }
        KeywordOperand {
            name: word.to_ascii_uppercase(),
            value: unquote(&value).to_owned(),
            at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_definition_ends_with_its_semicolon() {
        let text = "// modes\nDEFINE_MODE  MODE_NAME(#BATCH  )\n   COS_NAME(#BATCH  )\n   \
                    RECEIVE_PACING_WINDOW(8);\nSTART_ATTACH_MANAGER;\n";
        let t = read(text, StatementEnd::Semicolon);
        assert_eq!(t.diagnostics, []);
        assert_eq!(t.statements.len(), 2);
        let m = &t.statements[0];
        assert_eq!(m.operand("MODE_NAME").unwrap().value, "#BATCH");
        let w = m.operand("RECEIVE_PACING_WINDOW").unwrap();
        assert_eq!((w.number(), w.at.line, w.at.column), (Some(8), 4, 4));
    }

    #[test]
    fn a_command_ends_with_its_line_unless_it_is_continued() {
        let text = "/* modes */\nMODES: CRTMODD MODD(#BATCH) +\n  INPACING(7) /* in */ TEXT('a (b) -')\n\
                    CHGLINTRN LIND(TRN) MAXFRAME(4060)\n";
        let t = read(text, StatementEnd::Line);
        assert_eq!(t.diagnostics, []);
        assert_eq!(t.statements.len(), 2);
        assert_eq!(t.statements[0].verb, "CRTMODD");
        assert_eq!(t.statements[0].operand("TEXT").unwrap().value, "a (b) -");
        assert_eq!(
            t.statements[1].operand("MAXFRAME").unwrap().number(),
            Some(4060)
        );
    }

    #[test]
    fn an_unclosed_value_is_reported_and_ends_with_its_statement() {
        let t = read(
            "CRTMODD MODD(#BATCH\nCRTMODD MODD(X) )\n",
            StatementEnd::Line,
        );
        assert_eq!((t.statements.len(), t.diagnostics.len()), (2, 2));
        for (text, end) in [
            ("/* open", StatementEnd::Line),
            ("CRTMODD MODD(X) +\n", StatementEnd::Line),
            (
                "DEFINE_MODE MODE_NAME(A);\nDEFINE_MODE MODE_NAME(B)\n",
                StatementEnd::Semicolon,
            ),
        ] {
            assert_eq!(read(text, end).diagnostics.len(), 1, "{text}");
        }
    }
}
