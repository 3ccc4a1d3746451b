//! The schema type of an elementary item, with the limits of its values.

use copybook::{Condition, Field, FieldKind, Literal, NumberStorage, NumericItem};

/// A simple type: the built-in one and facets.
pub(super) struct SimpleType {
    pub base: &'static str,
    pub facets: Vec<(&'static str, String)>,
}

/// The type of an item.
pub(super) fn simple(field: &Field) -> SimpleType {
    let length = field.length.to_string();
    let (base, facets) = match &field.kind {
        FieldKind::Numeric(number) => return numeric(*number, field.length),
        FieldKind::Float => ("float", Vec::new()),
        FieldKind::Double | FieldKind::DecimalFloat => ("double", Vec::new()),
        FieldKind::National => (
            "string",
            vec![("maxLength", (field.length / 2).to_string())],
        ),
        FieldKind::Dbcs | FieldKind::Pointer => ("hexBinary", vec![("length", length)]),
        FieldKind::Index => ("int", Vec::new()),
        FieldKind::Alphanumeric
        | FieldKind::AlphanumericEdited
        | FieldKind::NumericEdited(_)
        | FieldKind::Group => {
            let facets = vec![("maxLength", length), ("whiteSpace", "preserve".into())];
            ("string", facets)
        }
    };
    SimpleType { base, facets }
}

fn numeric(number: NumericItem, bytes: u32) -> SimpleType {
    let full = matches!(
        number.storage,
        NumberStorage::Native | NumberStorage::BinaryFull
    );
    let digits = i32::from(number.digits);
    let scale = i32::from(number.scale);
    if scale > 0 {
        let mut facets = Vec::new();
        if !full {
            facets.push(("totalDigits", digits.max(scale).to_string()));
        }
        facets.push(("fractionDigits", scale.to_string()));
        if !number.signed {
            facets.push(("minInclusive", "0".into()));
        }
        return SimpleType {
            base: "decimal",
            facets,
        };
    }
    let digits = digits - scale;
    let size = match (full, bytes) {
        (true, n) if scale == 0 => [1, 2, 4, 8].iter().position(|b| *b >= n).unwrap_or(4),
        _ => [0, 4, 9, 18].iter().position(|d| digits <= *d).unwrap_or(4),
    };
    const SIGNED: [&str; 5] = ["byte", "short", "int", "long", "integer"];
    const UNSIGNED: [&str; 5] = [
        "unsignedByte",
        "unsignedShort",
        "unsignedInt",
        "unsignedLong",
        "nonNegativeInteger",
    ];
    let base = if number.signed {
        SIGNED[size]
    } else {
        UNSIGNED[size]
    };
    let facets = if full && scale == 0 {
        Vec::new()
    } else {
        vec![("totalDigits", digits.to_string())]
    };
    SimpleType { base, facets }
}

/// Level-88 conditions, as text for documentation.
pub(super) fn conditions(all: &[Condition]) -> Option<String> {
    let one = |c: &Condition| {
        let values = c.values.iter().map(|(from, to)| match to {
            Some(to) => format!("{} to {}", shown(from), shown(to)),
            None => shown(from),
        });
        format!("{}: {}", c.name, values.collect::<Vec<_>>().join(", "))
    };
    let text = all.iter().map(one).collect::<Vec<_>>().join("; ");
    (!text.is_empty()).then_some(text)
}

fn shown(literal: &Literal) -> String {
    match literal {
        Literal::Text(text) => format!("'{text}'"),
        Literal::Hex(bytes) => base::hex::upper(bytes),
        Literal::Number(text) | Literal::Figurative(text) => text.clone(),
        Literal::All(inner) => format!("all {}", shown(inner)),
    }
}
