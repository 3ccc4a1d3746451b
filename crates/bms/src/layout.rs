//! A map ready for commands: fields of the screen and their place in the
//! symbolic map.
//!
//! Each repetition of OCCURS is a field of the screen; the fields of a GRPNAME
//! are one. In the symbolic map a field takes 2 bytes of length, 1 of flag or
//! attribute, 1 for each symbolic attribute, then its data.
//! Reference: CICS application programming guide, "Symbolic maps".

use crate::attribute::{AttributeSet, AttributeValues, FieldAttribute};
use crate::model::{Control, Field, Initial, Justify, Map, MapMode};

/// Bytes in front of the fields with TIOAPFX=YES.
pub const PREFIX_BYTES: usize = 12;

/// A map as SEND MAP and RECEIVE MAP use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapLayout {
    /// Name of the map.
    pub name: String,
    /// Lines of the map.
    pub lines: u16,
    /// Columns of the map.
    pub columns: u16,
    /// Line of the screen that the map begins on, from 1.
    pub line: u16,
    /// Column of the screen that the map begins on, from 1.
    pub column: u16,
    /// Directions.
    pub mode: MapMode,
    /// CTRL.
    pub control: Control,
    /// CURSLOC=YES.
    pub cursor_location: bool,
    /// Attributes with a byte in the symbolic map.
    pub symbolic_attributes: AttributeSet,
    /// Attributes that are sent.
    pub sent_attributes: AttributeSet,
    /// Fields of the screen in source order.
    pub fields: Vec<ScreenField>,
    /// Bytes of the symbolic map.
    pub symbolic_bytes: usize,
}

/// One attribute byte of the screen and the positions after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenField {
    /// Line of the attribute byte in the map, from 1.
    pub line: u16,
    /// Column of the attribute byte in the map, from 1.
    pub column: u16,
    /// Positions to add to that place, for repetitions.
    pub shift: u32,
    /// Positions after the attribute byte.
    pub length: u16,
    /// The attribute byte of the map.
    pub attribute: FieldAttribute,
    /// ATTRB=IC.
    pub cursor: bool,
    /// Extended attributes.
    pub extended: AttributeValues,
    /// How input is aligned and filled.
    pub justify: Justify,
    /// CASE=MIXED.
    pub mixed_case: bool,
    /// Offset of the length bytes in the symbolic map; `None` for constants.
    pub symbolic: Option<usize>,
    /// Its data: one part, or several for a group.
    pub parts: Vec<FieldPart>,
    /// Name, or that of the group.
    pub name: Option<String>,
}

/// Positions of a field that are contiguous on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPart {
    /// Positions between the first of the field and the first of this part.
    pub start: u16,
    /// Positions.
    pub length: u16,
    /// What they show by default.
    pub initial: Initial,
}

impl ScreenField {
    /// Bytes of its data in the symbolic map.
    pub fn data_bytes(&self) -> usize {
        self.parts.iter().map(|part| usize::from(part.length)).sum()
    }
}

impl MapLayout {
    /// Lays out a map.
    pub fn new(map: &Map) -> MapLayout {
        let mut layout = MapLayout {
            name: map.name.clone(),
            lines: map.lines,
            columns: map.columns,
            line: map.line,
            column: map.column,
            mode: map.mode,
            control: map.control,
            cursor_location: map.cursor_location,
            symbolic_attributes: map.symbolic_attributes,
            sent_attributes: map.sent_attributes,
            fields: Vec::with_capacity(map.fields.len()),
            symbolic_bytes: if map.prefix { PREFIX_BYTES } else { 0 },
        };
        let mut fields = map.fields.iter().peekable();
        while let Some(field) = fields.next() {
            if let Some(group) = &field.group {
                let mut members = vec![field];
                while let Some(next) = fields.next_if(|next| next.group.as_ref() == Some(group)) {
                    members.push(next);
                }
                layout.add_group(group, &members, map.columns);
                continue;
            }
            for occurrence in 0..u32::from(field.occurs.unwrap_or(1)) {
                layout.add_field(field, occurrence * (u32::from(field.length) + 1));
            }
        }
        layout
    }

    /// Offset of a field's data from the offset of its length bytes.
    pub fn data_start(&self) -> usize {
        3 + self.symbolic_attributes.len()
    }

    fn add_field(&mut self, field: &Field, shift: u32) {
        let part = FieldPart {
            start: 0,
            length: field.length,
            initial: field.initial.clone(),
        };
        self.push(field, field.name.clone(), shift, field.length, vec![part]);
    }

    fn add_group(&mut self, group: &str, members: &[&Field], columns: u16) {
        let first = members[0];
        let place = |f: &Field| u32::from(f.line) * u32::from(columns) + u32::from(f.column);
        let parts: Vec<FieldPart> = members
            .iter()
            .map(|member| FieldPart {
                start: place(member)
                    .checked_sub(place(first))
                    .and_then(|start| u16::try_from(start).ok())
                    .unwrap_or(0),
                length: member.length,
                initial: member.initial.clone(),
            })
            .collect();
        let ends = parts
            .iter()
            .map(|part| part.start.saturating_add(part.length));
        let length = ends.max().unwrap_or(0);
        self.push(first, Some(group.to_owned()), 0, length, parts);
    }

    fn push(
        &mut self,
        field: &Field,
        name: Option<String>,
        shift: u32,
        length: u16,
        parts: Vec<FieldPart>,
    ) {
        let mut added = ScreenField {
            line: field.line,
            column: field.column,
            shift,
            length,
            attribute: field.attribute,
            cursor: field.cursor,
            extended: field.extended,
            justify: field.justify,
            mixed_case: field.mixed_case,
            symbolic: None,
            parts,
            name,
        };
        if added.name.is_some() {
            added.symbolic = Some(self.symbolic_bytes);
            self.symbolic_bytes += self.data_start() + added.data_bytes();
        }
        self.fields.push(added);
    }

    /// Whether the map and all its fields fit a screen; if not, the commands
    /// raise INVMPSZ.
    pub fn fits(&self, screen: ScreenSize) -> bool {
        let columns = u32::from(self.column).saturating_sub(1) + u32::from(self.columns);
        self.lines <= screen.lines
            && columns <= u32::from(screen.columns)
            && self
                .fields
                .iter()
                .all(|field| self.raw_address(field, screen) < screen.positions())
    }

    /// Address of a field's attribute byte on a screen.
    pub fn attribute_address(&self, field: &ScreenField, screen: ScreenSize) -> u16 {
        screen.wrap(self.raw_address(field, screen))
    }

    /// Address of a field's first data position on a screen.
    pub fn data_address(&self, field: &ScreenField, screen: ScreenSize) -> u16 {
        screen.wrap(self.raw_address(field, screen) + 1)
    }

    fn raw_address(&self, field: &ScreenField, screen: ScreenSize) -> u32 {
        let line = (u32::from(self.line) + u32::from(field.line)).saturating_sub(2);
        let column = (u32::from(self.column) + u32::from(field.column)).saturating_sub(2);
        line * u32::from(screen.columns) + column + field.shift
    }
}

/// Size of a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScreenSize {
    /// Lines, at least 1.
    pub lines: u16,
    /// Columns, at least 1.
    pub columns: u16,
}

impl ScreenSize {
    /// 24 lines by 80 columns, the default size of every display.
    pub const MODEL_2: ScreenSize = ScreenSize {
        lines: 24,
        columns: 80,
    };

    /// Positions, at least 1.
    pub fn positions(self) -> u32 {
        (u32::from(self.lines) * u32::from(self.columns)).max(1)
    }

    /// The address of a position, going on from the last to the first.
    pub fn wrap(self, position: u32) -> u16 {
        // Addresses of a data stream have at most 16 bits.
        u16::try_from(position % self.positions().min(0x1_0000)).unwrap_or(0)
    }
}
