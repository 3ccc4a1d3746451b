//! Records through a copybook: as JSON, or field by field in another code page.

use copybook::codec::{BlankTrimming, BuildError};
use copybook::{
    CodePage, CodecOptions, FieldId, FieldKind, NumberStorage, RecordCodec, RecordLayout, SignPlace,
};

use super::codepage::translate_loosely;
use super::convert::{ConvertError, RecordConverter};

/// A record outside is the JSON text of the one in the file.
#[derive(Debug, Clone)]
pub struct JsonRecords {
    codec: RecordCodec,
}

impl JsonRecords {
    /// Through this codec, whose code page is the file's.
    pub fn new(codec: RecordCodec) -> Self {
        Self { codec }
    }
}

impl RecordConverter for JsonRecords {
    fn inward(&self, outside: &[u8], record: &mut Vec<u8>) -> Result<(), ConvertError> {
        encode(&self.codec, outside, record)
    }

    fn outward(&self, record: &[u8], outside: &mut Vec<u8>) -> Result<(), ConvertError> {
        self.codec
            .decode(record, outside)
            .map_err(|error| ConvertError(error.to_string()))
    }
}

/// A record outside has the same fields in another code page, or comes from
/// another kind of machine: characters are translated, numbers keep their value
/// in other bytes. Elementary FILLER is translated if it is text and copied if
/// not, except if a table of variable length moves it.
#[derive(Debug, Clone)]
pub struct ThroughCopybook {
    outside: RecordCodec,
    inside: RecordCodec,
    fillers: Vec<Filler>,
}

/// Storage without a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Filler {
    start: usize,
    end: usize,
    text: bool,
}

impl ThroughCopybook {
    /// Between records of this layout as the two options describe them.
    pub fn new(
        layout: &RecordLayout,
        outside: &CodecOptions,
        inside: &CodecOptions,
    ) -> Result<Self, BuildError> {
        // Fields pass through JSON text: it must say all, and in one way.
        let whole = |options: &CodecOptions| CodecOptions {
            trim: BlankTrimming::Keep,
            omit_empty: false,
            naming: inside.naming,
            numbers: inside.numbers,
            edited: inside.edited,
            ..options.clone()
        };
        let mut fillers = Vec::new();
        collect_fillers(layout, FieldId(0), 0, &mut fillers);
        Ok(Self {
            outside: RecordCodec::build(layout, &whole(outside))?,
            inside: RecordCodec::build(layout, &whole(inside))?,
            fillers,
        })
    }

    fn convert(
        &self,
        from: &RecordCodec,
        to: &RecordCodec,
        record: &[u8],
        result: &mut Vec<u8>,
    ) -> Result<(), ConvertError> {
        let mut json = Vec::new();
        from.decode(record, &mut json)
            .map_err(|error| ConvertError(error.to_string()))?;
        encode(to, &json, result)?;
        let (from, to) = (from.options().code_page, to.options().code_page);
        for filler in &self.fillers {
            let places = (
                record.get(filler.start..filler.end),
                result.get_mut(filler.start..filler.end),
            );
            if let (Some(source), Some(target)) = places {
                filler.copy(source, target, from, to);
            }
        }
        Ok(())
    }
}

impl RecordConverter for ThroughCopybook {
    fn inward(&self, outside: &[u8], record: &mut Vec<u8>) -> Result<(), ConvertError> {
        self.convert(&self.outside, &self.inside, outside, record)
    }

    fn outward(&self, record: &[u8], outside: &mut Vec<u8>) -> Result<(), ConvertError> {
        self.convert(&self.inside, &self.outside, record, outside)
    }
}

impl Filler {
    fn copy(self, source: &[u8], target: &mut [u8], from: CodePage, to: CodePage) {
        if !self.text {
            return target.copy_from_slice(source);
        }
        for (byte, place) in source.iter().zip(target) {
            *place = translate_loosely(from, to, *byte);
        }
    }
}

fn encode(codec: &RecordCodec, json: &[u8], record: &mut Vec<u8>) -> Result<(), ConvertError> {
    record.resize(codec.max_len(), 0);
    let length = codec
        .encode(json, record)
        .map_err(|error| ConvertError(error.to_string()))?;
    record.truncate(length);
    Ok(())
}

/// Collects elementary FILLER below a field that starts `shift` bytes after its
/// offset. Redefinitions are skipped: their storage is named elsewhere.
fn collect_fillers(layout: &RecordLayout, id: FieldId, shift: usize, fillers: &mut Vec<Filler>) {
    let field = &layout[id];
    if field.slides || field.redefines.is_some() {
        return;
    }
    let occurrences = match &field.occurs {
        Some(occurs) if occurs.depending_on.is_some() => return,
        Some(occurs) => (occurs.max as usize, occurs.stride as usize),
        None => (1, 0),
    };
    for occurrence in 0..occurrences.0 {
        let shift = shift + occurrence * occurrences.1;
        for child in &field.children {
            collect_fillers(layout, *child, shift, fillers);
        }
        if field.name.is_none() && field.children.is_empty() {
            let start = field.offset as usize + shift;
            let end = start + field.length as usize;
            fillers.push(Filler {
                start,
                end,
                text: is_text(&field.kind),
            });
        }
    }
}

/// True for storage that holds a character a byte, whatever its value.
fn is_text(kind: &FieldKind) -> bool {
    match kind {
        FieldKind::Alphanumeric | FieldKind::AlphanumericEdited | FieldKind::NumericEdited(_) => {
            true
        }
        FieldKind::Numeric(numeric) => {
            numeric.storage
                == NumberStorage::Zoned {
                    sign: SignPlace::None,
                }
        }
        _ => false,
    }
}
