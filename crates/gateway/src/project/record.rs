//! One record of an asset: its layout, and the codecs of every field.
//!
//! Mappings see text untrimmed, so there is a codec for each kind of trimming
//! that a mapping may ask for. Redefined storage shows its first description;
//! the others can be named by their own fields. A record may be shorter than
//! its layout, when a program returns less, and longer than its counters say,
//! when it returns a table at its full length.

use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::mapping::expr::TrimMode;
use crate::problem::Fault;
use copybook::codec::{
    BlankTrimming as CodecTrim, FieldPlace, LongRecord, NumberError, ShortRecord, SourceMachine,
};
use copybook::{
    CodePage, CodecOptions, DecodeError, EncodeError, FieldCodec, FieldId, FieldKind, JsonNames,
    ParseOptions, RecordCodec, RecordLayout,
};
use std::path::Path;
use std::sync::OnceLock;

/// A laid-out record with its codecs.
#[derive(Debug)]
pub(crate) struct Record {
    layout: RecordLayout,
    page: CodePage,
    /// Unchanged.
    plain: Form,
    /// Trimmed on both sides, and at the end; made when first asked for.
    both: OnceLock<Option<Form>>,
    end: OnceLock<Option<Form>>,
}

#[derive(Debug)]
struct Form {
    codec: RecordCodec,
    /// By field; the tables around each have their first element chosen.
    fields: Vec<Option<FieldCodec>>,
}

impl Form {
    fn new(layout: &RecordLayout, page: CodePage, trim: CodecTrim) -> Result<Form, String> {
        let options = CodecOptions {
            code_page: page,
            // A program with EBCDIC data has the mainframe's numbers too.
            machine: if page.is_ebcdic() {
                SourceMachine::Mainframe
            } else {
                SourceMachine::Here
            },
            trim,
            short_record: ShortRecord::Absent,
            long_record: LongRecord::Ignore,
            ..CodecOptions::default()
        };
        let codec = RecordCodec::build(layout, &options).map_err(|e| e.to_string())?;
        let names = JsonNames::new(layout, copybook::NamingStyle::Kept);
        let field = |id: FieldId| {
            let (outer, own) = path(layout, &names, id)?;
            let path = if outer.is_empty() {
                own
            } else {
                format!("{outer}.{own}")
            };
            codec.field(&path).ok()
        };
        let fields = layout.iter().map(|(id, _)| field(id)).collect();
        Ok(Form { fields, codec })
    }
}

impl Record {
    /// Reads a copybook of one record; faults are reported and give `None`.
    pub fn load(file: &Path, out: &mut ProjectDiagnostics) -> Option<Record> {
        let text = match sources::read(file) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(e) => {
                out.error(
                    file,
                    FilePosition::default(),
                    format!("cannot be read: {e}"),
                );
                return None;
            }
        };
        Record::parse(file, &text, out)
    }

    /// Lays out the text of a copybook.
    pub fn parse(file: &Path, text: &str, out: &mut ProjectDiagnostics) -> Option<Record> {
        let name = file.display().to_string();
        let options = ParseOptions {
            source_name: &name,
            ..ParseOptions::default()
        };
        let layouts = match copybook::parse(text, &options) {
            Ok(layouts) => layouts,
            Err(faults) => {
                faults.list.into_iter().for_each(|f| out.copybook(f));
                return None;
            }
        };
        let names: Vec<&str> = layouts.iter().map(RecordLayout::name).collect();
        let message = match names.as_slice() {
            [_] => String::new(),
            [] => "the file describes no record".to_owned(),
            several => format!(
                "the file describes {} records: {}",
                several.len(),
                several.join(", ")
            ),
        };
        if !message.is_empty() {
            let help = "an asset's copybook must describe one record: an 01 level with \
                everything below it. Put the program's record into a file of its own";
            out.error_help(file, FilePosition::default(), message, help);
            return None;
        }
        let layout = layouts.into_iter().next()?;
        match Record::new(layout) {
            Ok(record) => Some(record),
            Err(why) => {
                let layouts = copybook::parse(text, &options).unwrap_or_default();
                let line = line_of(&layouts, &why);
                let column = first_column(text, line);
                let at = FilePosition { line, column };
                if why.ends_with("a counter inside a table") {
                    out.error_help(file, at, why, COUNTER_OUTSIDE)
                } else {
                    out.error(file, at, why)
                }
                None
            }
        }
    }

    /// Builds the codecs of a layout.
    pub fn new(layout: RecordLayout) -> Result<Record, String> {
        Record::with_page(layout, CodePage::ascii())
    }

    /// The record as mainframe programs have it, in this code page.
    pub fn in_page(&self, page: CodePage) -> Result<Record, String> {
        Record::with_page(self.layout.clone(), page)
    }

    fn with_page(layout: RecordLayout, page: CodePage) -> Result<Record, String> {
        let plain = Form::new(&layout, page, CodecTrim::Keep)?;
        Ok(Record {
            layout,
            page,
            plain,
            both: OnceLock::new(),
            end: OnceLock::new(),
        })
    }

    /// Bytes of a text in its code page, in which one character may have
    /// several.
    pub fn bytes_of(&self, text: &str) -> usize {
        if self.page == CodePage::utf8() {
            text.len()
        } else {
            text.chars().count()
        }
    }

    pub fn layout(&self) -> &RecordLayout {
        &self.layout
    }

    /// Bytes of the longest record.
    pub fn max_len(&self) -> usize {
        self.plain.codec.max_len()
    }

    /// Fills a record with its initial values.
    pub fn initialise(&self, record: &mut [u8]) {
        // Fails only for an area that is too short; writing the fields will say so.
        let _ = self.plain.codec.initialise(record);
    }

    /// Brings a written record to its real form. Returns its real length.
    pub fn finish(&self, record: &mut [u8]) -> Result<usize, Box<Fault>> {
        self.plain
            .codec
            .finish(record)
            .map_err(|e| Box::new(encode_fault(e)))
    }

    /// Whether a record has a length that the layout can have. A record may be
    /// shorter, but not empty.
    pub fn check_length(&self, bytes: &[u8]) -> Result<(), Box<Fault>> {
        let message = match bytes.len() {
            0 => "the program returned no data, but its description has a record".to_owned(),
            length if length <= self.max_len() => return Ok(()),
            length => format!(
                "the program returned {length} bytes, but its description has at most {}",
                self.max_len()
            ),
        };
        Err(Box::new(Fault {
            message,
            field: Some(self.layout.name().to_string()),
            ..Fault::default()
        }))
    }

    /// Appends a field's value as JSON; false if the record ends before it.
    /// `subscripts` count from 0, outermost first; a table with one less than
    /// it takes is written whole.
    pub fn decode(
        &self,
        id: FieldId,
        bytes: &[u8],
        subscripts: &[u32],
        trim: TrimMode,
        out: &mut Vec<u8>,
    ) -> Result<bool, Box<Fault>> {
        let Some(field) = &self.form(trim).fields[id.0 as usize] else {
            return Ok(false);
        };
        let from = out.len();
        self.with(field, id, subscripts, |field| {
            field
                .write_json(bytes, out)
                .map_err(|e| Box::new(decode_fault(e)))
        })??;
        if &out[from..] == b"null" {
            out.truncate(from);
            return Ok(false);
        }
        Ok(true)
    }

    /// The codecs for a kind of trimming. A record whose codec was built once can be
    /// built again with another trimming, so there is always one.
    fn form(&self, trim: TrimMode) -> &Form {
        let made = match trim {
            TrimMode::Keep => return &self.plain,
            TrimMode::Both => self
                .both
                .get_or_init(|| Form::new(&self.layout, self.page, CodecTrim::Both).ok()),
            TrimMode::End => self
                .end
                .get_or_init(|| Form::new(&self.layout, self.page, CodecTrim::Padding).ok()),
        };
        made.as_ref().unwrap_or(&self.plain)
    }

    /// Calls `f` with the field in the chosen elements.
    fn with<T>(
        &self,
        field: &FieldCodec,
        id: FieldId,
        subscripts: &[u32],
        f: impl FnOnce(&FieldCodec) -> T,
    ) -> Result<T, Box<Fault>> {
        let depth = self.depth(id);
        let Some(outer) = subscripts.get(..depth) else {
            let message = "a table before it has no subscript".to_string();
            return Err(Box::new(Fault {
                message,
                ..Fault::default()
            }));
        };
        let fault = |e: copybook::codec::PathError| {
            Box::new(Fault {
                message: e.reason,
                field: Some(e.path),
                ..Fault::default()
            })
        };
        let own = self.layout[id].occurs.as_ref().and(subscripts.get(depth));
        match (depth, own) {
            (0, None) => Ok(f(field)),
            (_, None) => Ok(f(&field.with_elements(outer).map_err(fault)?)),
            (0, Some(own)) => Ok(f(&field.element(*own).map_err(fault)?)),
            (_, Some(own)) => {
                let table = field.with_elements(outer).map_err(fault)?;
                Ok(f(&table.element(*own).map_err(fault)?))
            }
        }
    }

    /// The number of tables around a field.
    pub fn depth(&self, id: FieldId) -> usize {
        let mut depth = 0;
        let mut at = self.layout[id].parent;
        while let Some(group) = at {
            depth += usize::from(self.layout[group].occurs.is_some());
            at = self.layout[group].parent;
        }
        depth
    }

    /// Elements of a table in a record.
    pub fn count(&self, id: FieldId, bytes: &[u8], subscripts: &[u32]) -> Result<u32, Box<Fault>> {
        let Some(field) = &self.plain.fields[id.0 as usize] else {
            return Ok(0);
        };
        let outer = &subscripts[..self.depth(id).min(subscripts.len())];
        self.with(field, id, outer, |field| {
            field.count(bytes).map_err(|e| Box::new(decode_fault(e)))
        })?
    }

    /// Whether a record is long enough to hold something of a field.
    pub fn reaches(&self, id: FieldId, bytes: &[u8]) -> bool {
        let field = &self.layout[id];
        (field.offset as usize) < bytes.len() || field.slides || field.length == 0
    }

    /// Writes a JSON value into a field.
    pub fn encode(
        &self,
        id: FieldId,
        json: &str,
        record: &mut [u8],
        subscripts: &[u32],
    ) -> Result<(), Box<Fault>> {
        let Some(field) = &self.plain.fields[id.0 as usize] else {
            return Ok(());
        };
        self.with(field, id, subscripts, |field| {
            // Text is converted to a number, and a number or a boolean to text.
            let leaf = !field.is_group() && !field.is_table();
            let text = match json.as_bytes().first() {
                Some(b'"') => leaf && field.is_numeric(),
                Some(b'-' | b'0'..=b'9') => leaf && !field.is_numeric(),
                Some(b't' | b'f') => leaf,
                _ => false,
            };
            let mut tape = crate::json::JsonTape::default();
            let written = match (text, text.then(|| plain_text(json)).flatten()) {
                (true, Some(plain)) => field.read_text(plain.trim(), record),
                (true, None) => match tape.parse(json.as_bytes()) {
                    Ok(value) => field.read_text(value.plain().trim(), record),
                    Err(_) => field.read_json(json.as_bytes(), record),
                },
                (false, _) => field.read_json(json.as_bytes(), record),
            };
            written.map_err(|e| Box::new(encode_fault(e)))
        })?
    }

    /// Writes a text into a number as [`Record::encode`] writes the JSON string of
    /// it; false for a field that is not a number.
    pub fn encode_number(
        &self,
        id: FieldId,
        text: &str,
        record: &mut [u8],
        subscripts: &[u32],
    ) -> Result<bool, Box<Fault>> {
        let Some(field) = &self.plain.fields[id.0 as usize] else {
            return Ok(false);
        };
        self.with(field, id, subscripts, |field| {
            if !field.is_numeric() {
                return Ok(false);
            }
            let written = field.read_text(text.trim(), record);
            written.map_err(|e| Box::new(encode_fault(e)))?;
            Ok(true)
        })?
    }

    /// Sets the counter of a table DEPENDING ON; for any table, checks that
    /// the rows fit.
    pub fn set_count(
        &self,
        id: FieldId,
        rows: usize,
        record: &mut [u8],
        subscripts: &[u32],
    ) -> Result<(), Box<Fault>> {
        let Some(occurs) = &self.layout[id].occurs else {
            return Ok(());
        };
        if rows > occurs.max as usize {
            return Err(Box::new(Fault {
                message: format!(
                    "has {rows} items, but the table has room for {}",
                    occurs.max
                ),
                field: Some(self.layout.path(id)),
                ..Fault::default()
            }));
        }
        match occurs.depending_on {
            Some(counter) => {
                let rows = rows.max(occurs.min as usize).to_string();
                let depth = self.depth(counter).min(subscripts.len());
                self.encode(counter, &rows, record, &subscripts[..depth])
            }
            None => Ok(()),
        }
    }
}

/// The contents of a JSON string that is the whole text and has no escape.
fn plain_text(json: &str) -> Option<&str> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    let plain = |b: u8| b >= b' ' && b != b'"' && b != b'\\';
    inner.bytes().all(plain).then_some(inner)
}

/// The way to a field from below the record, each table on it with its first
/// element chosen; the field's own name apart. `None` for what has no name.
fn path(layout: &RecordLayout, names: &JsonNames, id: FieldId) -> Option<(String, String)> {
    let mut parts = Vec::new();
    let mut at = layout[id].parent;
    while let Some(group) = at {
        if let Some(above) = layout[group].parent {
            let name = names.json(group)?;
            let table = layout[group].occurs.is_some();
            parts.push(if table {
                format!("{name}(1)")
            } else {
                name.to_string()
            });
            at = Some(above);
        } else {
            at = None;
        }
    }
    parts.reverse();
    let own = match layout[id].parent {
        Some(_) => names.json(id)?.to_string(),
        None => String::new(),
    };
    Some((parts.join("."), own))
}

fn decode_fault(error: DecodeError) -> Fault {
    let place = match &error {
        DecodeError::Invalid { place, .. }
        | DecodeError::Unmappable { place, .. }
        | DecodeError::Counter { place, .. }
        | DecodeError::NoVariant { place, .. }
        | DecodeError::Subscript { place, .. } => Some(place),
        DecodeError::TooShort { .. } | DecodeError::TooLong { .. } => None,
    };
    Fault {
        field: place.map(|p| p.path.clone()),
        offset: place.map(|p| p.offset),
        message: error.to_string(),
        ..Fault::default()
    }
}

fn encode_fault(error: EncodeError) -> Fault {
    let field = |place: &FieldPlace| Some(place.path.clone());
    let (field, message) = match &error {
        EncodeError::TooLong { place, length, max } => (
            field(place),
            format!("must have at most {max} characters, has {length}"),
        ),
        EncodeError::Number {
            place,
            text,
            reason,
        } => {
            let picture = match place.picture.as_str() {
                "" => String::new(),
                picture => format!(" (PICTURE {picture})"),
            };
            let message = match reason {
                NumberError::Sign => format!("must not be negative{picture}"),
                NumberError::Decimal(why) => {
                    format!("{text} is not a number for this field: {why}")
                }
                NumberError::Misfit(why) => format!("{text} does not fit{picture}: {why}"),
            };
            (field(place), message)
        }
        EncodeError::Type {
            place,
            expected,
            found,
            ..
        } => (field(place), format!("must be {expected}, is {found}")),
        EncodeError::Unmappable {
            place,
            character,
            code_page,
        } => (
            field(place),
            format!("the character {character:?} is not in code page {code_page}"),
        ),
        EncodeError::Elements {
            place,
            count,
            min,
            max,
        } => (
            field(place),
            format!("has {count} items, but the table takes from {min} to {max}"),
        ),
        EncodeError::Duplicate { place, .. } => (field(place), "is given twice".to_string()),
        EncodeError::Missing { place } => (field(place), "is missing".to_string()),
        EncodeError::CounterConflict { place, .. }
        | EncodeError::Counter { place, .. }
        | EncodeError::Subscript { place, .. } => (field(place), error.to_string()),
        EncodeError::Unknown { .. } | EncodeError::Syntax { .. } | EncodeError::Area { .. } => {
            (None, error.to_string())
        }
    };
    Fault {
        field,
        message,
        ..Fault::default()
    }
}

/// Whether a field holds text, for the writer of mappings.
pub(crate) fn is_text(kind: &FieldKind) -> bool {
    matches!(
        kind,
        FieldKind::Alphanumeric
            | FieldKind::AlphanumericEdited
            | FieldKind::National
            | FieldKind::Dbcs
    )
}

/// Why a table cannot be counted by a field of another table.
const COUNTER_OUTSIDE: &str = "DEPENDING ON takes no subscript, so each row cannot have a count \
    of its own: give the inner table a fixed number of rows (OCCURS n TIMES)";

/// The line of the field that a codec's fault names; 0 where it names none.
fn line_of(layouts: &[RecordLayout], fault: &str) -> u32 {
    for layout in layouts {
        for (id, field) in layout.iter() {
            let rest = fault.strip_prefix(layout.path(id).as_str());
            if rest.is_some_and(|rest| rest.starts_with(": ")) {
                return field.line;
            }
        }
    }
    0
}

/// The column from 1 where a line's text begins; 0 when there is no such line.
pub(crate) fn first_column(text: &str, line: u32) -> u32 {
    let line = line
        .checked_sub(1)
        .and_then(|before| text.lines().nth(before as usize));
    let column = line.and_then(|line| line.chars().position(|c| !c.is_whitespace()));
    column.map_or(0, |before| before as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::write_string;

    #[test]
    fn a_text_goes_into_a_number_as_its_json_string_does() {
        let copybook = "\
       01  R.
           05  N  PIC S9(3)V9 COMP-3.
           05  D  PIC 9(4).
           05  B  PIC S9(4) BINARY.
           05  E  PIC ZZ9.9.
           05  T  PIC X(4).
           05  G.
               10  X  PIC X.
";
        let mut reported = ProjectDiagnostics::default();
        let record = Record::parse(Path::new("r.cpy"), copybook, &mut reported).unwrap();
        let texts = [
            "0", "12", " 7 ", "-3", "+4", "1.5", "1.55", "99999", "1e2", "", "x", "\"", "\u{e9}",
        ];
        let mut blank = vec![0; record.max_len()];
        record.initialise(&mut blank);
        let mut numbers = 0;
        for (id, _) in record.layout().iter() {
            for text in texts {
                let mut bytes = blank.clone();
                let put = record.encode_number(id, text, &mut bytes, &[]);
                if put == Ok(false) {
                    continue;
                }
                numbers += 1;
                let mut json = Vec::new();
                write_string(text, &mut json);
                let json = String::from_utf8(json).unwrap();
                let mut by_json = blank.clone();
                let put_json = record.encode(id, &json, &mut by_json, &[]);
                let name = record.layout().path(id);
                assert_eq!(put.map(|_| ()), put_json, "{name} {text:?}");
                assert_eq!(bytes, by_json, "{name} {text:?}");
            }
        }
        // Edited numbers are text.
        assert_eq!(numbers, 3 * texts.len());
    }
}
