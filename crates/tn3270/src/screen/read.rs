//! What the terminal sends: Read Modified, Read Buffer and Query Reply.
//!
//! Reference: GA23-0059, "Read operations", "Query Reply".

use super::{Screen, ScreenCell};
use crate::stream::query as code;
use crate::stream::{
    Aid, AttributeType, CharacterSet, ExtendedAttributes, QueryReply, QueryRequest, ReplyMode,
    UsableArea, address,
};

/// How a read shows attributes: what Set Reply Mode chose.
#[derive(Clone, Debug, Default)]
pub struct ReplySettings {
    mode: ReplyMode,
    color: bool,
    background: bool,
    highlight: bool,
    character_set: bool,
}

impl ReplySettings {
    /// Sets the mode and the attribute types that character mode reports.
    pub(super) fn set(&mut self, mode: ReplyMode, attributes: &[u8]) {
        *self = ReplySettings {
            mode,
            color: attributes.contains(&AttributeType::COLOR),
            background: attributes.contains(&AttributeType::BACKGROUND),
            highlight: attributes.contains(&AttributeType::HIGHLIGHT),
            character_set: attributes.contains(&AttributeType::CHARACTER_SET),
        };
    }
}

impl Screen {
    /// The record of a key, or the answer to Read Modified; with `all` to Read
    /// Modified All.
    pub(super) fn read_modified(&self, all: bool) -> Vec<u8> {
        let mut out = vec![self.aid.emit()];
        if self.aid.is_short_read() && !all {
            return out;
        }
        let with_data = self.aid != Aid::CursorSelect || all;
        out.extend(address::emit(self.cursor, self.positions()));
        let mut sent = ExtendedAttributes::default();
        if !self.is_formatted() {
            for cell in self.cells.iter().filter(|cell| cell.content != 0) {
                self.emit_character(cell, cell.extended, &mut sent, &mut out);
            }
            return out;
        }
        for at in 0..self.positions() {
            let field = self.cell(at);
            if !field.attribute.is_some_and(|a| a.is_modified()) {
                continue;
            }
            out.push(SBA);
            out.extend(address::emit(self.after(at), self.positions()));
            if !with_data {
                continue;
            }
            for position in self.field_positions(at) {
                let cell = self.cell(position);
                if cell.content != 0 {
                    let shown = cell.extended.over(&field.extended);
                    self.emit_character(&cell, shown, &mut sent, &mut out);
                }
            }
        }
        out
    }

    /// The answer to Read Buffer: every position.
    pub(super) fn read_buffer(&self) -> Vec<u8> {
        let mut out = vec![self.aid.emit()];
        out.extend(address::emit(self.cursor, self.positions()));
        let mut sent = ExtendedAttributes::default();
        for cell in &self.cells {
            let Some(attribute) = cell.attribute else {
                self.emit_character(cell, cell.extended, &mut sent, &mut out);
                continue;
            };
            if self.reply.mode == ReplyMode::Field {
                out.extend([SF, attribute.emit()]);
                continue;
            }
            // There are six types of extended attributes.
            let count = 1 + cell.extended.pairs().count() as u8;
            out.extend([SFE, count, AttributeType::FIELD, attribute.emit()]);
            for (kind, value) in cell.extended.pairs() {
                out.extend([kind, value]);
            }
        }
        out
    }

    /// One character, with SA in character mode where an attribute differs from
    /// what was sent last, and with GE for graphics.
    fn emit_character(
        &self,
        cell: &ScreenCell,
        shown: ExtendedAttributes,
        sent: &mut ExtendedAttributes,
        out: &mut Vec<u8>,
    ) {
        if self.reply.mode == ReplyMode::Character {
            self.emit_attributes(shown, sent, out);
        }
        let is_graphic = matches!(
            shown.character_set,
            CharacterSet::GRAPHIC_ESCAPE | CharacterSet::APL
        );
        out.extend(is_graphic.then_some(GE));
        out.push(cell.content);
    }

    fn emit_attributes(
        &self,
        shown: ExtendedAttributes,
        sent: &mut ExtendedAttributes,
        out: &mut Vec<u8>,
    ) {
        let mut emit = |kind: u8, value: u8| out.extend([SA, kind, value]);
        if self.reply.color && shown.color != sent.color {
            emit(AttributeType::COLOR, shown.color.0);
            sent.color = shown.color;
        }
        if self.reply.background && shown.background != sent.background {
            emit(AttributeType::BACKGROUND, shown.background.0);
            sent.background = shown.background;
        }
        if self.reply.highlight && shown.highlight != sent.highlight {
            emit(AttributeType::HIGHLIGHT, shown.highlight.0);
            sent.highlight = shown.highlight;
        }
        // GE chose the set for one character; it is not an attribute.
        let set = match shown.character_set {
            CharacterSet::GRAPHIC_ESCAPE => CharacterSet::BASE,
            set => set,
        };
        if self.reply.character_set && set != sent.character_set {
            emit(AttributeType::CHARACTER_SET, set.0);
            sent.character_set = set;
        }
    }

    /// The answer to Read Partition with Query or Query List.
    pub(super) fn query_reply(&self, request: &QueryRequest<'_>) -> Vec<u8> {
        let supported: &[u8] = if self.model.color {
            &SUPPORTED
        } else {
            &SUPPORTED_MONOCHROME
        };
        let mut out = vec![Aid::StructuredField.emit()];
        for code in supported.iter().filter(|code| request.wants(**code)) {
            self.reply(*code, supported).emit(&mut out);
        }
        if out.len() == 1 {
            let code = code::NULL;
            let contents = &[];
            QueryReply::Other { code, contents }.emit(&mut out);
        }
        out
    }

    fn reply<'a>(&self, code: u8, supported: &'a [u8]) -> QueryReply<'a> {
        let default = self.model.default;
        let alternate = self.model.alternate;
        let largest = alternate.positions().max(default.positions());
        match code {
            code::SUMMARY => QueryReply::Summary(supported),
            code::USABLE_AREA => QueryReply::UsableArea(UsableArea {
                columns: alternate.columns,
                rows: alternate.rows,
                buffer: largest,
            }),
            code::CHARACTER_SETS => QueryReply::CharacterSets {
                graphic_set: 697,
                code_page: self.model.code_page,
                graphic_escape: true,
            },
            code::COLOR => QueryReply::Color(&COLORS),
            code::HIGHLIGHTING => QueryReply::Highlighting(&HIGHLIGHTS),
            code::REPLY_MODES => QueryReply::ReplyModes(&[0, 1, 2]),
            code::IMPLICIT_PARTITION => QueryReply::ImplicitPartition {
                default: (default.columns, default.rows),
                alternate: (alternate.columns, alternate.rows),
            },
            _ => QueryReply::AlphanumericPartitions(largest),
        }
    }
}

const GE: u8 = 0x08;
const SBA: u8 = 0x11;
const SF: u8 = 0x1D;
const SA: u8 = 0x28;
const SFE: u8 = 0x29;

/// The replies that a display sends.
const SUPPORTED: [u8; 8] = [
    code::SUMMARY,
    code::USABLE_AREA,
    code::ALPHANUMERIC_PARTITIONS,
    code::CHARACTER_SETS,
    code::COLOR,
    code::HIGHLIGHTING,
    code::REPLY_MODES,
    code::IMPLICIT_PARTITION,
];

/// The replies of a display without extended colours.
const SUPPORTED_MONOCHROME: [u8; 7] = [
    code::SUMMARY,
    code::USABLE_AREA,
    code::ALPHANUMERIC_PARTITIONS,
    code::CHARACTER_SETS,
    code::HIGHLIGHTING,
    code::REPLY_MODES,
    code::IMPLICIT_PARTITION,
];

/// Each colour as itself; the default is green.
#[rustfmt::skip]
const COLORS: [u8; 32] = [
    0x00, 0xF4, 0xF1, 0xF1, 0xF2, 0xF2, 0xF3, 0xF3, 0xF4, 0xF4, 0xF5, 0xF5, 0xF6, 0xF6, 0xF7, 0xF7,
    0xF8, 0xF8, 0xF9, 0xF9, 0xFA, 0xFA, 0xFB, 0xFB, 0xFC, 0xFC, 0xFD, 0xFD, 0xFE, 0xFE, 0xFF, 0xFF,
];

/// Each highlighting as itself; the default is normal.
const HIGHLIGHTS: [u8; 10] = [0x00, 0xF0, 0xF1, 0xF1, 0xF2, 0xF2, 0xF4, 0xF4, 0xF8, 0xF8];
