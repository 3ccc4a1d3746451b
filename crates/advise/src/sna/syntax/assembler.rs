//! Statements in the columns of the assembler: mode tables, VTAM major nodes
//! and NCP generations.
//!
//! A label in column 1, then the verb, then operands without blanks, then a
//! comment. A statement continues on the next line if column 72 is not blank; the
//! next line's text begins in column 16. Text pasted from a manual has often lost
//! its columns, so a comma at the end continues a statement too, with a warning.
//! Columns 73 to 80 have sequence numbers. A line of more than 80 columns is not a
//! card: it is read to its end, with a warning, and has no continuation mark.
//!
//! Reference: z/OS Communications Server SNA Resource Definition Reference,
//! coding conventions. Invariant: no input makes the reader panic.

use super::statement::{KeywordOperand, ParsedStatements, Statement};
use crate::document::LineColumn;

/// Column of the continuation mark, counted from 0.
const CONTINUATION: usize = 71;

/// Columns of a card.
const CARD: usize = 80;

/// Reads a text.
pub fn read(text: &str) -> ParsedStatements {
    let mut found = ParsedStatements::default();
    let lines: Vec<&str> = text.lines().collect();
    let mut i = 0;
    while i < lines.len() {
        if is_comment(lines[i]) {
            i += 1;
            continue;
        }
        if let Some(end) = macro_end(&lines, i) {
            i = end;
            continue;
        }
        i = statement(&lines, i, &mut found);
    }
    found
}

/// The line after a macro's definition that begins in this line: it states nothing by itself.
fn macro_end(lines: &[&str], first: usize) -> Option<usize> {
    let is = |line: &str, verb: &str| {
        line.starts_with([' ', '\t']) && line.split_whitespace().next() == Some(verb)
    };
    let within = lines.get(first..).filter(|l| is(l[0], "MACRO"))?;
    let end = within.iter().position(|l| is(l, "MEND"))?;
    Some(first + end + 1)
}

/// Reads a list of options without a verb, as members ATCSTRxx have it. They
/// become the operands of one statement `START`. A line that does not end
/// with a comma ends its option; a comma at the end of the list is allowed.
pub fn options(text: &str) -> ParsedStatements {
    let mut found = ParsedStatements::default();
    let mut fields = Fields::default();
    let mut first = None;
    for (i, line) in text.lines().enumerate().filter(|(_, l)| !is_comment(l)) {
        let mut chars = Chars::new(line, LineColumn::from_zero(i, 0).line);
        chars.skip_blanks();
        first.get_or_insert(chars.at());
        if !fields.line(&mut chars) && fields.depth == 0 {
            fields.end();
        }
    }
    let Some(at) = first else { return found };
    if fields.quoted || fields.depth > 0 {
        found.warn(at, "a quote or a parenthesis is never closed");
    }
    let mut statement = Statement::new("START", "", at);
    statement.operands = fields.finish();
    found.statements.push(statement);
    found
}

/// Reads a statement that begins in a line. Returns the line after it.
fn statement(lines: &[&str], first: usize, found: &mut ParsedStatements) -> usize {
    let mut chars = Chars::new(lines[first], LineColumn::from_zero(first, 0).line);
    let label = if chars.peek().is_some_and(|c| !c.is_whitespace()) {
        chars.word()
    } else {
        String::new()
    };
    chars.skip_blanks();
    let at = chars.at();
    let verb = chars.word();
    if verb.is_empty() {
        if !label.is_empty() {
            let at = LineColumn {
                line: LineColumn::from_zero(first, 0).line,
                column: 1,
            };
            found.warn(
                at,
                format!("{label} is alone on its line: no statement follows it"),
            );
        }
        return first + 1;
    }
    let mut statement = Statement::new(&verb, &label, at);
    chars.skip_blanks();
    let mut fields = Fields::default();
    let mut next = first + 1;
    // A single comma means no operands; the rest is a remark.
    let none = chars.rest.split_whitespace().next() == Some(",");
    let mut goes_on = !none && fields.line(&mut chars);
    loop {
        let marked = chars.continued;
        if chars.wide {
            let at = LineColumn {
                line: chars.line,
                column: 81,
            };
            found.warn(
                at,
                "the line is longer than 80 columns; read to its end, which a product would not do",
            );
        }
        if !marked && !goes_on {
            break;
        }
        while lines
            .get(next)
            .is_some_and(|l| is_comment(l) && !l.trim().is_empty())
        {
            next += 1;
        }
        // A label has no `=` in it: text without its columns may begin with an
        // operand.
        let follows = lines.get(next).is_some_and(|l| {
            l.starts_with([' ', '\t']) && !l.trim().is_empty()
                || (goes_on && begins_with_operand(l))
        });
        if !follows {
            if goes_on {
                found.warn(
                    chars.at(),
                    "the operands end with a comma, but nothing follows",
                );
            }
            break;
        }
        if !marked {
            let at = LineColumn {
                line: LineColumn::from_zero(next - 1, 0).line,
                column: 72,
            };
            found.warn(
                at,
                "column 72 is blank, though the operands go on; read as continued",
            );
        }
        chars = Chars::new(lines[next], LineColumn::from_zero(next, 0).line);
        chars.skip_blanks();
        // A mark without a comma continues a comment, which says nothing.
        goes_on = goes_on && fields.line(&mut chars);
        next += 1;
    }
    if fields.quoted || fields.depth > 0 {
        found.warn(
            at,
            format!("{verb}: a quote or a parenthesis is never closed"),
        );
    }
    statement.operands = fields.finish();
    found.statements.push(statement);
    next
}

fn begins_with_operand(line: &str) -> bool {
    line.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

fn is_comment(line: &str) -> bool {
    let end = |c: char| c.is_whitespace() || c == END_OF_FILE;
    line.starts_with('*')
        || line.trim_matches(end).is_empty()
        || line.starts_with("//")
        || line.starts_with("/*")
}

/// The end-of-file character of some old editors (Ctrl-Z).
const END_OF_FILE: char = '\u{1a}';

/// Whether a line is longer than a card, so that column 72 means nothing.
fn is_wide(line: &str) -> bool {
    line.trim_end().chars().nth(CARD).is_some()
}

/// The characters of one line up to its continuation column.
struct Chars<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
    /// Whether column 72 holds a mark.
    continued: bool,
    /// Whether the line is longer than a card.
    wide: bool,
}

impl<'a> Chars<'a> {
    fn new(line: &'a str, number: u32) -> Self {
        let line = line.trim_end_matches('\r');
        let mark = line.char_indices().nth(CONTINUATION);
        let wide = is_wide(line);
        let (rest, continued) = match mark {
            Some((i, c)) if !wide => (&line[..i], !c.is_whitespace()),
            _ => (line, false),
        };
        Self {
            rest,
            line: number,
            column: 1,
            continued,
            wide,
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        self.column = self.column.saturating_add(1);
        Some(c)
    }

    fn at(&self) -> LineColumn {
        LineColumn {
            line: self.line,
            column: self.column,
        }
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.next();
        }
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.peek().filter(|c| !c.is_whitespace()) {
            word.push(c);
            self.next();
        }
        word
    }
}

/// Operands as they are gathered over several lines.
#[derive(Default)]
struct Fields {
    done: Vec<KeywordOperand>,
    text: String,
    at: Option<LineColumn>,
    depth: u32,
    quoted: bool,
}

impl Fields {
    /// Takes the operands of one line; returns whether more are due.
    fn line(&mut self, chars: &mut Chars<'_>) -> bool {
        let mut last = ' ';
        while let Some(c) = chars.peek() {
            if c.is_whitespace() && !self.quoted {
                // A blank after a comma inside operands is a slip that the
                // paper's own example makes; a keyword must follow it.
                if last != ',' || !more_operands(chars.rest) {
                    break;
                }
                chars.skip_blanks();
                continue;
            }
            self.take(c, chars.at());
            last = c;
            chars.next();
        }
        last == ',' || self.quoted
    }

    fn take(&mut self, c: char, at: LineColumn) {
        match c {
            '\'' => self.quoted = !self.quoted,
            '(' if !self.quoted => self.depth += 1,
            ')' if !self.quoted => self.depth = self.depth.saturating_sub(1),
            ',' if !self.quoted && self.depth == 0 => {
                self.end();
                return;
            }
            _ => {}
        }
        self.at.get_or_insert(at);
        self.text.push(c);
    }

    fn end(&mut self) {
        let text = std::mem::take(&mut self.text);
        let Some(at) = self.at.take() else { return };
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if is_keyword(name) => (name.to_ascii_uppercase(), value),
            _ => (String::new(), text.as_str()),
        };
        self.done.push(KeywordOperand {
            name,
            value: value.trim().to_owned(),
            at,
        });
    }

    fn finish(mut self) -> Vec<KeywordOperand> {
        self.end();
        self.done
    }
}

/// Whether the text after a blank continues with `KEYWORD=`.
fn more_operands(rest: &str) -> bool {
    let word = rest.split_whitespace().next().unwrap_or("");
    word.split_once('=')
        .is_some_and(|(name, _)| is_keyword(name))
}

fn is_keyword(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"$@#_".contains(&b))
}

#[cfg(test)]
mod tests;
