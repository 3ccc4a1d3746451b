//! How records look outside of a file: framing and conversion together.

use copybook::codec::Machine;
use copybook::{CodePage, Codec, CodecOptions, Layout};
use miette::{IntoDiagnostic, Result, bail};
use store::transfer::{Convert, Framing, JsonRecords, ThroughCopybook, Translate, Verbatim};
use store::{FileDef, Organisation};

use super::config::DataFormat;

/// What `load` and `dump` need to know of the other side.
pub struct Records {
    /// Where records begin and end.
    pub framing: Framing,
    /// What their bytes mean.
    pub convert: Box<dyn Convert>,
    /// Whether every byte is taken for a character, for want of a copybook.
    pub as_text: bool,
}

impl Records {
    /// From what a person says of the data. JSON needs a copybook; another code
    /// page takes the fields of a copybook, or all bytes as characters.
    pub fn build(
        format: DataFormat,
        code_page: Option<&str>,
        layout: Option<&Layout>,
        def: &FileDef,
    ) -> Result<Records> {
        let outside = match code_page {
            Some(name) => CodePage::by_name(name).into_diagnostic()?,
            None => CodePage::ascii(),
        };
        let framing = match format {
            DataFormat::Json => Framing::JsonLines,
            DataFormat::Fixed => Framing::Fixed {
                record_bytes: def.max_record_bytes as usize,
            },
            DataFormat::Lines if outside.is_ebcdic() => Framing::ebcdic_lines(def),
            DataFormat::Lines => Framing::ascii_lines(def),
            DataFormat::Rdw => Framing::Rdw,
        };
        let inside = CodecOptions::default();
        let convert: Box<dyn Convert> = match (format, layout) {
            (DataFormat::Json, Some(layout)) => Box::new(JsonRecords::new(
                Codec::build(layout, &inside).into_diagnostic()?,
            )),
            (DataFormat::Json, None) => {
                bail!(
                    help = "name the record's copybook (--copybook, or copybook in [files.NAME]), or say how the bytes are told apart: --format fixed, lines or rdw",
                    "records in JSON cannot be read or written without a copybook"
                );
            }
            (_, _) if outside == CodePage::ascii() => Box::new(Verbatim),
            (_, Some(layout)) => {
                let outside = CodecOptions {
                    code_page: outside,
                    machine: match outside.is_ebcdic() {
                        true => Machine::Mainframe,
                        false => Machine::Here,
                    },
                    ..CodecOptions::default()
                };
                Box::new(ThroughCopybook::new(layout, &outside, &inside).into_diagnostic()?)
            }
            (_, None) => Box::new(Translate::new(outside, CodePage::ascii())),
        };
        let as_text = layout.is_none() && outside != CodePage::ascii();
        Ok(Records {
            framing,
            convert,
            as_text,
        })
    }

    /// The same with each record behind its address.
    pub fn numbered(mut self, def: &FileDef) -> Result<Records> {
        if let Organisation::Ksds(_) = def.organisation {
            bail!(
                "{} is a KSDS: its records have their keys in them",
                def.name
            );
        }
        match &mut self.framing {
            Framing::Rdw => {}
            Framing::Fixed { record_bytes } => *record_bytes += def.key_bytes(),
            Framing::Lines { .. } | Framing::JsonLines => {
                bail!("records behind their addresses want --format rdw or fixed");
            }
        }
        Ok(self)
    }
}
