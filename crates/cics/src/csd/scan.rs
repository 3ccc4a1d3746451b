//! From text to statements: a verb and its keywords with their values.
//!
//! Statements have no end mark: one ends where a line begins with the next
//! verb. Lines that begin with `*` are comments, lines that begin with `//`
//! or `/*` are JCL around the statements, and columns 73 to 80 are ignored
//! when they hold a sequence number.

use super::attributes::{USED, abbreviates, complete, complete_type, resource_types};
use base::{Diagnostic, Severity, did_you_mean, nearest};

/// A keyword of a statement, as `GROUP(BANK)` or `ALL`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// The keyword in upper case.
    pub name: String,
    /// The value in parentheses, with outer blanks and quotes removed.
    pub value: Option<String>,
    /// Line of the keyword, from 1.
    pub line: u32,
    /// Column of the keyword, from 1.
    pub column: u32,
}

/// One statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The verb in full and upper case.
    pub verb: &'static str,
    /// Line of the verb, from 1.
    pub line: u32,
    /// Column of the verb, from 1.
    pub column: u32,
    /// The keywords in their order.
    pub attributes: Vec<Attribute>,
}

const VERBS: &[&str] = &[
    "ADD",
    "ALTER",
    "APPEND",
    "COPY",
    "DEFINE",
    "DELETE",
    "EXTRACT",
    "INITIALIZE",
    "LIST",
    "MIGRATE",
    "PROCESS",
    "REMOVE",
    "SCAN",
    "SERVICE",
    "UPGRADE",
    "USERDEFINE",
    "VERIFY",
];

fn verb(word: &str) -> Option<&'static str> {
    let up = word.to_ascii_uppercase();
    let short = SHORTEST
        .iter()
        .find(|(name, least)| abbreviates(&up, name, *least));
    match short {
        Some((verb, _)) => Some(verb),
        None => VERBS.iter().find(|v| **v == up).copied(),
    }
}

/// Verbs that may be abbreviated, and how many letters are needed.
const SHORTEST: &[(&str, usize)] = &[("ALTER", 2), ("DEFINE", 3), ("DELETE", 3), ("REMOVE", 1)];

/// A character and where it stands.
#[derive(Debug, Clone, Copy)]
struct PlacedChar {
    c: char,
    line: u32,
    column: u32,
    /// First character of its line that is not blank.
    first: bool,
}

/// Splits a text into statements.
pub(super) fn statements(source: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Statement> {
    let chars = characters(source);
    let mut scanner = CsdScanner {
        chars: &chars,
        at: 0,
        diagnostics,
    };
    let mut found: Vec<Statement> = Vec::new();
    while let Some(start) = scanner.skip_blanks() {
        if !is_word(start.c) {
            if start.first || found.is_empty() {
                scanner.prose(start, found.is_empty())
            } else {
                scanner.stray(start)
            }
            continue;
        }
        let word = scanner.word();
        let opens = scanner.peek().is_some_and(|c| c.c == '(');
        if start.first
            && !opens
            && let Some(verb) = verb(&word)
        {
            found.push(Statement {
                verb,
                line: start.line,
                column: start.column,
                attributes: Vec::new(),
            });
            continue;
        }
        let opens = opens || scanner.parenthesis_follows();
        let prose = match found.last() {
            None => true,
            Some(s) => !opens && start.first && defines(s.verb) && !is_keyword(&word),
        };
        if prose {
            scanner.at_word(start, &word, found.is_empty());
            continue;
        }
        let value = if opens {
            scanner.value(start)
        } else {
            Ok(None)
        };
        let Some(statement) = found.last_mut() else {
            continue;
        };
        match value {
            Ok(value) => statement.attributes.push(Attribute {
                name: word.to_ascii_uppercase(),
                value,
                line: start.line,
                column: start.column,
            }),
            // The scanner has reported it; what the definition lacks without it is not.
            Err(UnclosedValue) => drop(found.pop()),
        }
    }
    found
}

fn defines(verb: &str) -> bool {
    matches!(verb, "DEFINE" | "ALTER" | "USERDEFINE")
}

/// Whether some type, or attribute of a type, is meant.
fn is_keyword(word: &str) -> bool {
    let up = word.to_ascii_uppercase();
    let attribute =
        |(_, names): &(&str, &[&'static str])| complete(&up, names.iter().copied()).is_some();
    complete_type(&up, resource_types()).is_some() || USED.iter().any(attribute)
}

/// A value without its closing parenthesis.
struct UnclosedValue;

/// The line that the places in [`attributes`] are said to be in.
pub(super) const ATTRIBUTES_LINE: u32 = 2;

/// The keywords of one statement, without its verb: a text without lines,
/// comments and sequence numbers.
pub(super) fn attributes(text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Attribute> {
    let chars: Vec<PlacedChar> = (1..)
        .zip(text.chars())
        .map(|(column, c)| PlacedChar {
            c: if c.is_control() { ' ' } else { c },
            line: ATTRIBUTES_LINE,
            column,
            first: false,
        })
        .collect();
    let mut scanner = CsdScanner {
        chars: &chars,
        at: 0,
        diagnostics,
    };
    let mut found = Vec::new();
    while let Some(start) = scanner.skip_blanks() {
        if !is_word(start.c) {
            scanner.stray(start);
            continue;
        }
        let word = scanner.word();
        let value = if scanner.parenthesis_follows() {
            scanner.value(start)
        } else {
            Ok(None)
        };
        found.push(Attribute {
            name: word.to_ascii_uppercase(),
            value: value.unwrap_or_default(),
            line: start.line,
            column: start.column,
        });
    }
    found
}

fn characters(source: &str) -> Vec<PlacedChar> {
    let mut chars = Vec::new();
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    for (number, raw) in source.lines().enumerate() {
        let line = u32::try_from(number + 1).unwrap_or(u32::MAX);
        if raw.starts_with('*') || raw.starts_with("//") || raw.starts_with("/*") {
            continue;
        }
        let mut first = true;
        let text = without_sequence_number(raw);
        for (i, c) in text.chars().enumerate() {
            let column = u32::try_from(i + 1).unwrap_or(u32::MAX);
            let blank = c.is_whitespace();
            chars.push(PlacedChar {
                c,
                line,
                column,
                first: first && !blank,
            });
            first &= blank;
        }
        // A value that fills its line continues in the next without a blank.
        let full = text.chars().count() >= 72;
        if !full {
            chars.push(PlacedChar {
                c: '\n',
                line,
                column: 0,
                first: false,
            });
        }
    }
    chars
}

fn without_sequence_number(raw: &str) -> &str {
    match raw.char_indices().nth(72) {
        Some((at, _))
            if raw[at..].trim_end().chars().count() <= 8
                && raw[at..]
                    .chars()
                    .all(|c| c.is_ascii_digit() || c.is_whitespace()) =>
        {
            &raw[..at]
        }
        _ => raw,
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "$@#_-.".contains(c)
}

struct CsdScanner<'a> {
    chars: &'a [PlacedChar],
    at: usize,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl CsdScanner<'_> {
    fn peek(&self) -> Option<PlacedChar> {
        self.chars.get(self.at).copied()
    }

    fn skip_blanks(&mut self) -> Option<PlacedChar> {
        while let Some(c) = self.peek() {
            if !c.c.is_whitespace() && c.c != ',' {
                return Some(c);
            }
            self.at += 1;
        }
        None
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.peek().filter(|c| is_word(c.c)) {
            word.push(c.c);
            self.at += 1;
        }
        word
    }

    /// Whether only blanks of the same line are before a parenthesis.
    fn parenthesis_follows(&mut self) -> bool {
        let mut at = self.at;
        while self
            .chars
            .get(at)
            .is_some_and(|c| c.c == ' ' || c.c == '\t')
        {
            at += 1;
        }
        let follows = self.chars.get(at).is_some_and(|c| c.c == '(');
        if follows {
            self.at = at;
        }
        follows
    }

    /// The text in parentheses, which may hold balanced ones and quotes.
    fn value(&mut self, keyword: PlacedChar) -> Result<Option<String>, UnclosedValue> {
        self.at += 1;
        let begin = self.at;
        let mut text = String::new();
        let mut depth = 1;
        let quoted = self.skip_to_value().is_some_and(|c| c.c == '\'');
        let mut in_quotes = false;
        while let Some(c) = self.peek() {
            self.at += 1;
            if quoted && c.c == '\'' {
                in_quotes = !in_quotes;
            }
            if !in_quotes {
                match c.c {
                    '(' => depth += 1,
                    ')' => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    return Ok(Some(clean(&text, quoted)));
                }
            }
            text.push(c.c);
        }
        self.error(
            keyword,
            "the parenthesis is never closed".to_owned(),
            Some("write ) after the value".to_owned()),
        );
        // The next statement is not part of the value.
        self.at = begin;
        self.skip_to_verb(|_| true);
        Err(UnclosedValue)
    }

    /// Goes on where a line begins with a verb.
    fn skip_to_verb(&mut self, good: impl Fn(&[PlacedChar]) -> bool) {
        while let Some(c) = self.peek() {
            let at = self.at;
            if c.first && is_word(c.c) {
                let word = self.word();
                let opens = self.peek().is_some_and(|c| c.c == '(');
                if !opens && verb(&word).is_some() && good(&self.chars[at..]) {
                    self.at = at;
                    return;
                }
            }
            self.at = self.at.max(at + 1);
        }
    }

    /// A word where a statement should begin.
    fn at_word(&mut self, start: PlacedChar, word: &str, first: bool) {
        let up = word.to_ascii_uppercase();
        let names = VERBS.iter().copied();
        let Some(near) = nearest(&up, names).filter(|_| start.first) else {
            return self.prose(start, first);
        };
        self.error(
            start,
            format!("{word} is not a statement"),
            Some(did_you_mean(near)),
        );
        self.skip_to_verb(|_| true);
    }

    /// Text that is not a definition, to the next line that begins one. Words such as
    /// "add" and "list" begin lines of prose, too: a definition has a parenthesis.
    fn prose(&mut self, start: PlacedChar, first: bool) {
        self.skip_to_verb(|rest| {
            let line = rest[0].line;
            let mut line = rest.iter().take_while(|c| c.line == line);
            line.any(|c| c.c == '(')
        });
        let message = if first && self.peek().is_none() {
            "there is no definition in this text"
        } else {
            "this is not a definition"
        };
        let help = "statements begin with DEFINE, such as DEFINE PROGRAM(NAME) GROUP(GROUP); a comment begins with * in column 1";
        self.error(start, message.to_owned(), Some(help.to_owned()));
    }

    fn skip_to_value(&mut self) -> Option<PlacedChar> {
        while self.peek().is_some_and(|c| c.c.is_whitespace()) {
            self.at += 1;
        }
        self.peek()
    }

    fn stray(&mut self, c: PlacedChar) {
        self.at += 1;
        // Several on one line are one mistake.
        let reported = self.diagnostics.last().is_some_and(|d| d.line == c.line);
        if !reported {
            let help = "put values in parentheses: KEYWORD(VALUE)".to_owned();
            self.error(c, format!("{:?} does not belong here", c.c), Some(help));
        }
    }

    fn error(&mut self, at: PlacedChar, message: String, help: Option<String>) {
        self.diagnostics
            .push(Diagnostic::new(Severity::Error, (at.line, at.column), message).maybe_help(help));
    }
}

fn clean(text: &str, quoted: bool) -> String {
    let mut out = String::new();
    for (i, line) in text.split('\n').enumerate() {
        let part = if i == 0 { line.trim_end() } else { line.trim() };
        if i > 0 && !part.is_empty() && !out.is_empty() {
            out.push(' ');
        }
        out.push_str(part);
    }
    let out = out.trim();
    if quoted && out.len() >= 2 && out.ends_with('\'') {
        return out[1..out.len() - 1].replace("''", "'");
    }
    out.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> (Vec<Statement>, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let found = statements(text, &mut diagnostics);
        (found, diagnostics)
    }

    #[test]
    fn a_statement_ends_where_a_line_begins_with_a_verb() {
        let (s, d) = scan(
            "* comment\nDefine Program(A) Group(G)\n  Description(List of (all) things)\nADD GROUP(G) LIST(L)\n",
        );
        assert_eq!(d, []);
        assert_eq!(s.len(), 2);
        assert_eq!(s[0].attributes.len(), 3);
        assert_eq!(
            s[0].attributes[2].value.as_deref(),
            Some("List of (all) things")
        );
        assert_eq!((s[0].attributes[2].line, s[0].attributes[2].column), (3, 3));
        assert_eq!(s[1].verb, "ADD");
    }

    #[test]
    fn list_in_parentheses_is_a_keyword_and_not_a_verb() {
        let (s, d) = scan("ADD GROUP(G)\n    LIST(L)\n");
        assert_eq!(d, []);
        assert_eq!(s.len(), 1);
        assert_eq!(s[0].attributes[1].name, "LIST");
    }

    #[test]
    fn quotes_sequence_numbers_and_jcl_are_understood() {
        let line = format!(
            "{:<72}00000100",
            "DEFINE FILE(F) GROUP(G) DESCRIPTION('it''s ) here')"
        );
        let (s, d) = scan(&format!("//STEP EXEC\n{line}\n/*\n"));
        assert_eq!(d, []);
        assert_eq!(s[0].attributes[2].value.as_deref(), Some("it's ) here"));
    }

    #[test]
    fn an_open_parenthesis_is_one_error_at_its_keyword_and_ends_with_its_statement() {
        let (_, d) = scan("DEFINE PROGRAM(A");
        assert_eq!((d[0].line, d[0].column), (1, 8));
        let (s, d) = scan("DEFINE PROGRAM(A GROUP(G)\nDEFINE FILE(F) GROUP(G)\n");
        assert_eq!(d.len(), 1, "{d:?}");
        assert_eq!(s.len(), 1);
        assert_eq!(s[0].attributes[0].name, "FILE");
    }

    #[test]
    fn prose_is_reported_once_wherever_it_occurs() {
        let (s, d) = scan("Here are the programs of\nthe bank, and what\nadd to them.\n");
        assert_eq!((s.len(), d.len()), (0, 1), "{d:?}");
        assert!(d[0].message.contains("no definition in this text"));
        let (s, d) = scan(
            "- a list\nDEFINE FILE(F) GROUP(G)\nThis file (of old) is read\nlist by list.\nDEFINE FILE(E) GROUP(G)\n",
        );
        assert_eq!(s.len(), 2);
        let places: Vec<_> = d.iter().map(|d| (d.line, d.message.as_str())).collect();
        assert_eq!(
            places,
            [
                (1, "this is not a definition"),
                (3, "this is not a definition")
            ]
        );
        let (_, d) = scan("PROGRAM(A)");
        assert_eq!(d.len(), 1);
    }

    #[test]
    fn a_misspelt_verb_is_reported_with_the_nearest_verb() {
        let (s, d) = scan(
            "DEFIEN PROGRAM(A) GROUP(G)\nDEFINE FILE(F) GROUP(G)\n DEFNE FILE(E)\n  GROUP(G)\n",
        );
        assert_eq!(s.len(), 1);
        let shown: Vec<_> = d.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "1:1: error: DEFIEN is not a statement\n  help: did you mean DEFINE?",
                "3:2: error: DEFNE is not a statement\n  help: did you mean DEFINE?"
            ]
        );
    }
}
