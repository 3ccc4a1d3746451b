//! JSON strings into character fields.
//!
//! Plain ASCII goes straight from the JSON text into the field; anything else
//! is converted in the encoder's scratch area first.

use super::encode::{EncodeStep, FaultKind, RecordEncoder};
use super::json::StringPiece;
use super::options::{OverlongPolicy, UnmappablePolicy};
use super::plan::Node;
use super::scan;
use crate::CodePage;
use crate::codepage::PageKind;

impl RecordEncoder<'_> {
    /// The string at the cursor into the text field `record[at..end]`.
    #[inline(always)]
    pub(super) fn text(
        &mut self,
        node: &Node,
        delta: usize,
        justified: bool,
        at: usize,
        end: usize,
    ) -> EncodeStep {
        let start = self.json.pos + 1;
        let len = scan::plain_len::<false>(self.json.input, start);
        if self.json.input.get(start + len) != Some(&b'"') || len > end.wrapping_sub(at) {
            return self.text_on(node, delta, justified, at, end);
        }
        self.json.pos = start + len + 1;
        let Some(field) = self.record.get_mut(at..end) else {
            return Ok(());
        };
        let page = self.plan.options.code_page;
        let space = page.space();
        let (text, pad) = if justified {
            let (pad, text) = field.split_at_mut(field.len() - len);
            (text, pad)
        } else {
            field.split_at_mut(len)
        };
        let source = &self.json.input[start..start + len];
        if page.page().kind == PageKind::Ebcdic {
            let table = &page.page().from_latin1;
            for (to, from) in text.iter_mut().zip(source) {
                // Every ASCII character is in every EBCDIC page.
                *to = table[usize::from(*from)] as u8;
            }
        } else {
            text.copy_from_slice(source);
        }
        pad.fill(space);
        Ok(())
    }

    /// A string that is not plain, or too long.
    #[inline(never)]
    fn text_on(
        &mut self,
        node: &Node,
        delta: usize,
        justified: bool,
        at: usize,
        end: usize,
    ) -> EncodeStep {
        let fault = |e| FaultKind::Syntax(e);
        let raw = self
            .json
            .string()
            .map_err(|e| self.fault(node, delta, fault(e)))?;
        let page = self.plan.options.code_page;
        let substitute = self.plan.options.unmappable == UnmappablePolicy::Substitute;
        let mut lost = None;
        self.scratch.clear();
        let scratch = &mut self.scratch;
        let read = raw.each(|piece| match piece {
            StringPiece::Run(run) => append(scratch, page, run, substitute, &mut lost),
            StringPiece::Char(c) => {
                append(
                    scratch,
                    page,
                    c.encode_utf8(&mut [0; 4]),
                    substitute,
                    &mut lost,
                );
            }
        });
        read.map_err(|e| self.fault(node, delta, fault(e)))?;
        match lost {
            Some(c) => Err(self.fault(node, delta, FaultKind::Unmappable(c))),
            None => self.put_scratch(node, delta, justified, at, end),
        }
    }

    /// Converts text into the scratch area.
    pub(super) fn convert(&mut self, node: &Node, delta: usize, text: &str) -> EncodeStep {
        let substitute = self.plan.options.unmappable == UnmappablePolicy::Substitute;
        let mut lost = None;
        self.scratch.clear();
        append(
            &mut self.scratch,
            self.plan.options.code_page,
            text,
            substitute,
            &mut lost,
        );
        match lost {
            Some(c) => Err(self.fault(node, delta, FaultKind::Unmappable(c))),
            None => Ok(()),
        }
    }

    /// Moves the scratch area into the text field `record[at..end]`.
    pub(super) fn put_scratch(
        &mut self,
        node: &Node,
        delta: usize,
        justified: bool,
        at: usize,
        end: usize,
    ) -> EncodeStep {
        let page = self.plan.options.code_page;
        let Some(field) = self.record.get_mut(at..end) else {
            return Ok(());
        };
        let mut text = &self.scratch[..];
        if text.len() > field.len() {
            if self.plan.options.overlong == OverlongPolicy::Error {
                let length = text.len();
                return Err(self.fault(node, delta, FaultKind::TooLong { length }));
            }
            text = cut(
                text,
                field.len(),
                justified,
                page.page().kind == PageKind::Utf8,
            );
        }
        let (to, pad) = if justified {
            let (pad, to) = field.split_at_mut(field.len() - text.len());
            (to, pad)
        } else {
            field.split_at_mut(text.len())
        };
        to.copy_from_slice(text);
        pad.fill(page.space());
        Ok(())
    }

    /// Text into a national field.
    pub(super) fn national(
        &mut self,
        node: &Node,
        delta: usize,
        justified: bool,
        area: std::ops::Range<usize>,
        text: &str,
    ) -> EncodeStep {
        let mut units: Vec<u16> = text.encode_utf16().collect();
        let Some(field) = self.record.get_mut(area) else {
            return Ok(());
        };
        let room = field.len() / 2;
        if units.len() > room {
            if self.plan.options.overlong == OverlongPolicy::Error {
                let length = 2 * units.len();
                return Err(self.fault(node, delta, FaultKind::TooLong { length }));
            }
            let is_low = |u: &u16| (0xdc00..0xe000).contains(u);
            if justified {
                units.drain(..units.len() - room);
                let half = units.first().is_some_and(is_low);
                units.drain(..usize::from(half));
            } else {
                let half = units.get(room).is_some_and(is_low);
                units.truncate(room - usize::from(half && room > 0));
            }
        }
        let first = if justified { room - units.len() } else { 0 };
        for (k, unit) in field.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let c = k
                .checked_sub(first)
                .and_then(|k| units.get(k))
                .copied()
                .unwrap_or(0x20);
            unit.copy_from_slice(&c.to_be_bytes());
        }
        Ok(())
    }
}

/// Appends text in a code page; the first character it lacks goes to `lost`.
fn append(
    out: &mut Vec<u8>,
    page: CodePage,
    text: &str,
    substitute: bool,
    lost: &mut Option<char>,
) {
    if page.page().kind == PageKind::Utf8 {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    for c in text.chars() {
        match page.byte_of(c) {
            Some(byte) => out.push(byte),
            None if substitute => out.push(page.substitute()),
            None => {
                lost.get_or_insert(c);
            }
        }
    }
}

/// As much of `text` as `room` bytes hold, without half characters.
fn cut(text: &[u8], room: usize, justified: bool, utf8: bool) -> &[u8] {
    let inside = |at: usize| utf8 && text.get(at).is_some_and(|b| b & 0xc0 == 0x80);
    if justified {
        let mut start = text.len() - room;
        while inside(start) {
            start += 1;
        }
        &text[start..]
    } else {
        let mut end = room;
        while end > 0 && inside(end) {
            end -= 1;
        }
        &text[..end]
    }
}
