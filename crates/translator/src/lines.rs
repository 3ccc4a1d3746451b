//! From a file to its logical lines: formats, comments, continuation.
//!
//! Fixed format has a sequence area (columns 1 to 6), an indicator (7), text
//! (8 to 72) and an identification area; tabs go to the next multiple of
//! eight. Free format has text and `*>` comments. Which one a file is in is
//! seen from its text unless the caller knows.
//! Reference: COBOL reference format; GnuCOBOL `-fixed` and `-free`.

/// Reference format of a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Seen from the text.
    #[default]
    Auto,
    /// Columns 8 to 72.
    Fixed,
    /// The whole line.
    Free,
}

/// What a line is for the lexer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// Line in the file, from 1.
    pub number: u32,
    /// Column of the first character of `text`, from 1.
    pub column: u32,
    /// The program text of the line; without trailing blanks unless the line
    /// is fixed and full.
    pub text: Vec<char>,
    /// The line goes on where the one before ended.
    pub continues: bool,
    /// A debugging line.
    pub debugging: bool,
    /// Blanks that a literal which is still open must have after `text`.
    pub fill: usize,
}

/// The lines of a text that hold program text.
pub(crate) fn lines(source: &str, format: Format) -> Vec<Line> {
    let mut format = match format {
        Format::Auto => detect(source).unwrap_or(Format::Fixed),
        known => known,
    };
    let mut out = Vec::new();
    for (i, raw) in source.lines().enumerate() {
        let number = u32::try_from(i + 1).unwrap_or(u32::MAX);
        if let Some(changed) = format_directive(raw) {
            format = changed;
            continue;
        }
        let chars = expand_tabs(raw);
        if out.is_empty() && is_compiler_options(&chars) {
            continue;
        }
        let line = match format {
            Format::Free => free_line(&chars, number),
            _ => fixed_line(&chars, number),
        };
        out.extend(line);
    }
    out
}

fn expand_tabs(raw: &str) -> Vec<char> {
    let mut out = Vec::with_capacity(raw.len());
    for c in raw.chars() {
        if c == '\t' {
            out.push(' ');
            while out.len() % 8 != 0 {
                out.push(' ');
            }
        } else {
            // Controls are blanks to the compiler too.
            out.push(if c < ' ' { ' ' } else { c });
        }
    }
    out
}

fn fixed_line(chars: &[char], number: u32) -> Option<Line> {
    if chars.iter().all(|c| *c == ' ') {
        return None;
    }
    let indicator = chars.get(6).copied().unwrap_or(' ');
    if matches!(indicator, '*' | '/' | '$') {
        return None;
    }
    let end = chars.len().min(72);
    let text: Vec<char> = chars.get(7..end).unwrap_or(&[]).to_vec();
    let text_end = text.iter().rposition(|c| *c != ' ').map_or(0, |p| p + 1);
    Some(Line {
        number,
        column: 8,
        fill: 65 - text_end,
        text: text[..text_end].to_vec(),
        continues: indicator == '-',
        debugging: matches!(indicator, 'D' | 'd'),
    })
}

fn free_line(chars: &[char], number: u32) -> Option<Line> {
    let start = chars.iter().position(|c| *c != ' ')?;
    let end = chars
        .iter()
        .rposition(|c| *c != ' ')
        .map_or(start, |p| p + 1);
    let mut text = &chars[start..end];
    if text.starts_with(&['*', '>']) || starts_with_word(text, "$SET") {
        return None;
    }
    let mut column = start + 1;
    let debugging = starts_with_word(text, ">>D");
    if debugging {
        text = &text[3..];
        column += 3;
    }
    Some(Line {
        number,
        column: u32::try_from(column).unwrap_or(u32::MAX),
        text: text.to_vec(),
        continues: false,
        debugging,
        fill: 0,
    })
}

fn starts_with_word(text: &[char], word: &str) -> bool {
    let len = word.len();
    text.len() >= len
        && text
            .iter()
            .zip(word.chars())
            .all(|(a, b)| a.eq_ignore_ascii_case(&b))
        && text
            .get(len)
            .is_none_or(|c| !(c.is_alphanumeric() || *c == '-'))
}

/// `CBL` and `PROCESS` statements, which stand before the program.
fn is_compiler_options(chars: &[char]) -> bool {
    let at = chars.iter().position(|c| *c != ' ').unwrap_or(0);
    let text = &chars[at..];
    starts_with_word(text, "CBL") || starts_with_word(text, "PROCESS")
}

fn format_directive(raw: &str) -> Option<Format> {
    let up = raw.trim_start().to_ascii_uppercase();
    let rest = up
        .strip_prefix(">>SOURCE")
        .or_else(|| up.strip_prefix(">> SOURCE"))
        .or_else(|| up.strip_prefix("$SET SOURCEFORMAT"))
        .or_else(|| up.strip_prefix(">>SET SOURCEFORMAT"))?;
    if rest.contains("FREE") {
        Some(Format::Free)
    } else if rest.contains("FIXED") {
        Some(Format::Fixed)
    } else {
        None
    }
}

/// Words that begin a line of a program in free format and never stand in the
/// sequence area of a fixed one.
const OPENERS: &[&str] = &[
    "IDENTIFICATION",
    "ID",
    "PROGRAM-ID",
    "ENVIRONMENT",
    "DATA",
    "PROCEDURE",
    "WORKING-STORAGE",
    "LINKAGE",
    "LOCAL-STORAGE",
    "CONFIGURATION",
    "REPLACE",
    "COPY",
    "FUNCTION-ID",
];

/// The format that a text looks like, if it looks like one.
pub(crate) fn detect(source: &str) -> Option<Format> {
    let (mut like_fixed, mut unlike) = (0usize, 0usize);
    for raw in source.lines() {
        if let Some(format) = format_directive(raw) {
            return Some(format);
        }
        let chars = expand_tabs(raw);
        let Some(start) = chars.iter().position(|c| *c != ' ') else {
            continue;
        };
        if is_compiler_options(&chars) {
            continue;
        }
        if start < 6 && OPENERS.iter().any(|w| starts_with_word(&chars[start..], w)) {
            return Some(Format::Free);
        }
        if chars[start..].starts_with(&['*', '>']) && start != 6 {
            unlike += 1;
            continue;
        }
        let area = &chars[start..chars.len().min(6).max(start)];
        let words = area.split(|c| *c == ' ').filter(|w| !w.is_empty()).count();
        match chars.get(6) {
            None => {}
            // A sequence number is one word.
            Some(_) if words > 1 => unlike += 1,
            Some(' ' | '*' | '-' | '/' | 'D' | 'd' | '$') => like_fixed += 1,
            Some(_) => unlike += 1,
        }
    }
    match (like_fixed, unlike) {
        (0, 0) => None,
        (f, u) if u > f => Some(Format::Free),
        _ => Some(Format::Fixed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str, format: Format) -> Vec<String> {
        lines(source, format)
            .iter()
            .map(|l| l.text.iter().collect())
            .collect()
    }

    #[test]
    fn fixed_lines_lose_sequence_and_identification_areas() {
        let line = format!("000100 {:<65}BANK0001", "    MOVE A TO B.");
        assert_eq!(texts(&line, Format::Auto), ["    MOVE A TO B."]);
        assert_eq!(
            texts("000200*COMMENT\n000300/\n", Format::Fixed),
            Vec::<String>::new()
        );
    }

    #[test]
    fn tabs_reach_the_text_area() {
        assert_eq!(texts("\tMOVE A TO B.", Format::Fixed), [" MOVE A TO B."]);
    }

    #[test]
    fn free_text_is_seen() {
        let source = "identification division.\nprogram-id. a.\n*> x\n  display 'a'.\n";
        assert_eq!(detect(source), Some(Format::Free));
        assert_eq!(texts(source, Format::Auto).len(), 3);
        assert_eq!(
            detect("       ID DIVISION.\n       PROGRAM-ID. A.\n"),
            Some(Format::Fixed)
        );
        assert_eq!(
            texts(
                "       >>SOURCE FORMAT IS FREE\nid division.\n",
                Format::Auto
            ),
            ["id division."]
        );
    }

    #[test]
    fn options_lines_are_dropped() {
        assert_eq!(
            texts("CBL CICS('SP')\n PROCESS LIB\n", Format::Fixed),
            Vec::<String>::new()
        );
        assert_eq!(
            texts("       ID DIVISION.\n       PROCESS.\n", Format::Fixed).len(),
            2
        );
    }
}
