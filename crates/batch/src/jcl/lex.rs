//! Lines of a job to statements: names, operations, continued operands with
//! their places, and the lines of in-stream data.

/// A statement.
pub(super) struct JclStatement {
    pub name: String,
    pub operation: String,
    /// Line of the statement and column of its operation, from 1.
    pub line: u32,
    pub column: u32,
    pub operands: Vec<JclOperand>,
    /// Column of the first character that cannot be read, if any.
    pub broken: Option<(u32, u32, &'static str)>,
}

/// One operand: `KEYWORD=value`, or a positional one without a keyword.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JclOperand {
    pub keyword: Option<String>,
    pub value: String,
    pub line: u32,
    pub column: u32,
}

const NO_QUOTE: &str =
    "a quote is not closed; a statement continues from column 71 in column 16 of the next line";
const NO_MORE: &str =
    "the next line does not go on after this comma: it begins with // and a blank";

/// Reads the statement that begins on line `at`, and advances `at`. Returns `None`
/// for a comment, a delimiter or the end of the job.
pub(super) fn card(lines: &[&str], at: &mut usize) -> Option<JclStatement> {
    let first = *at;
    let body = cut(lines[first]).strip_prefix("//")?;
    if body.starts_with('*') || body.trim().is_empty() {
        return None;
    }
    let mut column = 3;
    let (name, rest) = word(body);
    column += name.chars().count();
    let (gap, rest) = blanks(rest);
    column += gap;
    let (operation, rest) = word(rest);
    let mut card = JclStatement {
        name: name.to_owned(),
        operation: operation.to_owned(),
        line: first as u32 + 1,
        column: column as u32,
        operands: Vec::new(),
        broken: None,
    };
    column += operation.chars().count();
    let (gap, rest) = blanks(rest);
    *at += 1;
    let mut text: Vec<(char, u32, u32)> = Vec::new();
    let mut open = field(rest, card.line, column + gap, false, &mut text);
    while open || text.last().is_some_and(|(c, ..)| *c == ',') {
        let Some(next) = lines.get(*at).and_then(|line| cut(line).strip_prefix("//")) else {
            break;
        };
        if !next.starts_with('*') {
            let (gap, rest) = blanks(next);
            if gap == 0 || rest.is_empty() {
                break;
            }
            open = field(rest, *at as u32 + 1, 3 + gap, open, &mut text);
        }
        *at += 1;
    }
    card.broken = match text.last() {
        _ if open => Some((card.line, card.column, NO_QUOTE)),
        Some((',', line, column)) => Some((*line, *column, NO_MORE)),
        _ => unbalanced(&text),
    };
    card.operands = operands(&text);
    Some(card)
}

/// Takes characters up to a blank outside of quotes; a comment follows. Gives
/// whether a quote is still open.
fn field(
    rest: &str,
    line: u32,
    column: usize,
    open: bool,
    text: &mut Vec<(char, u32, u32)>,
) -> bool {
    let mut quoted = open;
    for (at, c) in rest.chars().enumerate() {
        quoted ^= c == '\'';
        if c == ' ' && !quoted {
            return false;
        }
        text.push((c, line, (column + at) as u32));
    }
    quoted
}

/// The parts between commas outside parentheses and quotes.
fn pieces<T>(text: &[T], character: impl Fn(&T) -> char) -> Vec<&[T]> {
    let (mut depth, mut quoted) = (0_u32, false);
    let pieces = text.split(|item| {
        match character(item) {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted => return depth == 0,
            _ => {}
        }
        false
    });
    pieces.collect()
}

fn operands(text: &[(char, u32, u32)]) -> Vec<JclOperand> {
    let mut found = Vec::new();
    for piece in pieces(text, |(c, ..)| *c) {
        let Some((_, line, column)) = piece.first() else {
            continue;
        };
        let whole: String = piece.iter().map(|(c, ..)| c).collect();
        let keyword = whole.split_once('=').filter(|(key, _)| {
            !key.is_empty()
                && key
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || ".$#@".contains(c))
        });
        let (keyword, value) = match keyword {
            Some((key, value)) => (Some(key.to_ascii_uppercase()), value.to_owned()),
            None => (None, whole.clone()),
        };
        found.push(JclOperand {
            keyword,
            value,
            line: *line,
            column: *column,
        });
    }
    found
}

/// The first error in parentheses, with its position.
fn unbalanced(text: &[(char, u32, u32)]) -> Option<(u32, u32, &'static str)> {
    let (mut open, mut quoted) = (Vec::new(), false);
    for (c, line, column) in text {
        match c {
            '\'' => quoted = !quoted,
            '(' if !quoted => open.push((*line, *column)),
            ')' if !quoted && open.pop().is_none() => {
                return Some((*line, *column, "this ) closes no parenthesis"));
            }
            _ => {}
        }
    }
    let (line, column) = open.pop()?;
    Some((line, column, "this ( is not closed"))
}

/// The parts of a value in parentheses, or the value alone.
pub(super) fn parts(value: &str) -> Vec<String> {
    let inner = value
        .strip_prefix('(')
        .and_then(|value| value.strip_suffix(')'))
        .unwrap_or(value);
    let characters: Vec<char> = inner.chars().collect();
    let found = pieces(&characters, |c| *c).into_iter();
    found.map(|piece| piece.iter().collect()).collect()
}

/// A text without the quotes around it, two quotes within being one.
pub(super) fn unquoted(text: &str) -> String {
    let inner = text
        .strip_prefix('\'')
        .and_then(|text| text.strip_suffix('\''));
    inner.map_or_else(|| text.to_owned(), |inner| inner.replace("''", "'"))
}

/// The columns that JCL reads.
fn cut(line: &str) -> &str {
    let end = line.char_indices().nth(71).map_or(line.len(), |(at, _)| at);
    line[..end].trim_end()
}

fn word(text: &str) -> (&str, &str) {
    text.split_at(text.find(' ').unwrap_or(text.len()))
}

fn blanks(text: &str) -> (usize, &str) {
    let rest = text.trim_start_matches(' ');
    (text.len() - rest.len(), rest)
}
