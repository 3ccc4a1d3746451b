//! DSNTIAR and DSNTIAC: the SQLCA as lines of text.
//!
//! Reference: Db2 for z/OS Application Programming and SQL Guide, "Displaying
//! SQLCA fields by calling DSNTIAR".

use sql::code::{SQLCA_BYTES, Sqlca, TiarCode};

use super::areas::SqlAreas;

/// DSNTIAR: SQLCA, message area, LRECL. Returns the return code.
pub fn dsntiar(areas: &mut dyn SqlAreas) -> i32 {
    message(areas, 0)
}

/// DSNTIAC: EIB and COMMAREA, then as [`dsntiar`].
pub fn dsntiac(areas: &mut dyn SqlAreas) -> i32 {
    message(areas, 2)
}

fn message(areas: &mut dyn SqlAreas, first: usize) -> i32 {
    let Some(ca) = areas.bytes(first).first_chunk::<SQLCA_BYTES>() else {
        return TiarCode::Area as i32;
    };
    let ca = Sqlca::read(ca);
    let Some(lrecl) = areas.bytes(first + 2).first_chunk::<4>() else {
        return TiarCode::Lrecl as i32;
    };
    // COMP, or COMP-5: the one that can be a length.
    let lrecl = u32::from_be_bytes(*lrecl).min(u32::from_ne_bytes(*lrecl));
    let area = areas.bytes_mut(first + 1);
    let Some((length, text)) = area.split_first_chunk_mut::<2>() else {
        return TiarCode::Area as i32;
    };
    let (big, own) = (u16::from_be_bytes(*length), u16::from_ne_bytes(*length));
    let length = [big, own]
        .map(usize::from)
        .into_iter()
        .find(|l| *l <= text.len())
        .unwrap_or(text.len());
    let lrecl = usize::try_from(lrecl).unwrap_or(0);
    sql::code::dsntiar(&ca, &mut text[..length], lrecl) as i32
}
