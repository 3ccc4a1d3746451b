//! The last bytes of signed zoned numbers: which convention they follow, and their
//! conversion to the other one.
//!
//! Data that was moved from z/OS as text has `{A…I` and `}J…R` in these bytes; GnuCOBOL
//! writes plain digits and `p…y` unless `zoned_sign = "ebcdic"`. Programs read both.
//! Class tests, keys and other readers do not, so `file load` writes the convention of
//! the region and `check` warns of files with the other one.
//!
//! Invariant: only fields with exactly one description are examined: nothing redefined,
//! and nothing whose place depends on a counter.

use std::ops::ControlFlow;

use copybook::{FieldId, FieldKind, NumberStorage, RecordLayout, SignPlace};
use store::{ReadStore, SeekKey};

use super::Application;
use super::config::ZonedSign;
use super::finding::{Finding, Severity};
use crate::commands::file::which::open_reader;

/// Records of a file that `check` examines.
const MOST_RECORDS: u64 = 1000;

/// The places of overpunched signs in the records of a layout.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignPlaces(Vec<(usize, String)>);

impl SignPlaces {
    /// The places of a layout.
    pub fn of(layout: &RecordLayout) -> SignPlaces {
        let mut places = SignPlaces::default();
        places.collect(layout, FieldId(0), 0);
        places
    }

    fn collect(&mut self, layout: &RecordLayout, id: FieldId, shift: usize) {
        let field = &layout[id];
        let again = |child: &FieldId| layout[*child].redefines;
        let siblings = field.parent.map(|p| &layout[p].children);
        let is_described_again =
            siblings.is_some_and(|s| s.iter().filter_map(again).any(|r| r == id));
        if field.slides || field.redefines.is_some() || is_described_again {
            return;
        }
        let (occurrences, stride) = match &field.occurs {
            Some(occurs) if occurs.depending_on.is_some() => return,
            Some(occurs) => (occurs.max as usize, occurs.stride as usize),
            None => (1, 0),
        };
        for occurrence in 0..occurrences {
            let shift = shift + occurrence * stride;
            for child in &field.children {
                self.collect(layout, *child, shift);
            }
            let FieldKind::Numeric(numeric) = &field.kind else {
                continue;
            };
            let start = field.offset as usize + shift;
            let at = match numeric.storage {
                NumberStorage::Zoned {
                    sign: SignPlace::Trailing,
                } => start + field.length as usize - 1,
                NumberStorage::Zoned {
                    sign: SignPlace::Leading,
                } => start,
                _ => continue,
            };
            let name = field.name.clone().unwrap_or_else(|| "FILLER".to_owned());
            self.0.push((at, name));
        }
    }

    /// Converts each sign of a record to a convention.
    pub fn convert(&self, record: &mut [u8], to: ZonedSign) {
        for (at, _) in &self.0 {
            if let Some(byte) = record.get_mut(*at) {
                *byte = converted(*byte, to);
            }
        }
    }

    /// The first item of a record whose sign has the other convention.
    fn other(&self, record: &[u8], than: ZonedSign) -> Option<&str> {
        let mut places = self.0.iter();
        let is_other = |at: usize| record.get(at).is_some_and(|b| converted(*b, than) != *b);
        places
            .find(|(at, _)| is_other(*at))
            .map(|(_, name)| name.as_str())
    }
}

/// A byte with a sign, converted to a convention; plain digits are plus in both.
fn converted(byte: u8, to: ZonedSign) -> u8 {
    const PLUS: &[u8; 10] = b"{ABCDEFGHI";
    const MINUS: &[u8; 10] = b"}JKLMNOPQR";
    let digit = |list: &[u8; 10]| list.iter().position(|b| *b == byte).map(|d| d as u8);
    match to {
        ZonedSign::Ascii => match (digit(PLUS), digit(MINUS)) {
            (Some(digit), _) => b'0' + digit,
            (_, Some(digit)) => b'p' + digit,
            _ => byte,
        },
        ZonedSign::Ebcdic if (b'p'..=b'y').contains(&byte) => MINUS[usize::from(byte - b'p')],
        ZonedSign::Ebcdic => byte,
    }
}

/// Warns of files of the store whose records have signs of the other convention.
pub fn findings(app: &Application) -> Vec<Finding> {
    let described = app
        .config
        .files
        .iter()
        .filter(|(_, section)| section.copybook.is_some());
    let described: Vec<_> = described.collect();
    if described.is_empty() {
        return Vec::new();
    }
    // Without a store there are no records yet.
    let Ok(mut reader) = open_reader(app) else {
        return Vec::new();
    };
    let own = app.config.region.zoned_sign;
    let mut found = Vec::new();
    for (name, section) in described {
        let layout = app.file_layout(section).ok().flatten();
        let entry = name
            .parse()
            .ok()
            .and_then(|name| reader.find(&name).ok().flatten());
        let (Some(layout), Some(entry)) = (layout, entry) else {
            continue;
        };
        let places = SignPlaces::of(&layout);
        let (mut records, mut others, mut first) = (0, 0, None);
        let scanned = reader.scan(entry.id, SeekKey::First, &mut |record| {
            records += 1;
            if let Some(item) = places.other(record.record, own) {
                others += 1;
                first.get_or_insert_with(|| (records, item.to_owned()));
            }
            if records < MOST_RECORDS {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        if let (Ok(_), Some((number, item))) = (scanned, first) {
            found.push(warning(name, own, (others, records), (number, &item)));
        }
    }
    found
}

fn warning(
    file: &str,
    own: ZonedSign,
    (others, records): (u64, u64),
    (number, item): (u64, &str),
) -> Finding {
    let (here, other) = match own {
        ZonedSign::Ascii => ("ascii", "ebcdic"),
        ZonedSign::Ebcdic => ("ebcdic", "ascii"),
    };
    let message = format!(
        "[files.{file}]: {others} of {records} records have signs as zoned_sign = {other:?} has \
         them, first {item} of record {number}"
    );
    let help = format!(
        "programs read them and write signs of zoned_sign = {here:?}: `tupelo file dump` and \
         `tupelo file load` convert the file, or set zoned_sign = {other:?} in [region]"
    );
    Finding::new(Severity::Warning, (0, 0), message)
        .in_file("tupelo.toml")
        .with_help(help)
}

#[cfg(test)]
mod tests {
    use copybook::{ParseOptions, parse};

    use super::*;

    #[test]
    fn signs_are_found_and_converted_both_ways() {
        let text = "       01 R.\n           05 A PIC X(3).\n           05 N PIC S9(3)V99.\n           \
                    05 T OCCURS 2 PIC S9 SIGN LEADING.\n           05 U PIC 9(2).\n           \
                    05 S PIC S9 SIGN TRAILING SEPARATE.\n";
        let layout = &parse(text, &ParseOptions::default()).expect("a layout")[0];
        let places = SignPlaces::of(layout);
        let mut record = *b"J}p0123}JA12p-";
        assert_eq!(places.other(&record, ZonedSign::Ascii), Some("N"));
        assert_eq!(places.other(&record, ZonedSign::Ebcdic), None);
        places.convert(&mut record, ZonedSign::Ascii);
        assert_eq!(&record, b"J}p0123pq112p-");
        places.convert(&mut record, ZonedSign::Ebcdic);
        assert_eq!(&record, b"J}p0123}J112p-");
    }

    #[test]
    fn redefined_storage_is_not_converted() {
        let text =
            "       01 R.\n           05 N PIC S9(3).\n           05 X REDEFINES N PIC X(3).\n";
        let layout = &parse(text, &ParseOptions::default()).expect("a layout")[0];
        assert_eq!(SignPlaces::of(layout), SignPlaces::default());
    }
}
