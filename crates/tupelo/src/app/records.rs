//! Records outside of a file of the store: framing and conversion together.

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

/// The format of records that `load` reads and `dump` writes.
pub struct ExternalRecords {
    /// Where records begin and end.
    pub framing: RecordFraming,
    /// The conversion of their bytes.
    pub convert: Box<dyn RecordConverter>,
    /// Whether every byte is converted as a character, because there is no copybook.
    pub as_text: bool,
    /// Checks records that go into the file unconverted.
    pub check: Option<RecordCheck>,
}

/// Rejects records that the file's copybook does not allow: those of another code
/// page, or of another length.
pub struct RecordCheck {
    codec: RecordCodec,
    signs: OwnSigns,
}

/// Records without conversion, except the signs of zoned numbers: they get the
/// region's convention.
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
            // A record is valid if one description of redefined storage fits.
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
            // Letters beyond ASCII are valid in every code page except EBCDIC.
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

/// Whether most bytes are blanks, letters or digits in EBCDIC.
fn looks_like_ebcdic(record: &[u8]) -> bool {
    let there = record.iter().filter(|b| **b == 0x40 || **b >= 0x81).count();
    there * 2 > record.len()
}

/// The encoding of programs: this machine's numbers, and signs of the region's
/// convention.
fn inside(signs: ZonedSign) -> CodecOptions {
    CodecOptions {
        code_page: CodePage::ascii().with_letter_signs(signs == ZonedSign::Ebcdic),
        ..CodecOptions::default()
    }
}

/// The conversion from a code page to the encoding of programs.
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
    /// Builds the format from the options of a command. JSON needs a copybook. Another code
    /// page converts the fields of a copybook, or all bytes as characters.
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
                    help = "name the record's copybook (--copybook, or copybook in [files.NAME]), or name another format: --format fixed, lines or rdw",
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

    /// The conversion between a file of this machine in another code page and the records
    /// of a program, whose fields a copybook describes. Without a copybook every byte is
    /// converted as a character.
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

    /// The format with each record after its address.
    pub fn numbered(mut self, def: &FileDef) -> Result<ExternalRecords> {
        if let FileOrganisation::Ksds(_) = def.organisation {
            bail!(
                "{} is a KSDS: its records contain their keys, so addresses are for an ESDS or RRDS only",
                def.name
            );
        }
        match &mut self.framing {
            RecordFraming::Rdw => {}
            RecordFraming::Fixed { record_bytes } => *record_bytes += def.key_bytes(),
            RecordFraming::Lines { .. } | RecordFraming::JsonLines => {
                bail!("records with addresses need --format rdw or fixed");
            }
        }
        Ok(self)
    }
}
