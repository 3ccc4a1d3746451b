//! How records look outside of a file: framing and conversion together.

use batch::RecordConversion;
use copybook::codec::{LongRecord, RedefinesChoice, ShortRecord, SourceMachine};
use copybook::{CodePage, CodecOptions, DecodeError, RecordCodec, RecordLayout};
use miette::{IntoDiagnostic, Result, bail};
use store::transfer::{
    ConvertError, JsonRecords, PageTranslation, RecordConverter, RecordFraming, ThroughCopybook,
    VerbatimConverter,
};
use store::{FileDef, FileOrganisation};

use super::config::{DataFormat, ZonedSign};
use super::zoned_signs::SignPlaces;

/// What `load` and `dump` need to know of the other side.
pub struct ExternalRecords {
    /// Where records begin and end.
    pub framing: RecordFraming,
    /// What their bytes mean.
    pub convert: Box<dyn RecordConverter>,
    /// Whether every byte is taken for a character, for want of a copybook.
    pub as_text: bool,
    /// Checks records that go into the file as they are.
    pub check: Option<RecordCheck>,
}

/// Refuses bytes that the file's copybook does not allow: records of another
/// code page, or of another length.
pub struct RecordCheck {
    codec: RecordCodec,
    signs: OwnSigns,
}

/// Records as they are, but for the signs of zoned numbers: they get the
/// convention of the region.
#[derive(Clone)]
struct OwnSigns {
    places: SignPlaces,
    convention: ZonedSign,
}

impl RecordConverter for OwnSigns {
    fn inward(&self, outside: &[u8], record: &mut Vec<u8>) -> Result<(), ConvertError> {
        let start = record.len();
        record.extend_from_slice(outside);
        self.places.convert(&mut record[start..], self.convention);
        Ok(())
    }

    fn outward(&self, record: &[u8], outside: &mut Vec<u8>) -> Result<(), ConvertError> {
        VerbatimConverter.outward(record, outside)
    }
}

impl RecordCheck {
    fn build(layout: &RecordLayout, inside: &CodecOptions, signs: OwnSigns) -> Result<RecordCheck> {
        let options = CodecOptions {
            // Any description of redefined storage may be the one that holds.
            other_redefines: RedefinesChoice::AllValid,
            short_record: ShortRecord::Absent,
            long_record: LongRecord::Ignore,
            ..inside.clone()
        };
        let codec = RecordCodec::build(layout, &options).into_diagnostic()?;
        Ok(RecordCheck { codec, signs })
    }
}

impl RecordConverter for RecordCheck {
    fn inward(&self, outside: &[u8], record: &mut Vec<u8>) -> Result<(), ConvertError> {
        match self.codec.decode(outside, &mut Vec::new()) {
            // Letters beyond ASCII are right in any code page but EBCDIC.
            Err(DecodeError::Unmappable { .. }) if !looks_like_ebcdic(outside) => {}
            Err(error) => return Err(ConvertError(error.to_string())),
            Ok(()) => {}
        }
        self.signs.inward(outside, record)
    }

    fn outward(&self, record: &[u8], outside: &mut Vec<u8>) -> Result<(), ConvertError> {
        VerbatimConverter.outward(record, outside)
    }
}

/// Whether most bytes are blanks, letters or digits of EBCDIC.
fn looks_like_ebcdic(record: &[u8]) -> bool {
    let there = record.iter().filter(|b| **b == 0x40 || **b >= 0x81).count();
    there * 2 > record.len()
}

/// What programs have: this machine's numbers, and signs of the region's
/// convention.
fn inside(signs: ZonedSign) -> CodecOptions {
    CodecOptions {
        code_page: CodePage::ascii().with_letter_signs(signs == ZonedSign::Ebcdic),
        ..CodecOptions::default()
    }
}

/// From a code page to what is inside.
fn convert(
    outside: CodePage,
    layout: Option<&RecordLayout>,
    inside: &CodecOptions,
) -> Result<Box<dyn RecordConverter>> {
    let Some(layout) = layout else {
        return Ok(Box::new(PageTranslation::new(outside, CodePage::ascii())));
    };
    let machine = if outside.is_ebcdic() {
        SourceMachine::Mainframe
    } else {
        SourceMachine::Here
    };
    let outside = CodecOptions {
        code_page: outside,
        machine,
        ..CodecOptions::default()
    };
    let through = ThroughCopybook::new(layout, &outside, inside).into_diagnostic()?;
    Ok(Box::new(through))
}

impl ExternalRecords {
    /// From what a person says of the data. JSON needs a copybook; another code
    /// page takes the fields of a copybook, or all bytes as characters.
    pub fn build(
        format: DataFormat,
        code_page: Option<&str>,
        layout: Option<&RecordLayout>,
        def: &FileDef,
        signs: ZonedSign,
    ) -> Result<ExternalRecords> {
        let outside = match code_page {
            Some(name) => CodePage::by_name(name).into_diagnostic()?,
            None => CodePage::ascii(),
        };
        let framing = match format {
            DataFormat::Json => RecordFraming::JsonLines,
            DataFormat::Fixed => RecordFraming::Fixed {
                record_bytes: def.max_record_bytes as usize,
            },
            DataFormat::Lines if outside.is_ebcdic() => RecordFraming::ebcdic_lines(def),
            DataFormat::Lines => RecordFraming::ascii_lines(def),
            DataFormat::Rdw => RecordFraming::Rdw,
        };
        let inside = inside(signs);
        let own_signs = layout.map(|layout| OwnSigns {
            places: SignPlaces::of(layout),
            convention: signs,
        });
        let convert: Box<dyn RecordConverter> = match (format, layout) {
            (DataFormat::Json, Some(layout)) => Box::new(JsonRecords::new(
                RecordCodec::build(layout, &inside).into_diagnostic()?,
            )),
            (DataFormat::Json, None) => {
                bail!(
                    help = "name the record's copybook (--copybook, or copybook in [files.NAME]), or say how the bytes are told apart: --format fixed, lines or rdw",
                    "records in JSON cannot be read or written without a copybook"
                );
            }
            (_, _) if outside == CodePage::ascii() => match &own_signs {
                Some(signs) => Box::new(signs.clone()),
                None => Box::new(VerbatimConverter),
            },
            (_, layout) => convert(outside, layout, &inside)?,
        };
        let as_text = layout.is_none() && outside != CodePage::ascii();
        let verbatim = format != DataFormat::Json && outside == CodePage::ascii();
        let check = match layout.filter(|_| verbatim).zip(own_signs) {
            Some((layout, signs)) => Some(RecordCheck::build(layout, &inside, signs)?),
            None => None,
        };
        Ok(ExternalRecords {
            framing,
            convert,
            as_text,
            check,
        })
    }

    /// Between a file of this machine in another code page and a program's
    /// records, whose fields a copybook describes; without one every byte is a
    /// character.
    pub fn conversion(
        code_page: &str,
        layout: Option<&RecordLayout>,
        signs: ZonedSign,
    ) -> Result<RecordConversion> {
        let outside = CodePage::by_name(code_page).into_diagnostic()?;
        Ok(RecordConversion {
            convert: convert(outside, layout, &inside(signs))?,
            is_ebcdic: outside.is_ebcdic(),
        })
    }

    /// The same with each record behind its address.
    pub fn numbered(mut self, def: &FileDef) -> Result<ExternalRecords> {
        if let FileOrganisation::Ksds(_) = def.organisation {
            bail!(
                "{} is a KSDS: its records have their keys in them",
                def.name
            );
        }
        match &mut self.framing {
            RecordFraming::Rdw => {}
            RecordFraming::Fixed { record_bytes } => *record_bytes += def.key_bytes(),
            RecordFraming::Lines { .. } | RecordFraming::JsonLines => {
                bail!("records behind their addresses want --format rdw or fixed");
            }
        }
        Ok(self)
    }
}
