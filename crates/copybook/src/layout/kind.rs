//! The type of each item, from its PICTURE, USAGE and SIGN.

use crate::diagnostic::{Diagnostics, SourcePosition};
use crate::model::{FieldKind, Literal, NumberStorage, NumericEditing, NumericItem, SignPlace};
use crate::parse::{DataEntry, SignClause, Usage};
use crate::picture::{Context, Picture, PictureCategory};

use super::tree::EntryTree;

/// The type of an item.
#[derive(Debug, Clone)]
pub struct ItemMeaning {
    /// The kind.
    pub kind: FieldKind,
    /// Length in bytes; zero for groups, whose length is that of their items.
    pub bytes: u32,
    /// What SYNCHRONIZED aligns it to.
    pub alignment: u32,
}

/// Binary numbers have at most so many digits.
const MAX_BINARY_DIGITS: u16 = 18;

/// The meaning of every item. Returns `None` if a fault was reported.
pub fn meanings(
    tree: &EntryTree<'_>,
    context: Context<'_>,
    pointer_bytes: u32,
    diagnostics: &mut Diagnostics,
) -> Vec<Option<ItemMeaning>> {
    let mut out = Vec::with_capacity(tree.len());
    // Attributes that groups inherit to their children; parents come first.
    let mut usages: Vec<Option<Usage>> = Vec::with_capacity(tree.len());
    let mut signs: Vec<Option<SignClause>> = Vec::with_capacity(tree.len());
    for (index, entry) in tree.entries.iter().enumerate() {
        let parent = tree.parent[index];
        let usage = entry
            .usage
            .as_ref()
            .map(|u| u.is)
            .or_else(|| parent.and_then(|p| usages[p]));
        let sign = entry
            .sign
            .as_ref()
            .map(|s| s.is)
            .or_else(|| parent.and_then(|p| signs[p]));
        usages.push(usage);
        signs.push(sign);
        let errors_before = diagnostics.list.len();
        let item = ItemContext {
            entry,
            usage: usage.unwrap_or(Usage::Display),
            sign,
            pointer_bytes,
            diagnostics,
        };
        let meaning = if tree.children[index].is_empty() {
            item.elementary(context)
        } else {
            item.group()
        };
        let failed = diagnostics.list[errors_before..]
            .iter()
            .any(|d| d.severity == crate::diagnostic::Severity::Error);
        out.push(meaning.filter(|_| !failed));
    }
    out
}

/// One item while its meaning is worked out.
struct ItemContext<'a> {
    entry: &'a DataEntry,
    usage: Usage,
    sign: Option<SignClause>,
    pointer_bytes: u32,
    diagnostics: &'a mut Diagnostics,
}

impl ItemContext<'_> {
    fn error(&mut self, at: SourcePosition, message: String) {
        self.diagnostics.error(at, message);
    }

    /// A group: some clauses make no sense there.
    fn group(mut self) -> Option<ItemMeaning> {
        let name = self.entry.shown();
        let misplaced = [
            ("PICTURE", self.entry.picture.as_ref().map(|p| p.at)),
            ("JUSTIFIED", self.entry.justified),
            ("BLANK WHEN ZERO", self.entry.blank_when_zero),
        ];
        for (clause, at) in misplaced {
            if let Some(at) = at {
                self.diagnostics.error_help(
                    at,
                    format!("group {name} cannot have {clause}"),
                    "an item with a higher level number follows, which makes this one a group",
                );
            }
        }
        if let Some(at) = self.entry.synchronized {
            self.diagnostics
                .warn(at, format!("SYNCHRONIZED on group {name} has no effect"));
        }
        self.value_of_group();
        Some(ItemMeaning {
            kind: FieldKind::Group,
            bytes: 0,
            alignment: 1,
        })
    }

    fn value_of_group(&mut self) {
        if let Some(value) = &self.entry.value
            && matches!(value.is, Literal::Number(_))
        {
            let message = format!(
                "the VALUE of group {} must be characters",
                self.entry.shown()
            );
            self.error(value.at, message);
        }
    }

    fn elementary(mut self, context: Context<'_>) -> Option<ItemMeaning> {
        if self.entry.faulty {
            return None;
        }
        let meaning = match self.without_picture() {
            Some(meaning) => {
                self.refuse_picture();
                self.check_clauses(None, &meaning);
                meaning
            }
            None => {
                let (picture, at) = self.picture(context)?;
                let meaning = self.with_picture(&picture, at)?;
                self.check_clauses(Some(&picture), &meaning);
                meaning
            }
        };
        self.check_value(&meaning);
        Some(meaning)
    }

    /// The usages that define their storage alone.
    fn without_picture(&self) -> Option<ItemMeaning> {
        let plain = |kind, bytes| {
            Some(ItemMeaning {
                kind,
                bytes,
                alignment: bytes,
            })
        };
        match self.usage {
            Usage::Float => plain(FieldKind::Float, 4),
            Usage::Double => plain(FieldKind::Double, 8),
            Usage::DecimalFloat(bytes) => plain(FieldKind::DecimalFloat, bytes),
            Usage::Index => plain(FieldKind::Index, 4),
            Usage::Pointer => plain(FieldKind::Pointer, self.pointer_bytes),
            Usage::ProcedurePointer => plain(FieldKind::Pointer, 8),
            Usage::Integer { bytes, signed } => {
                let digits = match (bytes, signed) {
                    (1, _) => 3,
                    (2, _) => 5,
                    (4, _) => 10,
                    (_, true) => 19,
                    (_, false) => 20,
                };
                let number = NumericItem {
                    digits,
                    scale: 0,
                    signed,
                    storage: NumberStorage::Native,
                };
                plain(FieldKind::Numeric(number), bytes)
            }
            _ => None,
        }
    }

    fn refuse_picture(&mut self) {
        if let Some(picture) = &self.entry.picture {
            let message = format!(
                "{} cannot have a PICTURE: its USAGE defines its form",
                self.entry.shown()
            );
            let help =
                "remove the PICTURE; a number with digits and a point is COMP-3, COMP or DISPLAY";
            self.diagnostics.error_help(picture.at, message, help);
        }
    }

    fn picture(&mut self, context: Context<'_>) -> Option<(Picture, SourcePosition)> {
        let Some(text) = &self.entry.picture else {
            let name = self.entry.shown();
            // They may be in the member that is not there, which was reported.
            if self.diagnostics.lacks_a_member() {
                return None;
            }
            self.diagnostics.error_help(
                self.entry.at,
                format!("{name} has no PICTURE and no items below it"),
                "add a PICTURE, or check the level number of the next entry",
            );
            return None;
        };
        match Picture::parse(&text.is, context) {
            Ok(picture) => Some((picture, text.at)),
            Err(message) => {
                let comma = Context {
                    decimal_comma: true,
                    ..context
                };
                let european = !context.decimal_comma && Picture::parse(&text.is, comma).is_ok();
                if european {
                    self.diagnostics.error_help(
                        text.at,
                        message,
                        "it is valid in a program with DECIMAL-POINT IS COMMA, which a copybook cannot contain: use --decimal-comma",
                    )
                } else {
                    self.error(text.at, message)
                }
                None
            }
        }
    }

    fn with_picture(&mut self, picture: &Picture, at: SourcePosition) -> Option<ItemMeaning> {
        match self.usage {
            Usage::Binary | Usage::Native | Usage::BinaryFull => self.binary(picture, at),
            Usage::Packed | Usage::PackedUnsigned => self.packed(picture, at),
            Usage::Dbcs => match picture.category {
                PictureCategory::Dbcs | PictureCategory::National => {
                    Some(characters(FieldKind::Dbcs, picture.bytes))
                }
                _ => self.incompatible(at, "DISPLAY-1"),
            },
            Usage::National => {
                if !matches!(
                    picture.category,
                    PictureCategory::National | PictureCategory::Dbcs
                ) {
                    self.diagnostics.warn(
                        at,
                        "USAGE NATIONAL without N in the PICTURE: one byte a character, as GnuCOBOL has it",
                    );
                }
                self.display(picture, at)
            }
            _ => self.display(picture, at),
        }
    }

    fn display(&mut self, picture: &Picture, at: SourcePosition) -> Option<ItemMeaning> {
        let bytes = picture.bytes;
        Some(match picture.category {
            PictureCategory::Alphabetic | PictureCategory::Alphanumeric => {
                characters(FieldKind::Alphanumeric, bytes)
            }
            PictureCategory::AlphanumericEdited => characters(FieldKind::AlphanumericEdited, bytes),
            PictureCategory::National => characters(FieldKind::National, bytes),
            PictureCategory::Dbcs if self.usage == Usage::National => {
                characters(FieldKind::National, bytes)
            }
            PictureCategory::Dbcs => characters(FieldKind::Dbcs, bytes),
            PictureCategory::NationalEdited => {
                self.error(
                    at,
                    "national-edited pictures are not supported, their storage is not defined"
                        .into(),
                );
                return None;
            }
            PictureCategory::NumericEdited => {
                // GnuCOBOL adds a byte here too when a group around says
                // SEPARATE, although the picture has its own sign.
                let extra = picture.signed && self.sign.is_some_and(|sign| sign.separate);
                let bytes = bytes + u32::from(extra);
                characters(FieldKind::NumericEdited(edited(picture)), bytes)
            }
            PictureCategory::Numeric if self.entry.blank_when_zero.is_some() => {
                // GnuCOBOL keeps a byte for the point, which V does not show.
                let bytes = bytes + u32::from(picture.scale > 0);
                characters(FieldKind::NumericEdited(edited(picture)), bytes)
            }
            PictureCategory::Numeric => {
                let sign = self.sign_place(picture);
                let separate = matches!(
                    sign,
                    SignPlace::LeadingSeparate | SignPlace::TrailingSeparate
                );
                let number = numeric(picture, NumberStorage::Zoned { sign });
                characters(FieldKind::Numeric(number), bytes + u32::from(separate))
            }
        })
    }

    fn sign_place(&self, picture: &Picture) -> SignPlace {
        match (picture.signed, self.sign) {
            (false, _) => SignPlace::None,
            (true, None) => SignPlace::Trailing,
            (true, Some(sign)) => match (sign.leading, sign.separate) {
                (true, true) => SignPlace::LeadingSeparate,
                (true, false) => SignPlace::Leading,
                (false, true) => SignPlace::TrailingSeparate,
                (false, false) => SignPlace::Trailing,
            },
        }
    }

    fn binary(&mut self, picture: &Picture, at: SourcePosition) -> Option<ItemMeaning> {
        // X pictures give COMP-5 and COMP-X their length in bytes.
        if picture.category == PictureCategory::Alphanumeric && self.usage != Usage::Binary {
            return self.binary_bytes(picture, at);
        }
        if picture.category != PictureCategory::Numeric {
            return self.incompatible(at, "a binary number");
        }
        if picture.digits > MAX_BINARY_DIGITS {
            let message = format!(
                "a binary number has at most {MAX_BINARY_DIGITS} digits, {} has {}",
                self.entry.shown(),
                picture.digits
            );
            self.error(at, message);
            return None;
        }
        let (storage, bytes) = match self.usage {
            Usage::Binary => (NumberStorage::Binary, word_bytes(picture.digits)),
            Usage::Native => (NumberStorage::Native, native_bytes(picture.digits)),
            _ => (NumberStorage::BinaryFull, fewest_bytes(picture)),
        };
        Some(binary(numeric(picture, storage), bytes))
    }

    fn binary_bytes(&mut self, picture: &Picture, at: SourcePosition) -> Option<ItemMeaning> {
        let bytes = picture.bytes;
        if bytes > 8 {
            let message = format!("{} is larger than 8 bytes", self.entry.shown());
            self.error(at, message);
            return None;
        }
        let (storage, bytes) = match self.usage {
            Usage::BinaryFull => (NumberStorage::BinaryFull, bytes),
            _ if bytes <= 2 => (NumberStorage::Native, bytes),
            _ => (NumberStorage::Native, bytes.next_power_of_two()),
        };
        let digits = match bytes {
            1 => 3,
            2 => 5,
            3 => 8,
            4 => 10,
            5 => 13,
            6 => 15,
            7 => 17,
            _ => 20,
        };
        let number = NumericItem {
            digits,
            scale: 0,
            signed: false,
            storage,
        };
        Some(binary(number, bytes))
    }

    fn packed(&mut self, picture: &Picture, at: SourcePosition) -> Option<ItemMeaning> {
        if picture.category != PictureCategory::Numeric {
            return self.incompatible(at, "a packed number");
        }
        let digits = u32::from(picture.digits);
        let unsigned = self.usage == Usage::PackedUnsigned;
        if unsigned && picture.signed {
            self.diagnostics.warn(
                at,
                "COMP-6 has no sign: a signed PICTURE is treated as COMP-3",
            );
        }
        Some(if unsigned && !picture.signed {
            let number = numeric(picture, NumberStorage::PackedUnsigned);
            characters(FieldKind::Numeric(number), digits.div_ceil(2))
        } else {
            let number = numeric(picture, NumberStorage::Packed);
            characters(FieldKind::Numeric(number), digits / 2 + 1)
        })
    }

    fn incompatible(&mut self, at: SourcePosition, usage: &str) -> Option<ItemMeaning> {
        let message = format!(
            "the PICTURE of {} does not describe {usage}, as its USAGE says",
            self.entry.shown()
        );
        let help = "the PICTURE of a number has 9, S, V and P";
        if usage.ends_with("number") {
            self.diagnostics.error_help(at, message, help)
        } else {
            self.error(at, message)
        }
        None
    }

    /// Clauses that fit only some kinds.
    fn check_clauses(&mut self, picture: Option<&Picture>, meaning: &ItemMeaning) {
        let name = self.entry.shown().to_owned();
        if let Some(sign) = &self.entry.sign {
            if !picture.is_some_and(|p| p.category == PictureCategory::Numeric && p.signed) {
                self.diagnostics.error_help(
                    sign.at,
                    format!("{name} has a SIGN clause but no S in its PICTURE"),
                    "add S to the PICTURE or remove the clause",
                );
            } else if !matches!(self.usage, Usage::Display | Usage::National) {
                self.error(
                    sign.at,
                    format!("{name} has a SIGN clause but is not USAGE DISPLAY"),
                );
            }
        }
        if let Some(at) = self.entry.justified
            && matches!(
                meaning.kind,
                FieldKind::Numeric(_)
                    | FieldKind::NumericEdited(_)
                    | FieldKind::AlphanumericEdited
                    | FieldKind::Float
                    | FieldKind::Double
                    | FieldKind::DecimalFloat
                    | FieldKind::Index
                    | FieldKind::Pointer
            )
        {
            self.error(
                at,
                format!("{name} cannot be JUSTIFIED: JUSTIFIED requires plain characters"),
            );
        }
        if let Some(at) = self.entry.blank_when_zero {
            let numeric = matches!(meaning.kind, FieldKind::NumericEdited(_));
            let shows_sign =
                picture.is_some_and(|p| p.category == PictureCategory::Numeric && p.signed);
            if !numeric || shows_sign || picture.is_some_and(|p| p.has_star) {
                self.error(
                    at,
                    format!("{name} cannot be BLANK WHEN ZERO: this requires an unsigned number in USAGE DISPLAY without *"),
                );
            }
        }
    }

    /// Values that can never be stored.
    fn check_value(&mut self, meaning: &ItemMeaning) {
        let Some(value) = &self.entry.value else {
            return;
        };
        let name = self.entry.shown();
        match (&meaning.kind, &value.is) {
            (FieldKind::Numeric(number), Literal::Number(text))
                if !number.signed && text.starts_with('-') =>
            {
                let message = format!("{name} has no sign, its VALUE {text} has one");
                self.error(value.at, message);
            }
            (FieldKind::Numeric(_), Literal::Figurative(word))
                if word == "SPACE" || word == "QUOTE" =>
            {
                let message = format!("{name} is a number: its VALUE cannot be {word}");
                self.error(value.at, message);
            }
            (FieldKind::Pointer, literal) if *literal != Literal::Figurative("NULL".into()) => {
                let message = format!("{name} is a pointer, its VALUE can only be NULL");
                self.error(value.at, message);
            }
            _ => {}
        }
    }
}

/// An item of single bytes, which SYNCHRONIZED does not move.
fn characters(kind: FieldKind, bytes: u32) -> ItemMeaning {
    ItemMeaning {
        kind,
        bytes,
        alignment: 1,
    }
}

/// A binary number; only whole machine words are aligned.
fn binary(number: NumericItem, bytes: u32) -> ItemMeaning {
    ItemMeaning {
        kind: FieldKind::Numeric(number),
        bytes,
        alignment: if bytes.is_power_of_two() { bytes } else { 1 },
    }
}

fn numeric(picture: &Picture, storage: NumberStorage) -> NumericItem {
    NumericItem {
        digits: picture.digits,
        scale: picture.scale,
        signed: picture.signed,
        storage,
    }
}

fn edited(picture: &Picture) -> NumericEditing {
    NumericEditing {
        digits: picture.digits,
        scale: picture.scale,
        signed: picture.signed,
    }
}

/// Bytes of COMP-5 by digits. GnuCOBOL takes one byte for up to two digits
/// here, whatever its `binary-size` setting says.
fn native_bytes(digits: u16) -> u32 {
    match digits {
        0..=2 => 1,
        _ => word_bytes(digits),
    }
}

/// Bytes of COMP by digits.
fn word_bytes(digits: u16) -> u32 {
    match digits {
        0..=4 => 2,
        5..=9 => 4,
        _ => 8,
    }
}

/// Bytes of COMP-X by digits: the fewest that hold them.
fn fewest_bytes(picture: &Picture) -> u32 {
    match picture.digits {
        0..=2 => 1,
        3..=4 => 2,
        5..=7 => 3,
        8..=9 => 4,
        10..=12 => 5,
        13..=14 => 6,
        15..=16 => 7,
        _ => 8,
    }
}
