//! Schemas of elementary items.

use serde_json::{Number, Value, json};

use crate::codec::{BlankTrimming, EditedForm, InvalidPolicy, NumberForm};
use crate::model::{Field, FieldKind, NumberStorage, NumericEditing, NumericItem};

use super::{Schema, SchemaDirection, Writer};

/// Digits that a binary float always keeps.
const EXACT_DIGITS: u32 = 15;

impl Writer<'_> {
    pub(super) fn leaf(&self, field: &Field) -> Schema {
        let schema = match &field.kind {
            FieldKind::Alphanumeric | FieldKind::AlphanumericEdited => self.text(field.length),
            FieldKind::National => self.text(field.length / 2),
            FieldKind::Dbcs | FieldKind::Pointer => hexadecimal(field.length),
            FieldKind::Numeric(number) => self.number(number, field.length),
            FieldKind::NumericEdited(edited) => self.edited(edited, field.length),
            FieldKind::Float => float("float"),
            FieldKind::Double | FieldKind::DecimalFloat => float("double"),
            FieldKind::Index => integer(i128::from(i32::MIN), i128::from(i32::MAX)),
            FieldKind::Group => Schema::new(),
        };
        self.or_invalid(schema)
    }

    fn text(&self, characters: u32) -> Schema {
        let mut schema = of_type("string");
        if self.direction == SchemaDirection::FromRecord && self.options.trim == BlankTrimming::Keep
        {
            schema.insert("minLength".into(), characters.into());
        }
        schema.insert("maxLength".into(), characters.into());
        schema
    }

    fn edited(&self, edited: &NumericEditing, length: u32) -> Schema {
        match self.options.edited {
            EditedForm::Text => self.text(length),
            EditedForm::Number => self.number_of(
                u32::from(edited.digits),
                i32::from(edited.scale),
                edited.signed,
            ),
        }
    }

    fn number(&self, number: &NumericItem, length: u32) -> Schema {
        let scale = i32::from(number.scale);
        // COMP may contain any value of its bytes; a stored value must fit the PICTURE.
        let full = match number.storage {
            NumberStorage::Native | NumberStorage::BinaryFull => true,
            NumberStorage::Binary => self.direction == SchemaDirection::FromRecord,
            _ => false,
        };
        if full && self.options.numbers == NumberForm::Number {
            return binary_range(length, scale, number.signed);
        }
        let digits = if full {
            binary_digits(length)
        } else {
            u32::from(number.digits)
        };
        self.number_of(digits, scale, number.signed)
    }

    /// A number of so many digits, as JSON number or as text of digits.
    fn number_of(&self, digits: u32, scale: i32, signed: bool) -> Schema {
        if self.options.numbers == NumberForm::Text {
            return digits_as_text(digits, scale, signed);
        }
        if scale > 0 {
            return decimal(digits, scale, signed);
        }
        let places = digits + scale.unsigned_abs();
        let mut schema = match 10i128.checked_pow(places) {
            Some(limit) if places <= 18 => {
                let step = 10i128.pow(scale.unsigned_abs());
                let most = limit - step;
                integer(if signed { -most } else { 0 }, most)
            }
            _ => {
                let mut schema = of_type("integer");
                let limit = power_of_ten(i64::from(places));
                if signed {
                    schema.insert("exclusiveMinimum".into(), json!(-limit));
                } else {
                    schema.insert("minimum".into(), 0.into());
                }
                schema.insert("exclusiveMaximum".into(), json!(limit));
                schema
            }
        };
        if scale < 0 {
            let step = power_of_ten(i64::from(scale.unsigned_abs()));
            schema.insert("multipleOf".into(), whole_or_float(step));
        }
        schema
    }

    /// What is in place of bytes that are not the field's type.
    fn or_invalid(&self, mut schema: Schema) -> Schema {
        let text = schema.get("type") == Some(&Value::from("string"));
        if self.direction == SchemaDirection::ToRecord || (text && !schema.contains_key("pattern"))
        {
            return schema;
        }
        match self.options.invalid {
            InvalidPolicy::Error => schema,
            InvalidPolicy::Null => {
                if let Some(own) = schema.get("type").cloned() {
                    schema.insert("type".into(), json!([own, "null"]));
                }
                schema
            }
            InvalidPolicy::Raw => {
                let raw = json!({"type": "string", "pattern": "^0x([0-9A-Fa-f]{2})*$"});
                let mut either = Schema::new();
                either.insert("anyOf".into(), json!([Value::Object(schema), raw]));
                either
            }
        }
    }
}

fn of_type(name: &str) -> Schema {
    let mut schema = Schema::new();
    schema.insert("type".into(), name.into());
    schema
}

fn hexadecimal(bytes: u32) -> Schema {
    let mut schema = of_type("string");
    let pattern = format!("^([0-9A-Fa-f]{{2}}){{{bytes}}}$");
    schema.insert("pattern".into(), pattern.into());
    schema
}

fn float(format: &str) -> Schema {
    let mut schema = of_type("number");
    schema.insert("format".into(), format.into());
    schema
}

fn integer(least: i128, most: i128) -> Schema {
    let mut schema = of_type("integer");
    schema.insert("minimum".into(), exact(least));
    schema.insert("maximum".into(), exact(most));
    schema
}

/// The JSON number for a value: exact up to 64 bits, otherwise the nearest float.
fn exact(value: i128) -> Value {
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) => value.into(),
        (_, Ok(value)) => value.into(),
        _ => json!(value as f64),
    }
}

/// A number with digits after the point.
fn decimal(digits: u32, scale: i32, signed: bool) -> Schema {
    let mut schema = of_type("number");
    let most = fraction(&"9".repeat(digits as usize), scale);
    if digits <= EXACT_DIGITS {
        let least = if signed { -most } else { 0.0 };
        schema.insert("minimum".into(), whole_or_float(least));
        schema.insert("maximum".into(), whole_or_float(most));
    } else {
        let limit = power_of_ten(i64::from(digits) - i64::from(scale));
        if signed {
            schema.insert("exclusiveMinimum".into(), json!(-limit));
        } else {
            schema.insert("minimum".into(), 0.into());
        }
        schema.insert("exclusiveMaximum".into(), json!(limit));
    }
    schema.insert("multipleOf".into(), json!(power_of_ten(-i64::from(scale))));
    schema.insert("format".into(), "decimal".into());
    schema
}

/// All values of so many bytes.
fn binary_range(bytes: u32, scale: i32, signed: bool) -> Schema {
    let bits = (bytes * 8).min(64);
    let (least, most) = if signed {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    if scale == 0 {
        return integer(least, most);
    }
    let mut schema = of_type(if scale > 0 { "number" } else { "integer" });
    let bound = |value: i128| whole_or_float(fraction(&value.to_string(), scale));
    schema.insert("minimum".into(), bound(least));
    schema.insert("maximum".into(), bound(most));
    let step = power_of_ten(-i64::from(scale));
    schema.insert("multipleOf".into(), whole_or_float(step));
    if scale > 0 {
        schema.insert("format".into(), "decimal".into());
    }
    schema
}

/// Digits that values of so many bytes can have.
fn binary_digits(bytes: u32) -> u32 {
    let most = (1u128 << (bytes * 8).min(64)) - 1;
    most.to_string().len() as u32
}

/// The digits of a number in a string.
fn digits_as_text(digits: u32, scale: i32, signed: bool) -> Schema {
    let sign = if signed { "-?" } else { "" };
    let pattern = if scale > 0 {
        let fraction = scale.unsigned_abs();
        let whole = digits.saturating_sub(fraction).max(1);
        format!("^{sign}[0-9]{{1,{whole}}}(\\.[0-9]{{1,{fraction}}})?$")
    } else {
        format!("^{sign}[0-9]{{1,{}}}$", digits + scale.unsigned_abs())
    };
    let mut schema = of_type("string");
    schema.insert("pattern".into(), pattern.into());
    schema
}

/// `digits` times ten to the power of `-scale`, rounded once.
fn fraction(digits: &str, scale: i32) -> f64 {
    format!("{digits}e{}", -scale).parse().unwrap_or(f64::MAX)
}

fn power_of_ten(exponent: i64) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(f64::MAX)
}

/// A float, written as a whole number where it is one.
fn whole_or_float(value: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        Value::Number(Number::from(value as i64))
    } else {
        json!(value)
    }
}
