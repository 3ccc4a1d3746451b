//! RECEIVE MAP: maps inbound fields to the symbolic map.
//!
//! An inbound field belongs to the named field whose first data position has its
//! address. Fields that were not sent have nulls and length 0.
//! Reference: CICS application programming guide, "Receiving mapped data",
//! "Finding the cursor", "MAPFAIL and other exception conditions".

use crate::codepage::{BLANK, TerminalPage, ZERO, upper};
use crate::layout::{MapLayout, ScreenField, ScreenSize};

/// A record from a terminal.
#[derive(Debug, Clone, Copy)]
pub struct InboundRecord<'a> {
    /// The attention identifier.
    pub aid: u8,
    /// Address of the cursor; keys of a short read send none.
    pub cursor: Option<u16>,
    /// Fields: address of the first data position, and data in the terminal's
    /// page without nulls.
    pub fields: &'a [(u16, &'a [u8])],
}

/// Why RECEIVE MAP gives no data. The program's area stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiveError {
    /// MAPFAIL: nothing that belongs to the map was received.
    MapFail,
    /// INVREQ: the map is for output only.
    OutputOnly,
    /// INVMPSZ: the map does not fit the screen.
    MapSize,
}

impl std::fmt::Display for ReceiveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ReceiveError::MapFail => "no field of the map was received",
            ReceiveError::OutputOnly => "the map is for output only",
            ReceiveError::MapSize => "the map does not fit the screen",
        })
    }
}

impl std::error::Error for ReceiveError {}

/// Flag of a field that the operator erased (DFHBMEOF).
pub const FLAG_ERASED: u8 = 0x80;
/// Flag of the field with the cursor (DFHBMCUR).
pub const FLAG_CURSOR: u8 = 0x02;

/// Maps a record to the symbolic map in `area`, and returns how many fields of
/// the map were received.
///
/// `uppercase` says whether letters become capitals, except in fields with
/// CASE=MIXED: the terminal translates and the command has no ASIS. An area that
/// is shorter than the symbolic map gets what fits.
///
/// # Errors
///
/// [`ReceiveError`]; `area` is unchanged then.
pub fn receive_map(
    map: &MapLayout,
    record: &InboundRecord,
    screen: ScreenSize,
    uppercase: bool,
    page: &dyn TerminalPage,
    area: &mut [u8],
) -> Result<usize, ReceiveError> {
    if !map.mode.has_input() {
        return Err(ReceiveError::OutputOnly);
    }
    if !map.fits(screen) {
        return Err(ReceiveError::MapSize);
    }
    if is_short_read(record.aid) {
        return Err(ReceiveError::MapFail);
    }
    let matched = match_fields(map, record, screen);
    let cursor = cursor_field(map, record, screen);
    if matched.is_empty() && cursor.is_none() {
        return Err(ReceiveError::MapFail);
    }
    let length = area.len().min(map.symbolic_bytes);
    area[..length].fill(0);
    let mut receiver = FieldReceiver {
        map,
        uppercase,
        page,
        area,
    };
    for (field, data) in &matched {
        receiver.field(field, data);
    }
    if let Some(start) = cursor.and_then(|field| field.symbolic)
        && let Some(flag) = receiver.area.get_mut(start + 2)
    {
        *flag |= FLAG_CURSOR;
    }
    Ok(matched.len())
}

/// Whether a key sends its identifier alone: CLEAR, PA1 to PA3, clear partition.
pub fn is_short_read(aid: u8) -> bool {
    matches!(aid, 0x6A..=0x6E)
}

/// The named fields that were received, with their data.
fn match_fields<'a>(
    map: &'a MapLayout,
    record: &InboundRecord<'a>,
    screen: ScreenSize,
) -> Vec<(&'a ScreenField, &'a [u8])> {
    let mut matched = Vec::new();
    // Records have fields in order of address, as most maps do: going on after
    // the last match finds the next one soon.
    let mut next = 0;
    for (address, data) in record.fields {
        let count = map.fields.len();
        let order = (next..count).chain(0..next);
        let found = order.into_iter().find(|index| {
            let field = &map.fields[*index];
            field.symbolic.is_some() && map.data_address(field, screen) == *address
        });
        if let Some(index) = found {
            next = index + 1;
            matched.push((&map.fields[index], *data));
        }
    }
    matched
}

/// The named field with the cursor, if the map asks for it (CURSLOC=YES).
fn cursor_field<'a>(
    map: &'a MapLayout,
    record: &InboundRecord,
    screen: ScreenSize,
) -> Option<&'a ScreenField> {
    let cursor = u32::from(record.cursor.filter(|_| map.cursor_location)?);
    map.fields.iter().find(|field| {
        let first = u32::from(map.data_address(field, screen));
        // A field may continue at the first position of the screen.
        let distance = (cursor + screen.positions() - first) % screen.positions();
        field.symbolic.is_some() && distance < u32::from(field.length)
    })
}

struct FieldReceiver<'a> {
    map: &'a MapLayout,
    uppercase: bool,
    page: &'a dyn TerminalPage,
    area: &'a mut [u8],
}

impl FieldReceiver<'_> {
    fn field(&mut self, field: &ScreenField, data: &[u8]) {
        let Some(start) = field.symbolic else { return };
        let data = &data[..data.len().min(usize::from(field.length))];
        if data.is_empty() {
            if let Some(flag) = self.area.get_mut(start + 2) {
                *flag = FLAG_ERASED;
            }
            return;
        }
        let uppercase = self.uppercase && !field.mixed_case;
        let mut at = start + self.map.data_start();
        let mut received = 0;
        for part in &field.parts {
            let from = usize::from(part.start).min(data.len());
            let to = (from + usize::from(part.length)).min(data.len());
            received += to - from;
            let end = at + usize::from(part.length);
            self.part(field, &data[from..to], uppercase, at..end);
            at = end;
        }
        let length = u16::try_from(received).unwrap_or(u16::MAX).to_be_bytes();
        for (byte, at) in length.into_iter().zip(start..) {
            if let Some(target) = self.area.get_mut(at) {
                *target = byte;
            }
        }
    }

    /// Fills the bytes of one part: data, aligned, and the fill character.
    fn part(
        &mut self,
        field: &ScreenField,
        data: &[u8],
        uppercase: bool,
        range: std::ops::Range<usize>,
    ) {
        let fill = if field.justify.zero { ZERO } else { BLANK };
        let fill = self.page.to_program(fill);
        let lead = if field.justify.right {
            range.len() - data.len()
        } else {
            0
        };
        for (index, at) in range.enumerate() {
            let Some(target) = self.area.get_mut(at) else {
                return;
            };
            let byte = index.checked_sub(lead).and_then(|i| data.get(i));
            *target = match byte {
                Some(byte) if uppercase => self.page.to_program(upper(*byte)),
                Some(byte) => self.page.to_program(*byte),
                None => fill,
            };
        }
    }
}
