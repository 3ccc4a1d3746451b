//! Fixed and free reference format, and the detection of a text's format.
//!
//! Reference: GnuCOBOL Programmer's Guide, "Format of COBOL Source Lines";
//! Enterprise COBOL Language Reference, "Reference format".

/// How the lines of a source text are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReferenceFormat {
    /// Found from the text: see [`ReferenceFormat::detect`].
    #[default]
    Auto,
    /// Columns 1 to 6 sequence area, 7 indicator, 8 to 72 text, the rest
    /// ignored.
    Fixed,
    /// Text anywhere on the line, comments start with `*>`.
    Free,
}

impl ReferenceFormat {
    /// Fixed or Free, whichever explains more lines of `text`. A `>>SOURCE`
    /// directive decides; a text that fits both is fixed, as for `cobc`.
    pub fn detect(text: &str) -> ReferenceFormat {
        ReferenceFormat::detect_certain(text).unwrap_or(ReferenceFormat::Fixed)
    }

    /// Like [`ReferenceFormat::detect`]. Returns `None` if no line decides.
    pub(super) fn detect_certain(text: &str) -> Option<ReferenceFormat> {
        let mut fixed = 0usize;
        let mut free = 0usize;
        let (mut comments, mut shifted) = (0usize, 0usize);
        for line in text.lines() {
            if let Some(format) = source_directive(line) {
                return Some(format);
            }
            if opens_free_program(line) {
                return Some(ReferenceFormat::Free);
            }
            comments += usize::from(is_comment(line));
            shifted += usize::from(has_level_in_column_7(line));
            match vote(line) {
                Some(ReferenceFormat::Fixed) => fixed += 1,
                Some(ReferenceFormat::Free) => free += 1,
                _ => {}
            }
        }
        match (fixed, free) {
            (0, 0) => None,
            // Text one column too far left, with comments where they belong.
            _ if shifted > 0 && fixed == comments => Some(ReferenceFormat::Free),
            _ if free > fixed => Some(ReferenceFormat::Free),
            _ => Some(ReferenceFormat::Fixed),
        }
    }
}

/// The format that a `>>SOURCE FORMAT IS` or `$SET SOURCEFORMAT` line sets.
pub fn source_directive(line: &str) -> Option<ReferenceFormat> {
    let upper = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ' || c == '\t');
    if !upper.starts_with(">>") && !upper.starts_with('$') {
        return None;
    }
    let upper = upper.to_ascii_uppercase();
    let names_source = upper.trim_start_matches('>').trim_start();
    if !(names_source.starts_with("SOURCE") || upper.contains("SOURCEFORMAT")) {
        return None;
    }
    if upper.contains("FREE") {
        Some(ReferenceFormat::Free)
    } else if upper.contains("FIXED") {
        Some(ReferenceFormat::Fixed)
    } else {
        None
    }
}

/// Whether a division or paragraph header is where fixed format has its sequence
/// area.
fn opens_free_program(line: &str) -> bool {
    let columns: String = expand_tabs(line, 8).map(|(_, c)| c).take(80).collect();
    let text = columns.trim_start();
    if columns.len() - text.len() >= 6 {
        return false;
    }
    let upper = text.to_ascii_uppercase();
    let mut words = upper.split([' ', '.']).filter(|w| !w.is_empty());
    match words.next() {
        Some("IDENTIFICATION" | "ID" | "ENVIRONMENT" | "DATA" | "PROCEDURE") => {
            words.next() == Some("DIVISION")
        }
        Some("WORKING-STORAGE" | "LINKAGE" | "LOCAL-STORAGE" | "CONFIGURATION") => {
            words.next() == Some("SECTION")
        }
        Some("PROGRAM-ID" | "FUNCTION-ID") => true,
        _ => false,
    }
}

/// Whether a line has `*` in column 7 and nothing before it.
fn is_comment(line: &str) -> bool {
    let rest = line.strip_prefix("      ");
    rest.is_some_and(|rest| rest.starts_with('*') && !rest.starts_with("*>"))
}

/// Whether a line's text begins in column 7, with a level number.
fn has_level_in_column_7(line: &str) -> bool {
    let rest = line.strip_prefix("      ");
    rest.is_some_and(starts_with_level)
}

/// Whether a text begins with one or two digits and a blank.
fn starts_with_level(text: &str) -> bool {
    text.split_once(' ')
        .is_some_and(|(head, _)| head.len() <= 2 && head.parse::<u8>().is_ok())
}

/// What one line says about its format. Returns `None` if it fits both equally.
fn vote(line: &str) -> Option<ReferenceFormat> {
    let line = line.trim_end();
    let columns: Vec<char> = expand_tabs(line, 8).map(|(_, c)| c).take(80).collect();
    let first = columns.iter().position(|c| *c != ' ')?;
    let area: &[char] = &columns[..columns.len().min(6)];
    let indicator = columns.get(6).copied();
    if first >= 7 {
        return None;
    }
    if first == 6 {
        // The indicator column alone is used.
        return match columns[6] {
            '*' if columns.get(7) == Some(&'>') => None,
            '*' | '/' | '-' | 'D' | 'd' | '$' => Some(ReferenceFormat::Fixed),
            _ => Some(ReferenceFormat::Free),
        };
    }
    let numbered = area.len() == 6 && area.iter().all(char::is_ascii_digit);
    if numbered {
        return Some(match indicator {
            None | Some(' ' | '*' | '/' | '-' | 'D' | 'd' | '$') => ReferenceFormat::Fixed,
            Some(_) => ReferenceFormat::Free,
        });
    }
    // Offsets and lengths next to a level number that is where it belongs.
    let figures = area.iter().all(|c| c.is_ascii_digit() || *c == ' ');
    let rest_of_line: String = columns.iter().skip(7).collect();
    if figures && indicator == Some(' ') && starts_with_level(rest_of_line.trim_start()) {
        return Some(ReferenceFormat::Fixed);
    }
    // A word that fills columns 6 and 7, a comment sign or a level number in
    // the sequence area is free text; other marks there are change tags.
    let text: String = columns[first..].iter().collect();
    let words = area.split(|c| *c == ' ').filter(|w| !w.is_empty()).count();
    let level = starts_with_level(&text);
    let crosses = matches!(indicator, Some(c) if !matches!(c, ' ' | '*' | '/' | '-' | 'D' | 'd'));
    if text.starts_with("*>")
        || level
        || words > 1
        || crosses
        || text.ends_with('.') && columns.len() <= 7
    {
        Some(ReferenceFormat::Free)
    } else {
        Some(ReferenceFormat::Fixed)
    }
}

/// The characters of a line by column, tabs expanded to the next multiple of
/// `stop` columns; each with the byte offset it came from.
pub fn expand_tabs(line: &str, stop: usize) -> impl Iterator<Item = (usize, char)> {
    let mut column = 0usize;
    line.char_indices().flat_map(move |(offset, c)| {
        let (c, width) = match c {
            '\t' => (' ', stop - column % stop),
            c => (c, 1),
        };
        column += width;
        std::iter::repeat_n((offset, c), width)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_and_indented_texts_are_fixed() {
        assert_eq!(
            ReferenceFormat::detect("000100 01  REC.\n"),
            ReferenceFormat::Fixed
        );
        assert_eq!(
            ReferenceFormat::detect("       01  REC.\n"),
            ReferenceFormat::Fixed
        );
        assert_eq!(
            ReferenceFormat::detect("      * remark\n"),
            ReferenceFormat::Fixed
        );
        assert_eq!(
            ReferenceFormat::detect("CHG123 01  REC.\n"),
            ReferenceFormat::Fixed
        );
    }

    #[test]
    fn offsets_and_lengths_in_the_sequence_area_are_no_levels() {
        let text = "      * remark\n       01  REC.\n01  03       10  A PIC 9(4) COMP-3.\n\
                    04  05       10  B PIC 9(9) COMP-3.\n100 12     10  C PIC X(12).\n";
        assert_eq!(ReferenceFormat::detect(text), ReferenceFormat::Fixed);
        // A level at the margin, and a name far after it.
        let free = "01        REC.\n05          A PIC X.\n05          B PIC X.\n";
        assert_eq!(ReferenceFormat::detect(free), ReferenceFormat::Free);
    }

    #[test]
    fn a_text_one_column_too_far_left_is_free_whatever_its_comments_are() {
        let text = "      * remark\n      * another\n      01 REC.\n         05 A PIC X.\n";
        assert_eq!(ReferenceFormat::detect(text), ReferenceFormat::Free);
        let fixed = "      * remark\n       01 REC.\n      01 MARK.\n";
        assert_eq!(ReferenceFormat::detect(fixed), ReferenceFormat::Free);
    }

    #[test]
    fn texts_that_start_at_the_margin_are_free() {
        assert_eq!(
            ReferenceFormat::detect("01 REC.\n  05 A PIC X.\n"),
            ReferenceFormat::Free
        );
        assert_eq!(
            ReferenceFormat::detect("*> remark\n01 R PIC X.\n"),
            ReferenceFormat::Free
        );
        assert_eq!(
            ReferenceFormat::detect("       >>SOURCE FORMAT IS FREE\n"),
            ReferenceFormat::Free
        );
    }
}
