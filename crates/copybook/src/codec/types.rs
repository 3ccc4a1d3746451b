//! From the kind of an elementary item to its [`LeafKind`].
//!
//! The lengths that the layout gives are checked against the types here, so
//! that reading and writing need not look again.

use super::build::Builder;
use super::error::BuildError;
use super::options::{CodecOptions, EditedForm, SourceMachine};
use super::plan::LeafKind;
use crate::number::{EditedPicture, MAX_DIGITS};
use crate::{Field, FieldId, FieldKind, NumberStorage, NumericItem};

impl Builder<'_> {
    /// The compiled type of an elementary item.
    pub(super) fn leaf(&mut self, id: FieldId) -> Result<LeafKind, BuildError> {
        let field = &self.layout[id];
        let hex = self.options.machine == SourceMachine::Mainframe;
        let little = !hex && cfg!(target_endian = "little");
        let sized = |len: &[u32], leaf| {
            if len.contains(&field.length) {
                Ok(leaf)
            } else {
                Err(BuildError::Layout {
                    path: self.layout.path(id),
                    reason: "its length does not fit its type",
                })
            }
        };
        match &field.kind {
            FieldKind::Group => Err(self.unsupported(id, "a group is not an elementary item")),
            FieldKind::Alphanumeric | FieldKind::AlphanumericEdited => Ok(LeafKind::Text {
                justified: field.justified,
            }),
            FieldKind::National => Ok(LeafKind::National {
                justified: field.justified,
            }),
            FieldKind::Dbcs | FieldKind::Pointer => Ok(LeafKind::Bytes),
            FieldKind::Index => {
                let leaf = LeafKind::Binary {
                    digits: 0,
                    scale: 0,
                    signed: true,
                    little,
                };
                sized(&[1, 2, 4, 8], leaf)
            }
            FieldKind::Float => sized(&[4], LeafKind::Float { hex }),
            FieldKind::Double => sized(&[8], LeafKind::Double { hex }),
            FieldKind::DecimalFloat => sized(&[8, 16], LeafKind::DecimalFloat { little }),
            FieldKind::NumericEdited(_) => self.edited(id, field),
            FieldKind::Numeric(numeric) => self.numeric(id, field, *numeric, little),
        }
    }

    fn edited(&mut self, id: FieldId, field: &Field) -> Result<LeafKind, BuildError> {
        let text = field.picture.as_deref().unwrap_or("");
        // The layout knows where the point is, the picture's text does not.
        let scale = match &field.kind {
            FieldKind::NumericEdited(edited) => i32::from(edited.scale),
            _ => 0,
        };
        let compile = |comma| EditedPicture::compile_with(text, field.blank_when_zero, comma);
        let picture = compile(false)
            .and_then(|picture| {
                if picture.scale() == scale {
                    Ok(picture)
                } else {
                    compile(true)
                }
            })
            .or_else(|_| compile(true))
            .map_err(|error| BuildError::Picture {
                path: self.layout.path(id),
                error,
            })?;
        if picture.len() != field.length as usize {
            return Err(BuildError::Layout {
                path: self.layout.path(id),
                reason: "its length does not fit its picture",
            });
        }
        let at = u16::try_from(self.plan.pictures.len())
            .map_err(|_| self.unsupported(id, "too many edited pictures"))?;
        self.plan.pictures.push(picture);
        Ok(LeafKind::Edited(at))
    }

    fn numeric(
        &self,
        id: FieldId,
        field: &Field,
        numeric: NumericItem,
        little: bool,
    ) -> Result<LeafKind, BuildError> {
        if numeric.digits > MAX_DIGITS || numeric.scale.unsigned_abs() > 2 * MAX_DIGITS {
            return Err(self.unsupported(id, "numbers of more than 38 digits"));
        }
        let (digits, scale, signed) = (numeric.digits as u8, numeric.scale, numeric.signed);
        let (leaf, lengths) = match numeric.storage {
            NumberStorage::Zoned { sign } => {
                use crate::SignPlace::{LeadingSeparate, TrailingSeparate};
                let separate = matches!(sign, LeadingSeparate | TrailingSeparate);
                let len = u32::from(digits) + u32::from(separate);
                (
                    LeafKind::Zoned {
                        digits,
                        scale,
                        sign,
                        blank: field.blank_when_zero,
                    },
                    len..=len,
                )
            }
            NumberStorage::Packed => {
                let len = u32::from(digits) / 2 + 1;
                (
                    LeafKind::Packed {
                        digits,
                        scale,
                        signed,
                    },
                    len..=len,
                )
            }
            NumberStorage::PackedUnsigned => {
                let len = u32::from(digits).div_ceil(2);
                (LeafKind::PackedUnsigned { digits, scale }, len..=len)
            }
            NumberStorage::Binary => (
                LeafKind::Binary {
                    digits,
                    scale,
                    signed,
                    little: false,
                },
                1..=16,
            ),
            NumberStorage::BinaryFull => (
                LeafKind::Binary {
                    digits: 0,
                    scale,
                    signed,
                    little: false,
                },
                1..=16,
            ),
            NumberStorage::Native => (
                LeafKind::Binary {
                    digits: 0,
                    scale,
                    signed,
                    little,
                },
                1..=16,
            ),
        };
        if digits == 0 || !lengths.contains(&field.length) {
            return Err(BuildError::Layout {
                path: self.layout.path(id),
                reason: "its length does not fit its picture",
            });
        }
        Ok(leaf)
    }
}

impl LeafKind {
    /// Can count the elements of a table.
    pub(super) fn is_integer(self) -> bool {
        match self {
            LeafKind::Zoned { scale, .. }
            | LeafKind::Packed { scale, .. }
            | LeafKind::PackedUnsigned { scale, .. }
            | LeafKind::Binary { scale, .. } => scale == 0,
            _ => false,
        }
    }

    /// Stands in JSON as a number, by default.
    pub(super) fn is_number(self, options: &CodecOptions) -> bool {
        match self {
            LeafKind::Text { .. } | LeafKind::National { .. } | LeafKind::Bytes => false,
            LeafKind::Edited(_) => options.edited == EditedForm::Number,
            _ => true,
        }
    }
}
