//! From the kind of an elementary item to its [`Leaf`].
//!
//! The lengths that the layout gives are checked against the types here, so
//! that reading and writing need not look again.

use super::build::Builder;
use super::error::BuildError;
use super::options::{CodecOptions, EditedForm, Machine};
use super::plan::Leaf;
use crate::number::{EditedPicture, MAX_DIGITS};
use crate::{Field, FieldId, Kind, Numeric, Storage};

impl Builder<'_> {
    /// The compiled type of an elementary item.
    pub(super) fn leaf(&mut self, id: FieldId) -> Result<Leaf, BuildError> {
        let field = &self.layout[id];
        let hex = self.options.machine == Machine::Mainframe;
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
            Kind::Group => Err(self.unsupported(id, "a group is no elementary item")),
            Kind::Alphanumeric | Kind::AlphanumericEdited => Ok(Leaf::Text {
                justified: field.justified,
            }),
            Kind::National => Ok(Leaf::National {
                justified: field.justified,
            }),
            Kind::Dbcs | Kind::Pointer => Ok(Leaf::Bytes),
            Kind::Index => {
                let leaf = Leaf::Binary {
                    digits: 0,
                    scale: 0,
                    signed: true,
                    little,
                };
                sized(&[1, 2, 4, 8], leaf)
            }
            Kind::Float => sized(&[4], Leaf::Float { hex }),
            Kind::Double => sized(&[8], Leaf::Double { hex }),
            Kind::DecimalFloat => sized(&[8, 16], Leaf::DecimalFloat { little }),
            Kind::NumericEdited(_) => self.edited(id, field),
            Kind::Numeric(numeric) => self.numeric(id, field, *numeric, little),
        }
    }

    fn edited(&mut self, id: FieldId, field: &Field) -> Result<Leaf, BuildError> {
        let text = field.picture.as_deref().unwrap_or("");
        // The layout knows where the point is, the picture's text does not.
        let scale = match &field.kind {
            Kind::NumericEdited(edited) => i32::from(edited.scale),
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
        Ok(Leaf::Edited(at))
    }

    fn numeric(
        &self,
        id: FieldId,
        field: &Field,
        numeric: Numeric,
        little: bool,
    ) -> Result<Leaf, BuildError> {
        if numeric.digits > MAX_DIGITS || numeric.scale.unsigned_abs() > 2 * MAX_DIGITS {
            return Err(self.unsupported(id, "numbers of more than 38 digits"));
        }
        let (digits, scale, signed) = (numeric.digits as u8, numeric.scale, numeric.signed);
        let (leaf, lengths) = match numeric.storage {
            Storage::Zoned { sign } => {
                use crate::SignPlace::{LeadingSeparate, TrailingSeparate};
                let separate = matches!(sign, LeadingSeparate | TrailingSeparate);
                let len = u32::from(digits) + u32::from(separate);
                (
                    Leaf::Zoned {
                        digits,
                        scale,
                        sign,
                        blank: field.blank_when_zero,
                    },
                    len..=len,
                )
            }
            Storage::Packed => {
                let len = u32::from(digits) / 2 + 1;
                (
                    Leaf::Packed {
                        digits,
                        scale,
                        signed,
                    },
                    len..=len,
                )
            }
            Storage::PackedUnsigned => {
                let len = u32::from(digits).div_ceil(2);
                (Leaf::PackedUnsigned { digits, scale }, len..=len)
            }
            Storage::Binary => (
                Leaf::Binary {
                    digits,
                    scale,
                    signed,
                    little: false,
                },
                1..=16,
            ),
            Storage::BinaryFull => (
                Leaf::Binary {
                    digits: 0,
                    scale,
                    signed,
                    little: false,
                },
                1..=16,
            ),
            Storage::Native => (
                Leaf::Binary {
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

impl Leaf {
    /// Can count the elements of a table.
    pub(super) fn is_integer(self) -> bool {
        match self {
            Leaf::Zoned { scale, .. }
            | Leaf::Packed { scale, .. }
            | Leaf::PackedUnsigned { scale, .. }
            | Leaf::Binary { scale, .. } => scale == 0,
            _ => false,
        }
    }

    /// Stands in JSON as a number, by default.
    pub(super) fn is_number(self, options: &CodecOptions) -> bool {
        match self {
            Leaf::Text { .. } | Leaf::National { .. } | Leaf::Bytes => false,
            Leaf::Edited(_) => options.edited == EditedForm::Number,
            _ => true,
        }
    }
}
