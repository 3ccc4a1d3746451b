//! One elementary item as plain text: what formats other than JSON are on.
//!
//! The text has no quotes and no escapes; a writer of XML or of a form adds its
//! own. Conversions, trimming and checks are those of the JSON codec, because
//! they are the same functions.
//!
//! Offsets are those of a record in its longest form, [`RecordCodec::expand`] and
//! [`RecordCodec::finish`] lead there and back; `delta` is what subscripts add.

use super::decode::{DecodeStep, RecordDecoder};
use super::encode::{RecordEncoder, TableCounts};
use super::error::{DecodeError, EncodeError};
use super::json::Cursor;
use super::options::NumberForm;
use super::out::{SHORT_NUMBER, put_short};
use super::plan::{CodecPlan, LeafKind, Node, NodeKind};
use super::record::RecordCodec;
use crate::FieldId;
use crate::codepage::PageKind;
use crate::number::scan_small;

/// An elementary item of a [`RecordCodec`]; of no use with another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodecItem {
    node: u32,
}

impl RecordCodec {
    /// The elementary item of a field. Returns `None` for groups, and for items
    /// that do not show (FILLER, redefinitions that are not chosen).
    pub fn item(&self, field: FieldId) -> Option<CodecItem> {
        let plan = &*self.plan;
        let node = *plan.node_of.get(field.0 as usize)?;
        let node = match plan.nodes.get(node as usize)?.kind {
            NodeKind::Table(_) => node + 1,
            _ => node,
        };
        matches!(plan.nodes.get(node as usize)?.kind, NodeKind::Leaf(_))
            .then_some(CodecItem { node })
    }

    /// Whether an item's values are numbers.
    pub fn is_numeric(&self, item: CodecItem) -> bool {
        match self.plan.nodes[item.node as usize].kind {
            NodeKind::Leaf(leaf) => leaf.is_number(&self.plan.options),
            _ => false,
        }
    }

    /// The value of an integer item. Returns `None` if its bytes are not integer.
    pub fn item_integer(&self, item: CodecItem, record: &[u8], delta: usize) -> Option<i128> {
        let plan = &*self.plan;
        let node = &plan.nodes[item.node as usize];
        let at = (node.offset as usize).wrapping_add(delta);
        let bytes = record.get(at..at.wrapping_add(node.len as usize))?;
        plan.counter_value(node, bytes)
    }

    /// Appends an item's value as text in UTF-8; on an error `out` is as it was.
    #[inline]
    pub fn item_text(
        &self,
        item: CodecItem,
        record: &[u8],
        delta: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), DecodeError> {
        let plan = &*self.plan;
        let node = &plan.nodes[item.node as usize];
        let NodeKind::Leaf(leaf) = node.kind else {
            return Ok(());
        };
        let (at, len) = (
            (node.offset as usize).wrapping_add(delta),
            node.len as usize,
        );
        if at > record.len() || len > record.len() - at {
            let (actual, needed) = (record.len(), at.wrapping_add(len));
            return Err(DecodeError::TooShort { actual, needed });
        }
        if !matches!(leaf, LeafKind::Text { .. })
            && let Ok((word, negative, scale)) = plan.read_short(leaf, record, at, len)
        {
            out.reserve(SHORT_NUMBER);
            // SAFETY: the room was just reserved, and the bytes up to the new
            // length are written.
            unsafe {
                let start = out.as_mut_ptr().add(out.len());
                let end = put_short(start, word, negative, scale);
                out.set_len(end.offset_from(out.as_ptr()) as usize);
            }
            return Ok(());
        }
        let start = out.len();
        let mut decoder = RecordDecoder {
            plan,
            record,
            out,
            shape: None,
            strict: true,
        };
        let result = decoder.plain(node, leaf, delta, at, len);
        result.map_err(|fault| {
            out.truncate(start);
            plan.decode_error(*fault, record)
        })
    }

    /// Puts text into an item of a record in expanded form: unchanged into a
    /// character item, as a decimal number into a number.
    #[inline]
    pub fn set_item(
        &self,
        item: CodecItem,
        text: &str,
        record: &mut [u8],
        delta: usize,
    ) -> Result<(), EncodeError> {
        let plan = &*self.plan;
        let node = &plan.nodes[item.node as usize];
        let NodeKind::Leaf(leaf) = node.kind else {
            return Ok(());
        };
        let at = (node.offset as usize).wrapping_add(delta);
        let area = at..at.wrapping_add(node.len as usize);
        let actual = record.len();
        let Some(field) = record.get_mut(area.clone()) else {
            let needed = area.end;
            return Err(EncodeError::Area { actual, needed });
        };
        match leaf {
            LeafKind::Text { justified } if text.is_ascii() && text.len() <= field.len() => {
                plan.put_ascii(justified, field, text.as_bytes());
                return Ok(());
            }
            LeafKind::Text { .. } | LeafKind::National { .. } | LeafKind::Bytes => {}
            _ => {
                if let Some((number, end)) = scan_small(text.as_bytes(), 0)
                    && end == text.len()
                    && plan.store_small(leaf, field, number)
                {
                    return Ok(());
                }
            }
        }
        let mut encoder = RecordEncoder {
            plan,
            json: Cursor { input: b"", pos: 0 },
            record,
            counts: TableCounts::new(0),
            scratch: Vec::new(),
        };
        encoder
            .put_text(node, leaf, delta, area, text, 0)
            .map_err(|fault| plan.encode_error(*fault, b""))
    }

    /// Gives the item its initial contents.
    pub fn reset_item(&self, item: CodecItem, record: &mut [u8], delta: usize) {
        let plan = &*self.plan;
        let node = &plan.nodes[item.node as usize];
        let at = (node.offset as usize).wrapping_add(delta);
        let initial = plan.initial(node, delta, node.len as usize);
        if let Some(field) = record.get_mut(at..at.wrapping_add(initial.len())) {
            field.copy_from_slice(initial);
        }
    }
}

impl CodecPlan {
    /// ASCII text that is no longer than its field.
    fn put_ascii(&self, justified: bool, field: &mut [u8], text: &[u8]) {
        let page = self.options.code_page;
        let (to, pad) = if justified {
            let (pad, to) = field.split_at_mut(field.len() - text.len());
            (to, pad)
        } else {
            field.split_at_mut(text.len())
        };
        if page.page().kind == PageKind::Ebcdic {
            let table = &page.page().from_latin1;
            for (to, from) in to.iter_mut().zip(text) {
                // Every ASCII character is in every EBCDIC page.
                *to = table[usize::from(*from)] as u8;
            }
        } else {
            to.copy_from_slice(text);
        }
        pad.fill(page.space());
    }
}

impl RecordDecoder<'_> {
    /// A leaf's value without key, quotes and comma.
    fn plain(
        &mut self,
        node: &Node,
        leaf: LeafKind,
        delta: usize,
        at: usize,
        len: usize,
    ) -> DecodeStep {
        match leaf {
            LeafKind::Text { justified } => self.characters(node, justified, at, len),
            LeafKind::Edited(_) if !leaf.is_number(&self.plan.options) => {
                self.characters(node, false, at, len)
            }
            LeafKind::National { justified } => self.national(node, justified, at, len, push),
            _ => {
                let bare = Node {
                    key_len: 0,
                    omit: false,
                    ..node.clone()
                };
                let start = self.out.len();
                self.leaf(&bare, leaf, delta)?;
                // The comma after a value of JSON, and quotes around it.
                self.out.pop();
                if leaf == LeafKind::Bytes || self.plan.options.numbers == NumberForm::Text {
                    self.out.pop();
                    self.out.remove(start);
                }
                Ok(())
            }
        }
    }

    fn characters(&mut self, node: &Node, justified: bool, at: usize, len: usize) -> DecodeStep {
        let field = at;
        let (mut at, len) = self.trimmed(justified, at, len);
        let end = at + len;
        let page = self.plan.options.code_page;
        if page.page().kind == PageKind::Utf8 {
            while at < end {
                let rest = &self.record[at..end];
                match std::str::from_utf8(rest) {
                    Ok(text) => {
                        self.out.extend_from_slice(text.as_bytes());
                        return Ok(());
                    }
                    Err(e) => {
                        self.out.extend_from_slice(&rest[..e.valid_up_to()]);
                        at += e.valid_up_to();
                        self.unmappable(node, field, at)?;
                        at += e.error_len().unwrap_or(end - at);
                    }
                }
            }
            return Ok(());
        }
        loop {
            at += self.copy_run::<false>(at, end);
            if at >= end {
                return Ok(());
            }
            match page.char_of(self.record[at]) {
                Some(c) => push(self.out, c),
                None => self.unmappable(node, field, at)?,
            }
            at += 1;
        }
    }
}

fn push(out: &mut Vec<u8>, c: char) {
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use crate::{CodePage, CodecOptions, ParseOptions, RecordCodec, parse};

    fn codec(text: &str, page: CodePage) -> (RecordCodec, crate::RecordLayout) {
        let layout = parse(text, &ParseOptions::default()).unwrap().remove(0);
        let options = CodecOptions {
            code_page: page,
            ..CodecOptions::default()
        };
        (RecordCodec::build(&layout, &options).unwrap(), layout)
    }

    const RECORD: &str = "
       01  R.
           05  NAME   PIC X(8).
           05  AMOUNT PIC S9(3)V99 COMP-3.
           05  TIMES  PIC 9(2) OCCURS 3.
           05  SHOWN  PIC ZZ9.99.
           05  WIDE   PIC N(4) USAGE NATIONAL.
    ";

    #[test]
    fn an_item_is_read_back_as_the_text_that_was_put_in() {
        for page in [CodePage::ascii(), CodePage::by_ccsid(37).unwrap()] {
            let (codec, layout) = codec(RECORD, page);
            let mut record = vec![0; codec.max_len()];
            codec.initialise(&mut record).unwrap();
            let values = [
                ("NAME", "a\"<b\\ c", 0),
                ("AMOUNT", "-123.45", 0),
                ("TIMES", "42", 4),
                ("SHOWN", "  7.50", 0),
                ("WIDE", "Grüß", 0),
            ];
            for (field, text, delta) in values {
                let item = codec.item(layout.find(field).unwrap()).unwrap();
                codec.set_item(item, text, &mut record, delta).unwrap();
            }
            for (field, text, delta) in values {
                let item = codec.item(layout.find(field).unwrap()).unwrap();
                let mut out = b"x".to_vec();
                codec.item_text(item, &record, delta, &mut out).unwrap();
                assert_eq!(
                    String::from_utf8(out).unwrap(),
                    format!("x{text}"),
                    "{field}"
                );
            }
            assert!(codec.item(layout.find("R").unwrap()).is_none());
        }
    }

    #[test]
    fn what_does_not_fit_is_an_error_that_names_the_field() {
        let (codec, layout) = codec(RECORD, CodePage::ascii());
        let mut record = vec![0; codec.max_len()];
        codec.initialise(&mut record).unwrap();
        for (field, text) in [
            ("NAME", "too long a text"),
            ("AMOUNT", "1e9"),
            ("TIMES", "x"),
        ] {
            let item = codec.item(layout.find(field).unwrap()).unwrap();
            let error = codec.set_item(item, text, &mut record, 0).unwrap_err();
            assert!(error.to_string().contains(field), "{error}");
        }
        let item = codec.item(layout.find("NAME").unwrap()).unwrap();
        let mut out = Vec::new();
        assert!(codec.item_text(item, &[0; 3], 0, &mut out).is_err());
        assert!(codec.item_text(item, b"\xffxxxxxxx", 0, &mut out).is_err());
        assert!(out.is_empty());
    }
}
