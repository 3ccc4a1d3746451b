//! What a terminal enters, as programs and commands have it.
//!
//! Programs get the data after AID and cursor with characters of their own page:
//! SBA and its address before each field of a formatted screen, as CICS gives
//! it. RECEIVE MAP takes the same bytes apart again.
//! Reference: CICS application programming guide, "Terminal input".

use bms::TerminalPage;
use region::TransId;
use tn3270::InboundRecord;
use tn3270::stream::{address, plain_data};

use crate::page::PageTables;

/// The data of a record for programs. The address of the first field is left out
/// if `plain`: the screen was the region's own, not a program's.
pub fn program_data(
    record: &InboundRecord<'_>,
    positions: u16,
    plain: bool,
    page: &PageTables,
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut text = Vec::new();
    for (index, field) in record.fields().enumerate() {
        if let Some(start) = field.address.filter(|_| !plain || index > 0) {
            out.push(SBA);
            out.extend(address::emit(start, positions));
        }
        text.clear();
        plain_data(field.data, &mut text);
        out.extend(text.iter().map(|byte| page.to_program(*byte)));
    }
    out
}

/// The fields of [`program_data`] in the terminal's page, with their addresses.
/// Data of an unformatted screen have none and are left out.
pub fn map_fields(data: &[u8], page: &PageTables) -> Vec<(u16, Vec<u8>)> {
    let mut fields: Vec<(u16, Vec<u8>)> = Vec::new();
    let mut rest = data;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        match (first, after) {
            (SBA, [high, low, after @ ..]) => {
                // A program may have made the record.
                if let Ok(start) = address::parse([*high, *low]) {
                    fields.push((start, Vec::new()));
                }
                rest = after;
            }
            (byte, _) => {
                if let Some((_, text)) = fields.last_mut() {
                    text.push(page.to_terminal(byte));
                }
            }
        }
    }
    fields
}

/// The transaction code that an input begins with: up to four characters before
/// a blank or the next field, in capitals unless the terminal has NOUCTRAN.
pub fn transid(data: &[u8], upper_case: bool) -> TransId {
    let data = match data {
        [SBA, _, _, rest @ ..] => rest,
        data => data,
    };
    let is_code = |byte: &&u8| !matches!(**byte, 0..=b' ');
    let code: Vec<u8> = data.iter().take_while(is_code).take(4).copied().collect();
    let mut name = [b' '; 4];
    for (to, byte) in name.iter_mut().zip(code) {
        *to = if upper_case {
            byte.to_ascii_uppercase()
        } else {
            byte
        };
    }
    TransId::from_bytes(name)
}

/// Set buffer address.
const SBA: u8 = 0x11;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back_from_what_programs_get() {
        let page = PageTables::default();
        let bytes = [
            0x7D, 0xC2, 0x6C, 0x11, 0xC2, 0xE9, 0x81, 0x4D, 0xF1, 0x11, 0xC6, 0xD9,
        ];
        let record = InboundRecord::parse(&bytes, 1920).unwrap();
        let data = program_data(&record, 1920, false, &page);
        assert_eq!(data, b"\x11\xC2\xE9a(1\x11\xC6\xD9");
        let fields = map_fields(&data, &page);
        assert_eq!(fields, [(169, vec![0x81, 0x4D, 0xF1]), (409, Vec::new())]);
    }

    #[test]
    fn a_transaction_code_ends_at_a_blank_or_a_field() {
        let code = |data: &[u8]| transid(data, true).to_string();
        assert_eq!(code(b"inq 12"), "INQ");
        assert_eq!(code(b"\x11\x40\x40ssc1rest"), "SSC1");
        assert_eq!(code(b"ab\x11\x40\x41cd"), "AB");
        assert!(transid(b"", true).is_blank());
        assert_eq!(transid(b"ab", false).to_string(), "ab");
    }
}
