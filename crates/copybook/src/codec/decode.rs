//! Records to JSON text.
//!
//! The walk over the plan writes straight into the output: every value is
//! followed by a comma, and a closing bracket takes the place of the last one.
//! A leaf reserves its room once and writes through a pointer.

use super::leaf::NumberText;
use super::options::{BlankTrimming, InvalidPolicy, NumberForm, UnmappablePolicy};
use super::out::{self, SHORT_NUMBER};
use super::plan::{CodecPlan, DescriptionRule, ErrorSpot, LeafKind, NO_VAR, Node, NodeKind, Table};
use super::scan;
use super::shape::TableShape;
use crate::codepage::PageKind;
use crate::number::BadNumber;
use crate::number::zoned::AsciiDigits;

/// Walks one record.
pub(super) struct RecordDecoder<'a> {
    pub plan: &'a CodecPlan,
    pub record: &'a [u8],
    pub out: &'a mut Vec<u8>,
    pub shape: Option<&'a TableShape>,
    /// Within a trial of [`DescriptionRule::AllValid`]: whatever is invalid is an error.
    pub strict: bool,
}

/// An error; callers add the subscripts of their level.
#[derive(Debug)]
pub(super) struct Fault {
    pub spot: ErrorSpot,
    pub kind: FaultKind,
}

/// The kinds of faults in data.
#[derive(Debug)]
pub(super) enum FaultKind {
    Number(BadNumber),
    /// Offset in the field of a byte that is not a character.
    Unmappable(usize),
    NoVariant,
}

pub(super) type DecodeStep = Result<(), Box<Fault>>;

impl RecordDecoder<'_> {
    /// Writes a node's value and a comma, its key before it if it has one.
    #[inline]
    pub(super) fn emit(&mut self, at: usize, delta: usize) -> DecodeStep {
        let plan = self.plan;
        let node = &plan.nodes[at];
        match node.kind {
            NodeKind::Leaf(leaf) => self.leaf(node, leaf, delta),
            NodeKind::Group(_) => self.group(at, node, delta),
            NodeKind::Table(table) => self.table(at, node, table, delta),
            NodeKind::Choice(set) => self.choice(node, set, delta),
            NodeKind::Skip => Ok(()),
        }
    }

    /// The same without the key.
    pub(super) fn emit_bare(&mut self, at: usize, delta: usize) -> DecodeStep {
        let node = Node {
            key_len: 0,
            omit: false,
            ..self.plan.nodes[at].clone()
        };
        match node.kind {
            NodeKind::Leaf(leaf) => self.leaf(&node, leaf, delta),
            NodeKind::Group(_) => self.group(at, &node, delta),
            NodeKind::Table(table) => self.table(at, &node, table, delta),
            NodeKind::Choice(_) | NodeKind::Skip => Ok(()),
        }
    }

    fn group(&mut self, at: usize, node: &Node, delta: usize) -> DecodeStep {
        let start = self.out.len();
        self.open(node, b'{');
        let inside = self.out.len();
        let plan = self.plan;
        let (mut child, end) = (at + 1, node.end as usize);
        let mut delta = delta;
        while child < end {
            let node = &plan.nodes[child];
            match node.kind {
                NodeKind::Leaf(leaf) => self.leaf(node, leaf, delta)?,
                _ => {
                    self.emit(child, delta)?;
                    if node.slide.1 != 0
                        && let Some(shape) = self.shape
                    {
                        delta = delta.wrapping_sub(shape.saved_by(plan.var_run(node.slide)));
                    }
                }
            }
            child = node.end as usize;
        }
        self.close(start, inside, node.omit, b'}');
        Ok(())
    }

    fn table(&mut self, at: usize, node: &Node, table: Table, delta: usize) -> DecodeStep {
        let start = self.out.len();
        self.open(node, b'[');
        let inside = self.out.len();
        let (mut count, mut stride) = (table.max, table.stride as usize);
        if table.var != NO_VAR
            && let Some(shape) = self.shape
        {
            count = shape.count(table.var);
            let inner = &self.plan.vars[usize::from(table.var)].inner;
            stride = stride.wrapping_sub(shape.saved_by(inner));
        }
        let mut delta = delta;
        for k in 0..count {
            let before = self.out.len();
            if let Err(mut fault) = self.emit(at + 1, delta) {
                fault.spot.subscripts.push(k);
                return Err(fault);
            }
            if self.out.len() == before {
                // After the end of a short record.
                break;
            }
            delta = delta.wrapping_add(stride);
        }
        self.close(start, inside, node.omit, b']');
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn choice(&mut self, node: &Node, set: u32, delta: usize) -> DecodeStep {
        let plan = self.plan;
        let set = &plan.sets[set as usize];
        match &set.rule {
            DescriptionRule::Fixed(None) => Ok(()),
            DescriptionRule::Fixed(Some(variant)) => self.emit(*variant as usize, delta),
            DescriptionRule::ByValue {
                node: field,
                same_tables,
                plus,
                minus,
                cases,
                otherwise,
            } => {
                let mut at = if *same_tables { delta } else { 0 };
                if let Some(shape) = self.shape {
                    if *same_tables {
                        at = at.wrapping_add(shape.saved_by(plan.var_run(*plus)));
                    }
                    at = at.wrapping_sub(shape.saved_by(plan.var_run(*minus)));
                }
                let chosen = self.select(*field, at, cases).or(*otherwise);
                chosen.map_or(Ok(()), |variant| self.emit(variant as usize, delta))
            }
            DescriptionRule::AllValid => {
                let start = self.out.len();
                let outer = std::mem::replace(&mut self.strict, true);
                let mut any = false;
                for &variant in &set.variants {
                    let before = self.out.len();
                    match self.emit(variant as usize, delta) {
                        Ok(()) => any = true,
                        Err(_) => self.out.truncate(before),
                    }
                }
                self.strict = outer;
                match set.variants.first() {
                    Some(first) if !any => {
                        let shown = &plan.nodes[*first as usize];
                        let shown = Node {
                            len: node.len,
                            ..shown.clone()
                        };
                        self.bad(&shown, delta, start, FaultKind::NoVariant)
                    }
                    _ => Ok(()),
                }
            }
        }
    }

    /// The description that the deciding field's value selects.
    fn select(&mut self, field: u32, delta: usize, cases: &[(Box<[u8]>, u32)]) -> Option<u32> {
        let node = Node {
            key_len: 0,
            omit: false,
            ..self.plan.nodes[field as usize].clone()
        };
        let start = self.out.len();
        let outer = std::mem::replace(&mut self.strict, true);
        let read = match node.kind {
            NodeKind::Leaf(leaf) => self.leaf(&node, leaf, delta),
            _ => Ok(()),
        };
        self.strict = outer;
        let written = &self.out[start..];
        let value = written.strip_suffix(b",").unwrap_or(written);
        let value = value.strip_prefix(b"\"").unwrap_or(value);
        let value = value.strip_suffix(b"\"").unwrap_or(value).trim_ascii_end();
        let chosen = cases
            .iter()
            .find(|(case, _)| read.is_ok() && case.trim_ascii_end() == value)
            .map(|(_, variant)| *variant);
        self.out.truncate(start);
        chosen
    }

    #[inline]
    fn open(&mut self, node: &Node, bracket: u8) {
        let len = usize::from(node.key_len);
        self.out.reserve(len + 64);
        // SAFETY: the room was just reserved, the keys end in slack, and the
        // bytes up to the new length are written.
        unsafe {
            let start = self.out.as_mut_ptr().add(self.out.len());
            let p = out::copy_key(start, &self.plan.keys, node.key_at as usize, len);
            *p = bracket;
            self.out.set_len(self.out.len() + len + 1);
        }
    }

    #[inline]
    fn close(&mut self, start: usize, inside: usize, omit: bool, bracket: u8) {
        if self.out.len() == inside {
            if omit {
                self.out.truncate(start);
                return;
            }
            self.out.push(bracket);
        } else if let Some(comma) = self.out.last_mut() {
            *comma = bracket;
        }
        self.out.push(b',');
    }

    #[inline(always)]
    pub(super) fn leaf(&mut self, node: &Node, leaf: LeafKind, delta: usize) -> DecodeStep {
        let at = (node.offset as usize).wrapping_add(delta);
        let len = node.len as usize;
        if at > self.record.len() || len > self.record.len() - at {
            return self.cut(node, leaf, delta);
        }
        match leaf {
            LeafKind::Text { justified } => self.text(node, justified, at, len),
            LeafKind::National { .. } | LeafKind::Bytes => self.rare(node, leaf, at, len),
            LeafKind::Edited(_) if !leaf.is_number(&self.plan.options) => {
                self.text(node, false, at, len)
            }
            _ => match self.plan.read_short(leaf, self.record, at, len) {
                Ok((word, negative, scale)) => {
                    self.short(node, word, negative, scale);
                    Ok(())
                }
                Err(_) => self.number(node, leaf, delta, at),
            },
        }
    }

    /// A number that is not short, or not one.
    #[inline(never)]
    fn number(&mut self, node: &Node, leaf: LeafKind, delta: usize, at: usize) -> DecodeStep {
        match self
            .plan
            .read_number(leaf, self.record, at, node.len as usize)
        {
            Ok(NumberText::Digits(AsciiDigits::Short(word), negative, scale)) => {
                self.long(node, &word.to_be_bytes(), negative, i32::from(scale));
            }
            Ok(NumberText::Digits(AsciiDigits::Long(digits), negative, scale)) => {
                self.long(node, &digits, negative, i32::from(scale));
            }
            Ok(other) => self.rare_number(node, other),
            Err(bad) => return self.bad(node, delta, self.out.len(), FaultKind::Number(bad)),
        }
        Ok(())
    }

    /// A field that the end of a short record cuts: text is as long as what is
    /// there, anything else is absent.
    #[inline(never)]
    fn cut(&mut self, node: &Node, leaf: LeafKind, delta: usize) -> DecodeStep {
        let at = (node.offset as usize).wrapping_add(delta);
        match (leaf, self.record.len().checked_sub(at)) {
            (LeafKind::Text { justified }, Some(there)) if there > 0 => {
                self.text(node, justified, at, there)
            }
            _ => Ok(()),
        }
    }

    #[inline(always)]
    fn short(&mut self, node: &Node, word: u128, negative: bool, scale: u32) {
        let key = usize::from(node.key_len);
        let quoted = self.plan.options.numbers == NumberForm::Text;
        self.out.reserve(key + 32 + SHORT_NUMBER);
        // SAFETY: the room was just reserved (a key and its slack, a number,
        // two quotes and a comma within the slack), and the bytes up to the
        // new length are written.
        unsafe {
            let start = self.out.as_mut_ptr().add(self.out.len());
            let mut p = out::copy_key(start, &self.plan.keys, node.key_at as usize, key);
            if quoted {
                *p = b'"';
                p = p.add(1);
            }
            p = out::put_short(p, word, negative, scale);
            if quoted {
                *p = b'"';
                p = p.add(1);
            }
            *p = b',';
            let len = p.offset_from(self.out.as_ptr()) as usize + 1;
            self.out.set_len(len);
        }
    }

    #[inline(never)]
    fn long(&mut self, node: &Node, digits: &[u8], negative: bool, scale: i32) {
        self.key(node);
        self.quote();
        out::push_long(self.out, digits, negative, scale);
        self.quote();
        self.out.push(b',');
    }

    fn quote(&mut self) {
        if self.plan.options.numbers == NumberForm::Text {
            self.out.push(b'"');
        }
    }

    #[inline(never)]
    fn rare_number(&mut self, node: &Node, number: NumberText) {
        match number {
            NumberText::Digits(..) => {}
            NumberText::Float(text) => {
                self.key(node);
                self.quote();
                self.out.extend_from_slice(text.as_bytes());
                self.quote();
                self.out.push(b',');
            }
            NumberText::Decimal(number) => {
                let mut digits = [0; 40];
                crate::number::swar::fill_digits(&mut digits, number.magnitude);
                if (-40..=40).contains(&number.scale) {
                    self.long(node, &digits, number.negative, number.scale);
                    return;
                }
                self.key(node);
                self.quote();
                out::push_long(self.out, &digits, number.negative, 0);
                if number.magnitude != 0 {
                    let exponent = -i64::from(number.scale);
                    self.out
                        .extend_from_slice(format!("e{exponent}").as_bytes());
                }
                self.quote();
                self.out.push(b',');
            }
        }
    }

    fn key(&mut self, node: &Node) {
        let key = &self.plan.keys[node.key_at as usize..][..usize::from(node.key_len)];
        self.out.extend_from_slice(key);
    }

    /// A leaf whose bytes are not number, or storage that nothing describes.
    #[cold]
    #[inline(never)]
    fn bad(&mut self, node: &Node, delta: usize, start: usize, kind: FaultKind) -> DecodeStep {
        self.out.truncate(start);
        let spot = self.plan.spot(node, delta);
        let invalid = if self.strict {
            InvalidPolicy::Error
        } else {
            self.plan.options.invalid
        };
        match invalid {
            InvalidPolicy::Error => return Err(Box::new(Fault { spot, kind })),
            InvalidPolicy::Null => {
                self.key(node);
                self.out.extend_from_slice(b"null");
            }
            InvalidPolicy::Raw => {
                self.key(node);
                let end = (spot.offset + spot.length).min(self.record.len());
                let bytes = self.record.get(spot.offset..end).unwrap_or(&[]);
                out::push_hex(self.out, b"0x", bytes);
            }
        }
        self.out.push(b',');
        Ok(())
    }

    /// Offset and length of a text without its padding.
    #[inline(always)]
    pub(super) fn trimmed(&self, justified: bool, at: usize, len: usize) -> (usize, usize) {
        let space = self.plan.options.code_page.space();
        match self.plan.options.trim {
            BlankTrimming::Keep => (at, len),
            BlankTrimming::Padding if justified => trim_start(self.record, at, len, space),
            BlankTrimming::Padding => (at, scan::trim_end(self.record, at, len, space)),
            BlankTrimming::Both => {
                let len = scan::trim_end(self.record, at, len, space);
                trim_start(self.record, at, len, space)
            }
        }
    }

    /// Characters of the code page.
    #[inline(always)]
    fn text(&mut self, node: &Node, justified: bool, at: usize, len: usize) -> DecodeStep {
        let plan = self.plan;
        let page = plan.options.code_page.page();
        let space = plan.options.code_page.space();
        let field = at;
        let (at, len) = self.trimmed(justified, at, len);
        if node.omit && is_empty(&self.record[at..at + len], space) {
            return Ok(());
        }
        let key = usize::from(node.key_len);
        self.out.reserve(key + len + 64);
        let done;
        // SAFETY: the room was just reserved: a key and its slack, two quotes
        // and a comma, the text and the slack of its copy; the bytes up to the
        // new length are written.
        unsafe {
            let start = self.out.as_mut_ptr().add(self.out.len());
            let p = out::copy_key(start, &plan.keys, node.key_at as usize, key);
            *p = b'"';
            let p = p.add(1);
            done = if page.kind == PageKind::Ebcdic {
                scan::copy_mapped(&page.plain, self.record, at, len, p)
            } else {
                scan::copy_plain::<false>(self.record, at, len, p)
            };
            let p = p.add(done);
            if done == len {
                *p = b'"';
                *p.add(1) = b',';
                self.out.set_len(self.out.len() + key + 1 + len + 2);
                return Ok(());
            }
            self.out.set_len(self.out.len() + key + 1 + done);
        }
        self.text_on(node, field, at + done, len - done)
    }

    /// The rest of a text from a byte that needs attention.
    #[cold]
    #[inline(never)]
    fn text_on(&mut self, node: &Node, field: usize, at: usize, len: usize) -> DecodeStep {
        let plan = self.plan;
        let page = plan.options.code_page.page();
        let (mut at, end) = (at, at + len);
        while at < end {
            let byte = self.record[at];
            if page.kind == PageKind::Utf8 && byte >= 0x80 {
                at = self.utf8_on(node, field, at, end)?;
            } else {
                match plan.options.code_page.char_of(byte) {
                    Some(c) => out::push_char(self.out, c),
                    None => self.unmappable(node, field, at)?,
                }
                at += 1;
            }
            at += self.copy_run::<false>(at, end);
        }
        self.out.extend_from_slice(b"\",");
        Ok(())
    }

    /// As much UTF-8 as is valid from `at` on, or one substitute.
    fn utf8_on(
        &mut self,
        node: &Node,
        field: usize,
        at: usize,
        end: usize,
    ) -> Result<usize, Box<Fault>> {
        let rest = &self.record[at..end];
        let (valid, skip) = match std::str::from_utf8(rest) {
            Ok(_) => (rest.len(), 0),
            Err(e) => (
                e.valid_up_to(),
                e.error_len().unwrap_or(rest.len() - e.valid_up_to()),
            ),
        };
        let stop = at + valid;
        let mut at = at;
        while at < stop {
            at += self.copy_run::<true>(at, stop);
            if at < stop {
                out::push_char(self.out, char::from(self.record[at]));
                at += 1;
            }
        }
        if skip > 0 {
            self.unmappable(node, field, stop)?;
        }
        Ok(stop + skip)
    }

    /// Copies plain bytes from `at` on. Returns their number.
    pub(super) fn copy_run<const HIGH: bool>(&mut self, at: usize, end: usize) -> usize {
        let len = end - at;
        self.out.reserve(len + 64);
        let page = self.plan.options.code_page.page();
        // SAFETY: the room was just reserved, and the bytes up to the new
        // length are written.
        unsafe {
            let p = self.out.as_mut_ptr().add(self.out.len());
            let done = if page.kind == PageKind::Ebcdic {
                scan::copy_mapped(&page.plain, self.record, at, len, p)
            } else {
                scan::copy_plain::<HIGH>(self.record, at, len, p)
            };
            self.out.set_len(self.out.len() + done);
            done
        }
    }

    /// A byte at `at` that is not a character.
    pub(super) fn unmappable(&mut self, node: &Node, field: usize, at: usize) -> DecodeStep {
        if self.plan.options.unmappable == UnmappablePolicy::Substitute {
            out::push_char(self.out, char::REPLACEMENT_CHARACTER);
            return Ok(());
        }
        let spot = self
            .plan
            .spot(node, field.wrapping_sub(node.offset as usize));
        Err(Box::new(Fault {
            spot,
            kind: FaultKind::Unmappable(at - field),
        }))
    }

    /// National text, and bytes without a meaning.
    #[cold]
    #[inline(never)]
    fn rare(&mut self, node: &Node, leaf: LeafKind, at: usize, len: usize) -> DecodeStep {
        let bytes = &self.record[at..at + len];
        let LeafKind::National { justified } = leaf else {
            self.key(node);
            out::push_hex(self.out, b"", bytes);
            self.out.push(b',');
            return Ok(());
        };
        let blank = |b: &[u8; 2]| u16::from_be_bytes(*b) == BLANK;
        let empty = bytes.as_chunks::<2>().0.iter().all(blank) || bytes.iter().all(|b| *b == 0);
        if node.omit && empty {
            return Ok(());
        }
        self.key(node);
        self.out.push(b'"');
        self.national(node, justified, at, len, out::push_char)?;
        self.out.extend_from_slice(b"\",");
        Ok(())
    }

    /// The characters of a national item, each written by `push`.
    pub(super) fn national(
        &mut self,
        node: &Node,
        justified: bool,
        at: usize,
        len: usize,
        push: fn(&mut Vec<u8>, char),
    ) -> DecodeStep {
        let units = self.record[at..at + len]
            .as_chunks::<2>()
            .0
            .iter()
            .map(|b| u16::from_be_bytes(*b));
        let blanks_at_end = units.clone().rev().take_while(|u| *u == BLANK).count();
        let blanks_at_start = units.clone().take_while(|u| *u == BLANK).count();
        let count = units.len();
        let (first, last) = match self.plan.options.trim {
            BlankTrimming::Keep => (0, count),
            BlankTrimming::Padding if justified => (blanks_at_start, count),
            BlankTrimming::Padding => (0, count - blanks_at_end),
            BlankTrimming::Both => (blanks_at_start, count - blanks_at_end),
        };
        let shown = units.skip(first).take(last.saturating_sub(first));
        let mut place = first * 2;
        for c in char::decode_utf16(shown) {
            match c {
                Ok(c) => {
                    push(self.out, c);
                    place += 2 * c.len_utf16();
                }
                Err(_) => {
                    self.unmappable(node, at, at + place)?;
                    place += 2;
                }
            }
        }
        Ok(())
    }
}

fn trim_start(record: &[u8], at: usize, len: usize, space: u8) -> (usize, usize) {
    let blanks = record[at..at + len]
        .iter()
        .take_while(|b| **b == space)
        .count();
    (at + blanks, len - blanks)
}

/// All blanks, or all low-values.
fn is_empty(bytes: &[u8], space: u8) -> bool {
    bytes.iter().all(|b| *b == space) || bytes.iter().all(|b| *b == 0)
}

/// The blank of national text.
const BLANK: u16 = 0x20;
