//! SEND MAP: merges a map with a program's data.
//!
//! Each field is an address, an attribute, and data without trailing nulls.
//! DATAONLY writes only what the program set. Fields are written in source
//! order, so that of two that overlap the later one shows.
//! Reference: CICS application programming guide, "Merging the symbolic and
//! physical maps", "Setting the display characteristics", "Positioning the
//! cursor", "SEND MAP control options".

use super::{begin, target_size};
use crate::attribute::{AttributeSet, ExtendedAttribute, FieldAttribute, is_graphic};
use crate::codepage::{BLANK, TerminalPage, displayable};
use crate::layout::{FieldPart, MapLayout, ScreenField, ScreenSize};
use crate::model::{Control, Initial};
use crate::stream::{AttributePairs, OutboundStream};
use crate::terminal::{EraseOption, TerminalProfile};

/// A SEND MAP command.
#[derive(Debug, Clone, Copy)]
pub struct SendMap<'a> {
    /// What is shown.
    pub contents: MapContents<'a>,
    /// ERASE, ERASEAUP.
    pub erase: EraseOption,
    /// FREEKB, ALARM, FRSET and PRINT of the command; without any, those of the map.
    pub control: Control,
    /// CURSOR.
    pub cursor: CursorOption,
}

/// Where the contents of fields come from. The symbolic map's bytes begin with
/// the prefix, if the map has one; fields past their end count as nulls.
#[derive(Debug, Clone, Copy)]
pub enum MapContents<'a> {
    /// MAPONLY.
    MapOnly,
    /// DATAONLY, with the symbolic map.
    DataOnly(&'a [u8]),
    /// Neither: the symbolic map, and the map where it has nulls.
    Merged(&'a [u8]),
}

/// CURSOR of SEND MAP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CursorOption {
    /// Not coded: the last field with IC.
    #[default]
    Map,
    /// CURSOR without value: the first field whose length is -1, else as `Map`.
    Symbolic,
    /// CURSOR(value): a position from 0. A negative value counts as `Symbolic`.
    Position(i16),
}

/// Why SEND MAP writes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendError {
    /// INVMPSZ: the map does not fit the screen.
    MapSize,
}

impl std::fmt::Display for SendError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SendError::MapSize => f.write_str("the map does not fit the screen"),
        }
    }
}

impl std::error::Error for SendError {}

/// Formats a SEND MAP.
///
/// # Errors
///
/// [`SendError::MapSize`] if the map or one of its fields is outside the screen.
pub fn send_map(
    map: &MapLayout,
    command: &SendMap,
    terminal: &TerminalProfile,
    page: &dyn TerminalPage,
) -> Result<OutboundStream, SendError> {
    let screen = target_size(terminal, command.erase);
    if !map.fits(screen) {
        return Err(SendError::MapSize);
    }
    let empty = command.erase.erases_screen() || terminal.cleared;
    let mut writer = MapWriter {
        map,
        page,
        screen,
        attributes: if terminal.extended {
            terminal.attributes.intersection(map.sent_attributes)
        } else {
            AttributeSet::NONE
        },
        stream: begin(
            terminal,
            command.erase,
            command.control.or_else(map.control),
        ),
        cursor: cursor_address(map, command, screen),
        empty,
        buffer: Vec::new(),
    };
    for field in &map.fields {
        match command.contents {
            MapContents::MapOnly => writer.whole_field(field, &[]),
            MapContents::Merged(data) => writer.whole_field(field, field_bytes(map, field, data)),
            MapContents::DataOnly(data) => {
                writer.changed_field(field, field_bytes(map, field, data))
            }
        }
    }
    Ok(writer.finish())
}

/// The bytes of a field in the symbolic map: length, attributes, data.
fn field_bytes<'a>(map: &MapLayout, field: &ScreenField, data: &'a [u8]) -> &'a [u8] {
    let Some(start) = field.symbolic else {
        return &[];
    };
    let end = (start + map.data_start() + field.data_bytes()).min(data.len());
    data.get(start..end).unwrap_or_default()
}

/// Where the cursor goes; `None` if the command does not move it.
fn cursor_address(map: &MapLayout, command: &SendMap, screen: ScreenSize) -> Option<u16> {
    let symbolic = match command.cursor {
        CursorOption::Position(position) if position >= 0 => {
            return Some(screen.wrap(u32::from(position.unsigned_abs())));
        }
        CursorOption::Position(_) | CursorOption::Symbolic => true,
        CursorOption::Map => false,
    };
    let (data, whole) = match command.contents {
        MapContents::MapOnly => (&[][..], true),
        MapContents::Merged(data) => (data, true),
        MapContents::DataOnly(data) => (data, false),
    };
    let marked =
        |field: &&ScreenField| symbolic && field_bytes(map, field, data).starts_with(&[0xFF, 0xFF]);
    let found = map.fields.iter().find(marked);
    // DATAONLY takes nothing from the map, but a command that asks for a cursor
    // gets one.
    let by_map = || {
        map.fields
            .iter()
            .rev()
            .find(|f| f.cursor && (whole || symbolic))
    };
    found
        .or_else(by_map)
        .map(|field| map.data_address(field, screen))
}

struct MapWriter<'a> {
    map: &'a MapLayout,
    page: &'a dyn TerminalPage,
    screen: ScreenSize,
    /// Extended attributes that the map sends and the terminal has.
    attributes: AttributeSet,
    stream: OutboundStream,
    cursor: Option<u16>,
    /// The screen has no fields before the command writes.
    empty: bool,
    buffer: Vec<u8>,
}

impl MapWriter<'_> {
    /// A field with attribute and contents; `bytes` is empty without data.
    fn whole_field(&mut self, field: &ScreenField, bytes: &[u8]) {
        let attribute = match bytes.get(2) {
            Some(&byte) if byte != 0 => program_attribute(byte, self.page),
            _ => field.attribute.byte(),
        };
        let mut pairs = AttributePairs::default();
        pairs.push(0xC0, attribute);
        for extended in self.attributes.iter() {
            let value = self.program_value(bytes, extended);
            match value.or(field.extended.get(extended)) {
                // The default needs no pair.
                None | Some(0x00) => {}
                Some(value) => pairs.push(extended.type_code(), value),
            }
        }
        self.stream
            .go_to(self.map.attribute_address(field, self.screen));
        if pairs.as_slice().len() > 1 {
            self.stream.start_extended_field(pairs);
        } else {
            self.stream.start_field(attribute);
        }
        self.take_cursor(field);
        let mut at = self.map.data_start();
        for part in &field.parts {
            let end = at + usize::from(part.length);
            let data = bytes.get(at..end.min(bytes.len())).unwrap_or_default();
            if data.first().is_some_and(|first| *first != 0) {
                self.program_data(field, part, data);
            } else {
                self.initial(field, part);
            }
            at = end;
        }
    }

    /// A field of DATAONLY: attributes and data that the program set.
    fn changed_field(&mut self, field: &ScreenField, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let attribute = bytes.get(2).copied().filter(|byte| *byte != 0);
        let attribute = attribute.map(|byte| program_attribute(byte, self.page));
        let mut pairs = AttributePairs::default();
        if let Some(attribute) = attribute {
            pairs.push(0xC0, attribute);
        }
        let mut extended = false;
        for kind in self.attributes.iter() {
            if let Some(value) = self.program_value(bytes, kind) {
                pairs.push(kind.type_code(), value);
                extended = true;
            }
        }
        let address = self.map.attribute_address(field, self.screen);
        if self.attributes.is_empty() || (self.empty && !extended) {
            if let Some(attribute) = attribute {
                self.stream.go_to(address);
                self.stream.start_field(attribute);
            }
        } else if !pairs.is_empty() {
            self.stream.go_to(address);
            if self.empty {
                self.stream
                    .start_extended_field(with_attribute(pairs, field.attribute));
            } else {
                // MF leaves the attributes that the program did not set.
                self.stream.modify_field(pairs);
            }
        }
        let mut at = self.map.data_start();
        for part in &field.parts {
            let end = at + usize::from(part.length);
            let data = bytes.get(at..end.min(bytes.len())).unwrap_or_default();
            if data.first().is_some_and(|first| *first != 0) {
                self.program_data(field, part, data);
            }
            at = end;
        }
    }

    /// An extended attribute that the program set. X'FF' is DFHDFT, the default.
    fn program_value(&self, bytes: &[u8], kind: ExtendedAttribute) -> Option<u8> {
        let index = self
            .map
            .symbolic_attributes
            .iter()
            .position(|a| a == kind)?;
        let value = match bytes.get(3 + index)? {
            0x00 => return None,
            0xFF => return Some(0x00),
            // A program may write the digit of its own code page.
            byte @ 0x30..=0x39 => self.page.to_terminal(*byte),
            byte => *byte,
        };
        // INITIALIZE sets blanks here, which a terminal would reject.
        kind.is_valid(value).then_some(value)
    }

    fn program_data(&mut self, field: &ScreenField, part: &FieldPart, data: &[u8]) {
        let length = data
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |last| last + 1);
        self.buffer.clear();
        let bytes = data[..length].iter();
        self.buffer
            .extend(bytes.map(|byte| displayable(self.page.to_terminal(*byte))));
        self.put(field, part);
    }

    fn initial(&mut self, field: &ScreenField, part: &FieldPart) {
        let length = usize::from(part.length);
        self.buffer.clear();
        match &part.initial {
            Initial::None => return,
            Initial::Text(text) => {
                let chars = text.chars().take(length);
                self.buffer
                    .extend(chars.map(|c| displayable(self.page.encode(c))));
                self.buffer.resize(length, BLANK);
            }
            Initial::Bytes(bytes) => {
                let bytes = bytes.iter().take(length);
                self.buffer.extend(bytes.map(|byte| displayable(*byte)));
                let end = self.buffer.iter().rposition(|byte| *byte != 0);
                self.buffer.truncate(end.map_or(0, |last| last + 1));
            }
        }
        self.put(field, part);
    }

    fn put(&mut self, field: &ScreenField, part: &FieldPart) {
        if self.buffer.is_empty() {
            return;
        }
        let first = self.map.data_address(field, self.screen);
        let address = self.screen.wrap(u32::from(first) + u32::from(part.start));
        self.stream.go_to(address);
        self.stream.write(&self.buffer);
    }

    /// Puts the cursor where the stream is, if it belongs there. That saves the
    /// address at the end.
    fn take_cursor(&mut self, field: &ScreenField) {
        if self.cursor == Some(self.map.data_address(field, self.screen)) {
            self.stream.cursor();
            self.cursor = None;
        }
    }

    fn finish(mut self) -> OutboundStream {
        if let Some(address) = self.cursor {
            self.stream.go_to(address);
            self.stream.cursor();
        }
        self.stream
    }
}

/// The pairs with a field attribute, that of the map if the program set none.
fn with_attribute(pairs: AttributePairs, attribute: FieldAttribute) -> AttributePairs {
    if pairs.as_slice().iter().any(|(kind, _)| *kind == 0xC0) {
        return pairs;
    }
    let mut all = AttributePairs::default();
    all.push(0xC0, attribute.byte());
    for (kind, value) in pairs.as_slice() {
        all.push(*kind, *value);
    }
    all
}

/// The attribute byte that a program means. Its values are those of DFHBMSCA,
/// graphics of the terminal. Programs also write characters of their own page:
/// INITIALIZE sets blanks, and some use a letter.
fn program_attribute(byte: u8, page: &dyn TerminalPage) -> u8 {
    if is_graphic(byte) {
        return byte;
    }
    let converted = page.to_terminal(byte);
    if byte < 0x80 && is_graphic(converted) {
        return converted;
    }
    FieldAttribute::from_bits(byte).byte()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct SamePage;

    impl TerminalPage for SamePage {
        fn encode(&self, _: char) -> u8 {
            BLANK
        }
        fn to_terminal(&self, byte: u8) -> u8 {
            byte
        }
        fn to_program(&self, byte: u8) -> u8 {
            byte
        }
    }

    #[test]
    fn an_attribute_byte_of_a_program_is_always_a_graphic() {
        for byte in 0..=255 {
            let sent = program_attribute(byte, &SamePage);
            assert!(is_graphic(sent));
        }
        // The flag of an erased field, left in the symbolic map.
        assert_eq!(program_attribute(0x80, &SamePage), 0x40);
        assert_eq!(program_attribute(0x82, &SamePage), 0x40);
    }
}
