//! From the lines of one file to pieces: columns, indicators, comments,
//! continuation, and the lines that steer a listing.
//!
//! Reference: Enterprise COBOL Language Reference, "Reference format" and
//! "Compiler-directing statements".
//!
//! Invariant: reading never fails. A literal that is not closed, or a
//! directive that would change the meaning of what follows, is reported by
//! the pass that needs the text, because most of a program is not read.

use crate::diagnostic::{Diagnostics, SourcePosition};

use super::comment::{AFTER_COMMENT_ENTRY, COMMENT_ENTRIES, is_listing_statement};
use super::format::{ReferenceFormat, expand_tabs, source_directive};
use super::piece::{PieceKind, TextPiece, is_word_char};

/// What some editors put before UTF-8 text: as a character, and as its bytes
/// where each is read as one.
const BYTE_ORDER_MARKS: [&str; 2] = ["\u{feff}", "\u{ef}\u{bb}\u{bf}"];

/// One column of a line: its character and the byte offset it came from.
type LineColumn = (usize, char);

/// Options of reading lines.
#[derive(Debug, Clone, Copy, Default)]
pub struct LineOptions {
    /// Reference format.
    pub format: ReferenceFormat,
    /// The format of a text if it is to be detected and no line decides it.
    pub otherwise: ReferenceFormat,
    /// Whether debugging lines are text.
    pub debugging: bool,
}

/// Reads `text` into pieces. `file` is its index in `diagnostics`.
pub fn read(
    text: &str,
    file: u16,
    lines: LineOptions,
    diagnostics: &mut Diagnostics,
) -> Vec<TextPiece> {
    let mark = BYTE_ORDER_MARKS.iter().find(|m| text.starts_with(**m));
    let mut offset = mark.map_or(0, |m| m.len());
    let text = &text[offset..];
    if let Some((message, help)) = other_encoding(text) {
        let start = SourcePosition {
            file,
            line: 1,
            column: 1,
            ..SourcePosition::default()
        };
        diagnostics.error_help(start, message, help);
        return Vec::new();
    }
    let format = match lines.format {
        ReferenceFormat::Auto => ReferenceFormat::detect_certain(text).unwrap_or(lines.otherwise),
        chosen => chosen,
    };
    let mut reader = Reader {
        file,
        format,
        debugging: lines.debugging,
        pieces: Vec::new(),
        open_quote: None,
        started: false,
        sentence_ended: true,
        entry: false,
        diagnostics,
    };
    for (index, raw) in text.split_inclusive('\n').enumerate() {
        let line = raw.trim_end_matches(['\n', '\r', '\u{1a}']);
        let start = SourcePosition {
            file,
            line: u32::try_from(index + 1).unwrap_or(u32::MAX),
            column: 1,
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
            length: 0,
        };
        reader.line(line, start);
        offset += raw.len();
    }
    reader.pieces
}

/// The encoding of a text that is not ASCII, and the remedy.
fn other_encoding(text: &str) -> Option<(&'static str, &'static str)> {
    let mut head = text.chars().take(400);
    if head.clone().any(|c| c == '\0') {
        return Some((
            "this is not text in UTF-8 or Latin-1: it contains zero bytes, as UTF-16 does",
            "iconv -f UTF-16 -t UTF-8 FILE > NEW converts UTF-16",
        ));
    }
    // A blank of EBCDIC is an '@', its letters and digits are beyond ASCII.
    let (mut blanks, mut letters, mut all) = (0, 0, 0);
    for c in head.by_ref() {
        all += 1;
        blanks += usize::from(c == '@');
        letters += usize::from(!c.is_ascii());
    }
    (blanks * 5 > all && letters * 5 > all).then_some((
        "this is text in EBCDIC",
        "transfer it as text, or iconv -f IBM-1047 -t UTF-8 FILE > NEW",
    ))
}

/// The columns of a line. Tabs represent eight columns, or for four where eight
/// would push text of a fixed line beyond column 72.
pub(super) fn columns_of(line: &str, format: ReferenceFormat) -> Vec<LineColumn> {
    let wide: Vec<LineColumn> = expand_tabs(line, 8).collect();
    let text = |columns: &[LineColumn]| columns.iter().any(|(_, c)| *c != ' ');
    let overruns = |columns: &[LineColumn]| columns.get(72..).is_some_and(text);
    if format == ReferenceFormat::Free || !line.contains('\t') || !overruns(&wide) {
        return wide;
    }
    let narrow: Vec<LineColumn> = expand_tabs(line, 4).collect();
    let starts_late = !narrow.get(..6).is_some_and(text);
    if starts_late && !overruns(&narrow) {
        narrow
    } else {
        wide
    }
}

struct Reader<'a> {
    file: u16,
    format: ReferenceFormat,
    debugging: bool,
    pieces: Vec<TextPiece>,
    /// Set while the last piece is a literal that its line did not close.
    open_quote: Option<char>,
    /// Whether anything but comments and compiler options was read.
    started: bool,
    /// Whether the last line of text ended with a period, so that the next
    /// begins an entry or a sentence.
    sentence_ended: bool,
    /// In a comment entry of the identification division.
    entry: bool,
    diagnostics: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn line(&mut self, line: &str, start: SourcePosition) {
        if let Some(format) = source_directive(line) {
            self.format = format;
            return;
        }
        let columns = columns_of(line, self.format);
        if self.is_option_line(&columns) {
            return;
        }
        match self.format {
            ReferenceFormat::Free => self.free_line(line, &columns, start),
            _ => self.fixed_line(line, &columns, start),
        }
    }

    /// CBL and PROCESS lines may be before everything else, in any column.
    fn is_option_line(&self, columns: &[LineColumn]) -> bool {
        if self.started {
            return false;
        }
        let text: String = columns.iter().map(|(_, c)| c).collect();
        let text = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        ["CBL", "PROCESS"].iter().any(|word| {
            text.get(..word.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(word))
                && text[word.len()..].starts_with(' ')
        })
    }

    fn free_line(&mut self, line: &str, columns: &[LineColumn], start: SourcePosition) {
        let text: String = columns.iter().map(|(_, c)| c).collect();
        let upper = text.trim_start().to_ascii_uppercase();
        if upper.starts_with("$SET ") {
            return;
        }
        let mut columns = columns;
        if upper.starts_with(">>D ") {
            if !self.debugging {
                return;
            }
            let mark = columns.iter().position(|(_, c)| *c == '>').unwrap_or(0);
            columns = &columns[mark + 3..];
        }
        self.text_line(line, columns, start);
    }

    fn fixed_line(&mut self, line: &str, columns: &[LineColumn], start: SourcePosition) {
        let end = columns.len().min(72);
        if let Some(at) = level_in_sequence_area(columns) {
            self.diagnostics.error_help(
                place(line, start, at, 2),
                "a level number in columns 1 to 6 is not read",
                COLUMNS,
            );
            return;
        }
        let Some((at, indicator)) = columns.get(6).copied() else {
            return;
        };
        if !matches!(indicator, '*' | '/' | '$') {
            self.beyond_the_margin(line, columns, start);
        }
        let text = &columns[7..end.max(7)];
        match indicator {
            'D' | 'd' if self.debugging => self.text_line(line, text, start),
            '*' | '/' | 'D' | 'd' | '$' => {}
            '-' => self.continuation(line, text, start),
            ' ' => self.text_line(line, text, start),
            other => {
                let at = place(line, start, at, other.len_utf8());
                self.diagnostics.error_help(
                    at,
                    format!("'{other}' is not an indicator for column 7"),
                    COLUMNS,
                );
            }
        }
    }

    /// Reports text beyond column 72 that was meant to be read.
    fn beyond_the_margin(&mut self, line: &str, columns: &[LineColumn], start: SourcePosition) {
        if let Some(at) = crosses_the_margin(columns) {
            self.diagnostics.warn_help(
                place(line, start, at, line.len() - at),
                "the text continues beyond column 72, where it is not read: COBOL text must be in columns 8 to 72",
                BREAK_THE_LINE,
            );
        } else if let Some(at) = period_beyond_the_margin(columns) {
            let column = line.get(..at).map_or(at, |head| head.chars().count()) + 1;
            self.diagnostics.warn_help(
                place(line, start, at, 1),
                format!("the period in column {column} is not read, so the entry continues on the next line: COBOL text must be in columns 8 to 72"),
                BREAK_THE_LINE,
            );
        }
    }

    fn text_line(&mut self, line: &str, columns: &[LineColumn], start: SourcePosition) {
        let text: String = columns.iter().map(|(_, c)| c).collect();
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return;
        }
        self.open_quote = None;
        // No entry begins with a star: the margins of the text are shifted.
        if self.sentence_ended && trimmed.starts_with('*') {
            return;
        }
        self.sentence_ended = trimmed.ends_with('.');
        if is_listing_statement(trimmed) || self.is_in_comment_entry(columns, trimmed) {
            return;
        }
        self.gap(start);
        if trimmed.starts_with(">>") {
            self.directive(line, columns, start, trimmed);
            return;
        }
        self.scan(line, columns, start, true);
    }

    /// Directives that choose text must not be passed over; the others only
    /// steer the listing and run-time checks.
    fn directive(&mut self, line: &str, columns: &[LineColumn], start: SourcePosition, text: &str) {
        let word = text[2..].split_whitespace().next().unwrap_or("");
        let word = word.to_ascii_uppercase();
        let offset = columns.iter().find(|(_, c)| *c != ' ').map_or(0, |c| c.0);
        if [
            "IF", "ELSE", "ELIF", "END-IF", "DEFINE", "EVALUATE", "WHEN", "SET",
        ]
        .contains(&word.as_str())
        {
            self.diagnostics.unsupported(
                place(line, start, offset, text.len()),
                format!(">>{word}"),
                format!("conditional compilation (>>{word}) is not supported"),
                "keep the lines that apply and remove the directives",
            );
        }
    }

    /// Whether a line belongs to the comment entry that is open, or opens one
    /// after what is left of it: after `AUTHOR.` and its like all text is a
    /// comment up to the next paragraph or division in area A.
    fn is_in_comment_entry(&mut self, columns: &[LineColumn], text: &str) -> bool {
        let indent = columns.iter().position(|(_, c)| *c != ' ').unwrap_or(0);
        let in_area_a = self.format == ReferenceFormat::Free || indent < 4;
        let length = text.find(|c| !is_word_char(c)).unwrap_or(text.len());
        let (word, rest) = text.split_at(length);
        let is = |list: &[&str]| in_area_a && list.iter().any(|w| word.eq_ignore_ascii_case(w));
        let opens = is(COMMENT_ENTRIES)
            && rest.trim_start().starts_with('.')
            && self.pieces.iter().any(|p| p.is_word("PROGRAM-ID"));
        if self.entry && !opens && !is(AFTER_COMMENT_ENTRY) {
            return true;
        }
        self.entry = opens;
        opens
    }

    fn continuation(&mut self, line: &str, columns: &[LineColumn], start: SourcePosition) {
        let Some(skip) = columns.iter().position(|(_, c)| *c != ' ') else {
            return;
        };
        let columns = &columns[skip..];
        match self.open_quote.take() {
            Some(quote) if columns[0].1 == quote => {
                self.literal(line, &columns[1..], start, quote, None);
            }
            Some(_) => {
                let at = place(line, start, columns[0].0, columns[0].1.len_utf8());
                self.diagnostics.error_help(
                    at,
                    "a continued literal must start with its quote again",
                    "put the same quote before the rest of the literal",
                );
            }
            None => {
                // The word continues: what separated the lines does not count.
                while self.pieces.last().is_some_and(TextPiece::is_gap) {
                    self.pieces.pop();
                }
                let before = self.pieces.len();
                self.scan(line, columns, start, false);
                self.join_words(before);
            }
        }
    }

    /// Joins a word with its continuation.
    fn join_words(&mut self, at: usize) {
        if at == 0 || at >= self.pieces.len() {
            return;
        }
        if self.pieces[at - 1].kind == PieceKind::Word && self.pieces[at].kind == PieceKind::Word {
            let rest = self.pieces.remove(at);
            self.pieces[at - 1].text.push_str(&rest.text);
        }
    }

    /// Splits the columns of one line into pieces.
    fn scan(&mut self, line: &str, columns: &[LineColumn], start: SourcePosition, fresh: bool) {
        self.started = true;
        let mut first = fresh;
        let mut index = 0usize;
        while index < columns.len() {
            let (offset, c) = columns[index];
            let next = columns.get(index + 1).map(|c| c.1);
            if c == ' ' {
                self.gap(place(line, start, offset, 1));
                index += 1;
                continue;
            }
            if c == '*' && next == Some('>') {
                break;
            }
            let length = if c == '"' || c == '\'' {
                let at = place(line, start, offset, c.len_utf8());
                let used = self.literal(line, &columns[index + 1..], start, c, Some((at, first)));
                first = false;
                index += used + 1;
                continue;
            } else if is_word_char(c) {
                columns[index..]
                    .iter()
                    .take_while(|(_, c)| is_word_char(*c))
                    .count()
            } else if c == '=' && next == Some('=') {
                2
            } else {
                1
            };
            let kind = match c {
                '=' if length == 2 => PieceKind::PseudoText,
                c if is_word_char(c) => PieceKind::Word,
                _ => PieceKind::Other,
            };
            let text: String = columns[index..index + length]
                .iter()
                .map(|(_, c)| c)
                .collect();
            self.pieces.push(TextPiece {
                kind,
                at: place(line, start, offset, text.len()),
                text,
                first_on_line: first,
            });
            first = false;
            index += length;
        }
        self.gap_at_line_end(start);
    }

    /// Reads a literal from the character after its opening quote, or continues
    /// with an open one when `opened` is `None`. Returns how many columns it took.
    fn literal(
        &mut self,
        line: &str,
        columns: &[LineColumn],
        start: SourcePosition,
        quote: char,
        opened: Option<(SourcePosition, bool)>,
    ) -> usize {
        let goes_on = opened.is_none();
        if let Some((at, first_on_line)) = opened {
            self.pieces.push(TextPiece {
                kind: PieceKind::OpenLiteral,
                text: quote.to_string(),
                at,
                first_on_line,
            });
        }
        let Some(piece) = self.pieces.last_mut() else {
            return columns.len();
        };
        let mut index = 0usize;
        let mut closed = false;
        while index < columns.len() {
            let c = columns[index].1;
            index += 1;
            piece.text.push(c);
            if c == quote {
                if columns.get(index).map(|c| c.1) == Some(quote) {
                    piece.text.push(quote);
                    index += 1;
                } else {
                    closed = true;
                    break;
                }
            }
        }
        if closed {
            piece.kind = PieceKind::Literal;
            if !goes_on {
                let columns_end = columns[index - 1].0 + quote.len_utf8();
                let begin = (piece.at.offset - start.offset) as usize;
                piece.at.length =
                    u32::try_from(columns_end.saturating_sub(begin)).unwrap_or(u32::MAX);
            }
            if goes_on {
                self.scan(line, &columns[index..], start, false);
            }
            return index;
        }
        if self.format == ReferenceFormat::Fixed {
            // The literal fills the line up to column 72.
            let missing = 72usize.saturating_sub(columns_of(line, ReferenceFormat::Fixed).len());
            piece.text.extend(std::iter::repeat_n(' ', missing));
            self.open_quote = Some(quote);
        }
        index
    }

    fn gap(&mut self, at: SourcePosition) {
        if !self.pieces.last().is_none_or(TextPiece::is_gap) {
            self.pieces.push(TextPiece {
                kind: PieceKind::Gap,
                text: " ".into(),
                at,
                first_on_line: false,
            });
        }
    }

    /// A line end separates, unless a literal is still open there.
    fn gap_at_line_end(&mut self, start: SourcePosition) {
        if self.open_quote.is_none() {
            self.gap(SourcePosition {
                file: self.file,
                ..start
            });
        }
    }
}

/// The remedy for text in the wrong columns.
const COLUMNS: &str = "in fixed format COBOL text must be in columns 8 to 72, with *, / or - in column 7; choose free format if the text is free";

/// The remedy for a line that is too long.
const BREAK_THE_LINE: &str = "move the end of the line to the next line, between columns 12 and 72";

/// Where a level number with a name after it is in columns 1 to 6, which are for
/// sequence numbers; its byte offset.
fn level_in_sequence_area(columns: &[LineColumn]) -> Option<usize> {
    let area = &columns[..columns.len().min(6)];
    let first = area.iter().position(|(_, c)| *c != ' ')?;
    let digits = area[first..]
        .iter()
        .take_while(|(_, c)| c.is_ascii_digit())
        .count();
    let rest = &columns[first + digits..];
    let name = rest.iter().find(|(_, c)| *c != ' ').map(|(_, c)| *c)?;
    let level: String = area[first..first + digits].iter().map(|(_, c)| c).collect();
    let is_level = matches!(level.parse::<u8>(), Ok(1..=49 | 66 | 77 | 88));
    let named = rest.first().is_some_and(|(_, c)| *c == ' ') && name.is_ascii_alphabetic();
    // After column 6 a name is the line's own text, and the digits are a mark.
    let near = first + digits + rest.iter().take_while(|(_, c)| *c == ' ').count() < 7;
    ((1..=2).contains(&digits) && is_level && named && near).then(|| area[first].0)
}

/// Where a word continues from column 72 into 73, which is not read, or its period
/// is there; the byte offset of column 73. Numbers there are those of the line.
fn crosses_the_margin(columns: &[LineColumn]) -> Option<usize> {
    let word = |column: usize| columns.get(column).is_some_and(|(_, c)| is_word_char(*c));
    let rest = columns.get(72..)?;
    let numbers = rest.iter().all(|(_, c)| c.is_ascii_digit() || *c == ' ');
    let period = rest.first().is_some_and(|(_, c)| *c == '.');
    (word(71) && (word(72) || period) && !numbers && !has_comment(columns)).then(|| rest[0].0)
}

/// The byte offset of the period beyond column 72 that ends a line whose text
/// has none, or ends a whole entry there. Marks of changes have no period.
fn period_beyond_the_margin(columns: &[LineColumn]) -> Option<usize> {
    let rest = columns.get(72..)?;
    let last = rest.iter().rposition(|(_, c)| *c != ' ')?;
    let text: String = columns[7..72].iter().map(|(_, c)| c).collect();
    let beyond: String = rest
        .iter()
        .map(|(_, c)| *c)
        .collect::<String>()
        .to_ascii_uppercase();
    let clause = |word: &str| matches!(word, "PIC" | "PICTURE" | "VALUE" | "OCCURS" | "REDEFINES");
    let entry = || beyond.split_whitespace().any(clause);
    let lost = rest[last].1 == '.' && (!text.trim_end().ends_with('.') || entry());
    (lost && !has_comment(columns)).then(|| rest[last].0)
}

/// Whether the line ends in a comment, which may be as long as it likes.
fn has_comment(columns: &[LineColumn]) -> bool {
    let mut pairs = columns.windows(2);
    pairs.any(|pair| pair[0].1 == '*' && pair[1].1 == '>')
}

/// The position `offset` bytes into the line that starts at `start`.
fn place(line: &str, start: SourcePosition, offset: usize, length: usize) -> SourcePosition {
    let column = line
        .get(..offset)
        .map_or(offset, |head| head.chars().count())
        + 1;
    SourcePosition {
        column: u32::try_from(column).unwrap_or(u32::MAX),
        offset: start
            .offset
            .saturating_add(u32::try_from(offset).unwrap_or(u32::MAX)),
        length: u32::try_from(length.min(line.len().saturating_sub(offset))).unwrap_or(u32::MAX),
        ..start
    }
}
