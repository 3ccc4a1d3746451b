//! The members DFHAID, DFHBMSCA and DFHATTR that programs COPY.
//!
//! Values are bytes of the terminal, so they are written in hexadecimal: as
//! characters they would be other bytes in a region whose programs are not
//! EBCDIC. EIBAID and the attribute bytes of symbolic maps have the same values.
//! Reference: CICS application programming reference, "DFHAID" and "DFHBMSCA".

use std::fmt::Write;

/// The text of a member in fixed format; the name in capitals. Returns `None` if
/// this crate does not supply it.
pub fn member(name: &str) -> Option<String> {
    match name {
        "DFHAID" => Some(group(name, DFHAID)),
        "DFHBMSCA" => Some(group(name, DFHBMSCA)),
        // An installation's own member. Programs that only COPY it compile.
        "DFHATTR" => Some("      * DFHATTR has no items unless you supply the member.\n".into()),
        _ => None,
    }
}

/// A group item with one byte for each constant.
fn group(name: &str, constants: &[(&str, u8)]) -> String {
    let mut text = format!("       01  {name}.\n");
    for (item, value) in constants {
        let _ = writeln!(
            text,
            "           02  {item:<8}  PIC X VALUE X'{value:02X}'."
        );
        if *item == "DFHBMFLG" {
            text.push_str("               88  DFHERASE  VALUES ARE X'80' X'82'.\n");
            text.push_str("               88  DFHCURSR  VALUES ARE X'02' X'82'.\n");
        }
    }
    text
}

/// Attention identifiers.
pub const DFHAID: &[(&str, u8)] = &[
    ("DFHNULL", 0x00),
    ("DFHENTER", 0x7D),
    ("DFHCLEAR", 0x6D),
    ("DFHCLRP", 0x6A),
    ("DFHPEN", 0x7E),
    ("DFHOPID", 0xE6),
    ("DFHMSRE", 0xE7),
    ("DFHSTRF", 0x88),
    ("DFHTRIG", 0x7F),
    ("DFHPA1", 0x6C),
    ("DFHPA2", 0x6E),
    ("DFHPA3", 0x6B),
    ("DFHPF1", 0xF1),
    ("DFHPF2", 0xF2),
    ("DFHPF3", 0xF3),
    ("DFHPF4", 0xF4),
    ("DFHPF5", 0xF5),
    ("DFHPF6", 0xF6),
    ("DFHPF7", 0xF7),
    ("DFHPF8", 0xF8),
    ("DFHPF9", 0xF9),
    ("DFHPF10", 0x7A),
    ("DFHPF11", 0x7B),
    ("DFHPF12", 0x7C),
    ("DFHPF13", 0xC1),
    ("DFHPF14", 0xC2),
    ("DFHPF15", 0xC3),
    ("DFHPF16", 0xC4),
    ("DFHPF17", 0xC5),
    ("DFHPF18", 0xC6),
    ("DFHPF19", 0xC7),
    ("DFHPF20", 0xC8),
    ("DFHPF21", 0xC9),
    ("DFHPF22", 0x4A),
    ("DFHPF23", 0x4B),
    ("DFHPF24", 0x4C),
];

/// Attribute bytes, flags, attribute types and values.
pub const DFHBMSCA: &[(&str, u8)] = &[
    ("DFHBMPEM", 0x19),
    ("DFHBMPNL", 0x15),
    ("DFHBMPFF", 0x0C),
    ("DFHBMPCR", 0x0D),
    ("DFHBMASK", 0xF0),
    ("DFHBMUNP", 0x40),
    ("DFHBMUNN", 0x50),
    ("DFHBMPRO", 0x60),
    ("DFHBMBRY", 0xC8),
    ("DFHBMDAR", 0x4C),
    ("DFHBMFSE", 0xC1),
    ("DFHBMPRF", 0x61),
    ("DFHBMASF", 0xF1),
    ("DFHBMASB", 0xF8),
    ("DFHBMPSO", 0x0E),
    ("DFHBMPSI", 0x0F),
    ("DFHBMEOF", 0x80),
    ("DFHBMCUR", 0x02),
    ("DFHBMEC", 0x82),
    ("DFHBMFLG", 0x00),
    ("DFHBMDET", 0xFF),
    ("DFHSA", 0x28),
    ("DFHCOLOR", 0x42),
    ("DFHPS", 0x43),
    ("DFHHLT", 0x41),
    ("DFH3270", 0xC0),
    ("DFHVAL", 0xC1),
    ("DFHOUTLN", 0xC2),
    ("DFHBKTRN", 0x46),
    ("DFHALL", 0x00),
    ("DFHERROR", 0x3F),
    ("DFHDFT", 0xFF),
    ("DFHDFCOL", 0x00),
    ("DFHBLUE", 0xF1),
    ("DFHRED", 0xF2),
    ("DFHPINK", 0xF3),
    ("DFHGREEN", 0xF4),
    ("DFHTURQ", 0xF5),
    ("DFHYELLO", 0xF6),
    ("DFHNEUTR", 0xF7),
    ("DFHBASE", 0x00),
    ("DFHDFHI", 0x00),
    ("DFHBLINK", 0xF1),
    ("DFHREVRS", 0xF2),
    ("DFHUNDLN", 0xF4),
    ("DFHMFIL", 0x04),
    ("DFHMENT", 0x02),
    ("DFHMFE", 0x06),
    ("DFHMT", 0x01),
    ("DFHMFT", 0x05),
    ("DFHMET", 0x03),
    ("DFHMFET", 0x07),
    ("DFHUNNOD", 0x4D),
    ("DFHUNIMD", 0xC9),
    ("DFHUNNUM", 0xD1),
    ("DFHUNNUB", 0xD8),
    ("DFHUNINT", 0xD9),
    ("DFHUNNON", 0x5D),
    ("DFHPROTI", 0xE8),
    ("DFHPROTN", 0x6C),
    ("DFHDFFR", 0x00),
    ("DFHUNDER", 0x01),
    ("DFHRIGHT", 0x02),
    ("DFHOVER", 0x04),
    ("DFHLEFT", 0x08),
    ("DFHBOX", 0x0F),
    ("DFHSOSI", 0x01),
    ("DFHTRANS", 0xF0),
    ("DFHOPAQ", 0xFF),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::is_graphic;

    #[test]
    fn members_fit_the_columns_of_fixed_format() {
        for name in ["DFHAID", "DFHBMSCA", "DFHATTR"] {
            let text = member(name).unwrap();
            assert!(text.lines().all(|line| line.len() <= 72), "{text}");
        }
        assert_eq!(member("DFHRESP"), None);
    }

    #[test]
    fn names_are_unique_and_every_key_has_its_own_value() {
        let mut names: Vec<&str> = DFHAID.iter().chain(DFHBMSCA).map(|(n, _)| *n).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
        let mut keys: Vec<u8> = DFHAID.iter().map(|(_, value)| *value).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), DFHAID.len());
        assert_eq!(DFHAID.len(), 36);
    }

    #[test]
    fn field_attributes_are_graphics() {
        let field = [
            "BMASK", "BMUNP", "BMDAR", "BMFSE", "UNNOD", "UNNON", "PROTI", "PROTN",
        ];
        for (name, value) in DFHBMSCA {
            if field.iter().any(|f| name.ends_with(f)) {
                assert!(is_graphic(*value), "{name}");
            }
        }
    }
}
