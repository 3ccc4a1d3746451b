//! Strings, and text from elsewhere, into elementary items that are not character
//! fields: numbers in quotes, edited numbers, raw bytes.

use std::ops::Range;

use super::encode::{EncodeStep, Fault, FaultKind, RecordEncoder};
use super::error::NumberError;
use super::options::InvalidPolicy;
use super::plan::{LeafKind, Node};
use crate::number::{Decimal, DecimalError};

impl RecordEncoder<'_> {
    #[cold]
    #[inline(never)]
    pub(super) fn misfit(
        &self,
        node: &Node,
        delta: usize,
        start: usize,
        end: usize,
        reason: NumberError,
    ) -> Box<Fault> {
        let text = self.json.input.get(start..end).unwrap_or(&[]);
        let text = String::from_utf8_lossy(&text[..text.len().min(SHOWN)]).into_owned();
        self.fault(node, delta, FaultKind::Number { text, reason })
    }

    /// A string for an elementary item that is not text.
    #[inline(never)]
    pub(super) fn quoted(
        &mut self,
        node: &Node,
        leaf: LeafKind,
        delta: usize,
        at: usize,
        end: usize,
    ) -> EncodeStep {
        let start = self.json.pos;
        let raw = self.json.string().map_err(|e| self.syntax(node, e))?;
        let text = raw.text().map_err(|e| self.syntax(node, e))?;
        self.put_text(node, leaf, delta, at..end, &text, start)
    }

    /// Text into any elementary item: what a string or a parameter of a path
    /// says. `start` is its place in the JSON text.
    pub(super) fn put_text(
        &mut self,
        node: &Node,
        leaf: LeafKind,
        delta: usize,
        area: Range<usize>,
        text: &str,
        start: usize,
    ) -> EncodeStep {
        let (at, end) = (area.start, area.end);
        if self.plan.options.invalid == InvalidPolicy::Raw
            && let Some(bytes) = text.strip_prefix("0x").and_then(base::hex::bytes)
            && bytes.len() == node.len as usize
            && !matches!(
                leaf,
                LeafKind::Text { .. } | LeafKind::National { .. } | LeafKind::Bytes
            )
        {
            if let Some(field) = self.record.get_mut(at..end) {
                field.copy_from_slice(&bytes);
            }
            return Ok(());
        }
        match leaf {
            LeafKind::Text { justified } => {
                self.convert(node, delta, text)?;
                self.put_scratch(node, delta, justified, at, end)
            }
            LeafKind::National { justified } => self.national(node, delta, justified, area, text),
            LeafKind::Bytes => {
                let expected = "hexadecimal digits for every byte";
                let fault = FaultKind::Type {
                    expected,
                    found: "other text",
                    at: start,
                };
                let bytes = base::hex::bytes(text).filter(|b| b.len() == node.len as usize);
                let bytes = bytes.ok_or_else(|| self.fault(node, delta, fault))?;
                if let Some(field) = self.record.get_mut(at..end) {
                    field.copy_from_slice(&bytes);
                }
                Ok(())
            }
            LeafKind::Edited(picture) if self.edited(picture, at..end, text) => Ok(()),
            _ => {
                let parsed = match self.with_point(leaf, text) {
                    Some(text) => Decimal::parse(text.as_bytes()),
                    None => Decimal::parse(text.as_bytes()),
                };
                let number = match parsed {
                    Ok(number) => number,
                    Err(DecimalError::Syntax) => {
                        let expected = "a number";
                        let found = "other text";
                        let kind = FaultKind::Type {
                            expected,
                            found,
                            at: start,
                        };
                        return Err(self.fault(node, delta, kind));
                    }
                    Err(error) => return Err(self.not_a_fit(node, delta, text, error.into())),
                };
                let Some(field) = self.record.get_mut(at..end) else {
                    return Ok(());
                };
                match self.plan.store_number(leaf, field, number) {
                    Ok(()) => Ok(()),
                    Err(reason) => Err(self.not_a_fit(node, delta, text, reason)),
                }
            }
        }
    }

    pub(super) fn not_a_fit(
        &self,
        node: &Node,
        delta: usize,
        text: &str,
        reason: NumberError,
    ) -> Box<Fault> {
        let text = text.chars().take(SHOWN).collect();
        self.fault(node, delta, FaultKind::Number { text, reason })
    }

    /// A number with its picture's decimal comma, as numbers are read.
    fn with_point(&self, leaf: LeafKind, text: &str) -> Option<String> {
        let LeafKind::Edited(picture) = leaf else {
            return None;
        };
        let picture = &self.plan.pictures[usize::from(picture)];
        let once = picture.has_decimal_comma() && !text.contains('.');
        once.then(|| text.replacen(',', ".", 1))
    }

    /// Text that is already in the form of an edited picture, or blank.
    fn edited(&mut self, picture: u16, area: Range<usize>, text: &str) -> bool {
        let picture = &self.plan.pictures[usize::from(picture)];
        let page = self.plan.options.code_page;
        let width = picture.len();
        if !text.is_ascii() || text.len() > width {
            return false;
        }
        let left = format!("{text:<width$}");
        let right = format!("{text:>width$}");
        let blank = text.bytes().all(|b| b == b' ');
        let fits = [left, right]
            .into_iter()
            .find(|shown| blank || picture.deedit(shown.as_bytes()).is_ok());
        let (Some(shown), Some(field)) = (fits, self.record.get_mut(area)) else {
            return false;
        };
        for (to, from) in field.iter_mut().zip(shown.bytes()) {
            *to = page.byte_of(char::from(from)).unwrap_or(page.substitute());
        }
        true
    }
}

/// Characters of a number that messages show.
const SHOWN: usize = 60;
