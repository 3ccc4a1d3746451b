//! Options of parsing, and the entry points.

use crate::diagnostic::{Diagnostics, SourceFile};
use crate::layout::{self, PictureRules};
use crate::model::RecordLayout;
use crate::parse as entries;
use crate::source::{
    self, CopyResolver, Cursor, NoCopy, ReferenceFormat, TextPiece, data_division, environment,
};

/// Options of parsing.
#[derive(Clone, Copy)]
pub struct ParseOptions<'a> {
    /// Reference format of the text and its COPY members.
    pub format: ReferenceFormat,
    /// Where COPY members come from.
    pub copy: &'a dyn CopyResolver,
    /// Name of the text in diagnostics, usually a path. When the text starts
    /// below level 01 its record takes the last part's stem as its name.
    pub source_name: &'a str,
    /// DECIMAL-POINT IS COMMA; also taken from a program's SPECIAL-NAMES.
    pub decimal_comma: bool,
    /// The currency symbol; also taken from a program's SPECIAL-NAMES.
    pub currency: char,
    /// Bytes of a POINTER: 8 as GnuCOBOL has it, 4 as z/OS has it in 31-bit
    /// programs.
    pub pointer_bytes: u32,
}

impl Default for ParseOptions<'_> {
    fn default() -> Self {
        ParseOptions {
            format: ReferenceFormat::Auto,
            copy: &NoCopy,
            source_name: "copybook",
            decimal_comma: false,
            currency: '$',
            pointer_bytes: 8,
        }
    }
}

/// The outcome of a parse without errors.
#[derive(Debug, Clone)]
pub struct Copybook {
    /// One layout for every level-01 and 77 item, in source order.
    pub layouts: Vec<RecordLayout>,
    /// Accepted text that may be a mistake.
    pub warnings: Diagnostics,
}

/// Parses a copybook, or the data division of a program, and lays out its
/// records.
///
/// # Errors
/// All faults of the text, if it has any.
pub fn parse(text: &str, options: &ParseOptions<'_>) -> Result<Vec<RecordLayout>, Diagnostics> {
    parse_with_warnings(text, options).map(|copybook| copybook.layouts)
}

/// Like [`parse`], with the warnings.
///
/// # Errors
/// All faults of the text, if it has any.
pub fn parse_with_warnings(
    text: &str,
    options: &ParseOptions<'_>,
) -> Result<Copybook, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let (pieces, rules) = expanded(text, options, &mut diagnostics);
    if source::report_placeholders(&pieces, &mut diagnostics) {
        diagnostics.sort();
        return Err(diagnostics);
    }
    let cursor = Cursor::new(&pieces, rules.decimal_comma);
    let name = record_name(options.source_name);
    let parsed = entries::parse(cursor, &name, &mut diagnostics);
    let layouts = layout::lay_out(parsed, rules, &mut diagnostics);
    diagnostics.sort();
    if diagnostics.has_errors() {
        return Err(diagnostics);
    }
    Ok(Copybook {
        layouts,
        warnings: diagnostics,
    })
}

/// Carries out COPY and REPLACE and returns the data descriptions in free format,
/// without comments, one line for each line of the source.
///
/// # Errors
/// The faults of COPY and REPLACE statements.
pub fn expand(text: &str, options: &ParseOptions<'_>) -> Result<String, Diagnostics> {
    let mut diagnostics = Diagnostics::default();
    let (pieces, _) = expanded(text, options, &mut diagnostics);
    if diagnostics.has_errors() {
        diagnostics.sort();
        return Err(diagnostics);
    }
    let mut out = String::new();
    for piece in &pieces {
        if piece.first_on_line && !out.is_empty() {
            let end = out.trim_end().len();
            out.truncate(end);
            out.push('\n');
        }
        out.push_str(&piece.text);
    }
    let end = out.trim_end().len();
    out.truncate(end);
    out.push('\n');
    Ok(out)
}

/// Whether a text says DECIMAL-POINT IS COMMA: a program, or a copybook that
/// [`with_decimal_comma`] made.
pub fn has_decimal_comma(text: &str) -> bool {
    let mut diagnostics = Diagnostics::default();
    let file = diagnostics.add_file("", text);
    let lines = source::lines_of(text, ReferenceFormat::Auto);
    let pieces = source::read(text, file, lines, &mut diagnostics);
    environment(&pieces).decimal_comma
}

/// A copybook's text after the paragraph that a program says it in, so that the
/// text means the same without the program. One that has it stays as it is.
pub fn with_decimal_comma(text: &str) -> String {
    if has_decimal_comma(text) {
        return text.to_owned();
    }
    let margin = match ReferenceFormat::detect(text) {
        ReferenceFormat::Free => "",
        _ => "       ",
    };
    // A directive of the format is before everything.
    let directive = text.trim_start().starts_with(">>");
    let begin = match text.find('\n').filter(|_| directive) {
        Some(end) => end + 1,
        None => 0,
    };
    let said = DECIMAL_COMMA
        .lines()
        .map(|line| format!("{margin}{line}\n"));
    let said: String = said.collect();
    format!("{}{said}{}", &text[..begin], &text[begin..])
}

/// The paragraph of a program before its data division.
const DECIMAL_COMMA: &str = "ENVIRONMENT DIVISION.\nCONFIGURATION SECTION.\nSPECIAL-NAMES.\n    \
     DECIMAL-POINT IS COMMA.\nDATA DIVISION.\nLINKAGE SECTION.";

/// The pieces of the data descriptions, and the rules in force.
fn expanded(
    text: &str,
    options: &ParseOptions<'_>,
    diagnostics: &mut Diagnostics,
) -> (Vec<TextPiece>, PictureRules) {
    let file = diagnostics.add_file(options.source_name, text);
    let lines = source::lines_of(text, options.format);
    let pieces = source::read(text, file, lines, diagnostics);
    let special = environment(&pieces);
    let rules = PictureRules {
        decimal_comma: options.decimal_comma || special.decimal_comma,
        currency: special.currency.unwrap_or(options.currency),
        pointer_bytes: options.pointer_bytes,
    };
    let pieces = data_division(pieces);
    let pieces = source::expand(pieces, lines, options.copy, diagnostics);
    // A member may bring section headers of its own.
    (data_division(pieces), rules)
}

/// A COBOL name from the last part of a path.
fn record_name(source_name: &str) -> String {
    let file = source_name.rsplit(['/', '\\']).next().unwrap_or("");
    let stem = file.split('.').next().unwrap_or("");
    let name: String = stem
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let name = name.trim_matches('-').to_ascii_uppercase();
    if name.is_empty() {
        "RECORD".into()
    } else {
        name
    }
}

impl Diagnostics {
    /// Brings diagnostics into the order of the text they point at.
    fn sort(&mut self) {
        self.list
            .sort_by_key(|d| (d.at.file, d.at.line, d.at.column));
    }

    /// The file a diagnostic points into.
    pub fn file(&self, diagnostic: &crate::diagnostic::Diagnostic) -> Option<&SourceFile> {
        self.files.get(usize::from(diagnostic.at.file))
    }
}
