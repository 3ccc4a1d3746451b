//! Simple types as COBOL pictures.

use super::types::{Schema, XsdSchemaSet};
use crate::binding::TextForm;
use crate::xml::{XSD, XmlElement};
use base::Diagnostic;

/// The caller's limits for types without facets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Maximum number of occurrences in the record.
    pub inline: u32,
    /// Characters of a text.
    pub text: u32,
}

/// The content of an element or attribute.
pub(super) enum ContentType<'a> {
    Simple(SimpleItem),
    Complex(&'a Schema, &'a XmlElement),
}

/// A simple type as an item.
pub(super) struct SimpleItem {
    /// Picture and usage.
    pub clause: String,
    pub form: TextForm,
    /// Values of an enumeration that fit into level 88.
    pub values: Vec<String>,
}

impl SimpleItem {
    fn new(clause: impl Into<String>) -> SimpleItem {
        SimpleItem {
            clause: clause.into(),
            form: TextForm::Item,
            values: Vec::new(),
        }
    }
}

/// The number of occurrences. `None` for no limit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Occurs {
    pub min: u32,
    pub max: Option<u32>,
}

/// `minOccurs` and `maxOccurs`.
pub(super) fn occurs(schema: &Schema, element: &XmlElement) -> Result<Occurs, Diagnostic> {
    let number = |name: &str| match element.attribute(name).map(str::trim) {
        None => Ok(Some(1)),
        Some("unbounded") => Ok(None),
        Some(text) => match text.parse::<u32>() {
            Ok(n) => Ok(Some(n)),
            Err(_) => Err(schema.broken(element, format!("{name} is {text:?}, expected a number"))),
        },
    };
    let (min, max) = (number("minOccurs")?, number("maxOccurs")?);
    let min = min.ok_or_else(|| schema.broken(element, "minOccurs has no limit"))?;
    match max {
        Some(max) if max < min => Err(schema.broken(element, "minOccurs is above maxOccurs")),
        _ => Ok(Occurs { min, max }),
    }
}

/// The value of a truth attribute.
pub(super) fn truth(value: Option<&str>) -> bool {
    matches!(value.map(str::trim), Some("true" | "1"))
}

/// Text of so many characters.
pub(super) fn text(length: u32) -> SimpleItem {
    SimpleItem::new(format!("PIC X({length})"))
}

/// A simple type by its name.
pub(super) fn named(
    schemas: &XsdSchemaSet,
    limits: Limits,
    schema: &Schema,
    at: &XmlElement,
    name: (String, String),
) -> Result<SimpleItem, Diagnostic> {
    Facets::default().named(schemas, limits, schema, at, name, 0)
}

/// The type of a declaration.
pub(super) fn kind<'a>(
    schemas: &'a XsdSchemaSet,
    limits: Limits,
    schema: &'a Schema,
    declaration: &'a XmlElement,
) -> Result<ContentType<'a>, Diagnostic> {
    if let Some(written) = declaration.attribute("type") {
        let name = schema.resolve(declaration, written)?;
        if let Some((of, complex)) = schemas.get("complexType", &name) {
            if truth(complex.attribute("abstract")) {
                let fix = "Name a concrete type instead.";
                let what = format!("the type {written} is abstract");
                return Err(schema.refused(declaration, what, fix));
            }
            return Ok(ContentType::Complex(of, complex));
        }
        let simple = Facets::default().named(schemas, limits, schema, declaration, name, 0)?;
        return Ok(ContentType::Simple(simple));
    }
    if let Some(complex) = declaration.first(XSD, "complexType") {
        return Ok(ContentType::Complex(schema, complex));
    }
    if let Some(simple) = declaration.first(XSD, "simpleType") {
        let simple = Facets::default().of(schemas, limits, schema, simple, 0)?;
        return Ok(ContentType::Simple(simple));
    }
    let fix = "Give it a type; xsd:anyType has no place in a record.";
    Err(schema.refused(declaration, "it has no type", fix))
}

/// The facets of a chain of restrictions, the innermost first.
#[derive(Debug, Default)]
struct Facets {
    length: Option<u32>,
    total: Option<u32>,
    fraction: Option<u32>,
    least: Option<f64>,
    values: Vec<String>,
}

impl Facets {
    /// Of a type by its name.
    fn named(
        self,
        schemas: &XsdSchemaSet,
        limits: Limits,
        schema: &Schema,
        at: &XmlElement,
        name: (String, String),
        depth: usize,
    ) -> Result<SimpleItem, Diagnostic> {
        if name.0 == XSD {
            return self.built_in(limits, schema, at, &name.1);
        }
        match schemas.get("simpleType", &name) {
            Some((of, simple)) => self.of(schemas, limits, of, simple, depth + 1),
            None => {
                let reason = format!("no type {{{}}}{} in the given schemas", name.0, name.1);
                Err(schema.broken(at, reason))
            }
        }
    }

    fn of(
        mut self,
        schemas: &XsdSchemaSet,
        limits: Limits,
        schema: &Schema,
        simple: &XmlElement,
        depth: usize,
    ) -> Result<SimpleItem, Diagnostic> {
        if depth > MAX_DEPTH {
            let fix = "A type cannot be derived from itself.";
            return Err(schema.refused(simple, "its restrictions are circular", fix));
        }
        let Some(restriction) = simple.first(XSD, "restriction") else {
            // Lists and unions are their text.
            self.values.clear();
            return self.built_in(limits, schema, simple, "string");
        };
        for facet in &restriction.children {
            let value = facet.attribute("value").unwrap_or_default();
            let number = || value.trim().parse::<u32>().ok();
            match facet.name.as_str() {
                "maxLength" | "length" => self.length = self.length.or(number()),
                "totalDigits" => self.total = self.total.or(number()),
                "fractionDigits" => self.fraction = self.fraction.or(number()),
                "minInclusive" | "minExclusive" => {
                    self.least = self.least.or(value.trim().parse().ok());
                }
                "enumeration" if self.values.len() < MAX_VALUES => {
                    self.values.push(value.to_owned());
                }
                _ => {}
            }
        }
        match restriction.attribute("base") {
            Some(base) => {
                let name = schema.resolve(restriction, base)?;
                self.named(schemas, limits, schema, restriction, name, depth)
            }
            None => match restriction.first(XSD, "simpleType") {
                Some(inner) => self.of(schemas, limits, schema, inner, depth + 1),
                None => Err(schema.broken(restriction, "the restriction has no base")),
            },
        }
    }

    fn built_in(
        self,
        limits: Limits,
        schema: &Schema,
        at: &XmlElement,
        name: &str,
    ) -> Result<SimpleItem, Diagnostic> {
        let unsigned = self.least.is_some_and(|least| least >= 0.0);
        let sign = if unsigned { "" } else { "S" };
        Ok(match name {
            "boolean" => SimpleItem {
                form: TextForm::Boolean,
                ..SimpleItem::new("PIC X")
            },
            "byte" | "short" => SimpleItem::new("PIC S9(4) COMP-5"),
            "int" => SimpleItem::new("PIC S9(9) COMP-5"),
            "long" => SimpleItem::new("PIC S9(18) COMP-5"),
            "unsignedByte" | "unsignedShort" => SimpleItem::new("PIC 9(4) COMP-5"),
            "unsignedInt" => SimpleItem::new("PIC 9(9) COMP-5"),
            "unsignedLong" => SimpleItem::new("PIC 9(18) COMP-5"),
            "float" => SimpleItem::new("COMP-1"),
            "double" => SimpleItem::new("COMP-2"),
            "integer" | "negativeInteger" | "nonPositiveInteger" => {
                self.digits(schema, at, sign, 0)?
            }
            "nonNegativeInteger" | "positiveInteger" => self.digits(schema, at, "", 0)?,
            "decimal" => {
                let fraction = self.fraction.unwrap_or(3.min(self.total.unwrap_or(18)));
                self.digits(schema, at, sign, fraction)?
            }
            "hexBinary" | "base64Binary" => SimpleItem {
                form: if name == "hexBinary" {
                    TextForm::Hex
                } else {
                    TextForm::Base64
                },
                ..self.characters(schema, at, limits.text)?
            },
            "date" | "dateTime" | "time" | "duration" | "gYear" | "gYearMonth" | "gMonth"
            | "gMonthDay" | "gDay" => self.characters(schema, at, DATE_TEXT)?,
            "anyType" | "anySimpleType" => {
                let fix = "Give it a type; xsd:anyType has no place in a record.";
                return Err(schema.refused(at, format!("its type is xsd:{name}"), fix));
            }
            _ => self.characters(schema, at, limits.text)?,
        })
    }

    fn digits(
        &self,
        schema: &Schema,
        at: &XmlElement,
        sign: &str,
        fraction: u32,
    ) -> Result<SimpleItem, Diagnostic> {
        let total = self.total.unwrap_or(18).max(fraction).max(1);
        if total > MAX_DIGITS {
            let what = format!("a number of {total} digits is not supported");
            let fix = format!("COBOL supports up to {MAX_DIGITS} digits.");
            return Err(schema.refused(at, what, &fix));
        }
        Ok(SimpleItem::new(match (total - fraction, fraction) {
            (whole, 0) => format!("PIC {sign}9({whole}) COMP-3"),
            (0, fraction) => format!("PIC {sign}V9({fraction}) COMP-3"),
            (whole, fraction) => format!("PIC {sign}9({whole})V9({fraction}) COMP-3"),
        }))
    }

    fn characters(
        self,
        schema: &Schema,
        at: &XmlElement,
        default: u32,
    ) -> Result<SimpleItem, Diagnostic> {
        let longest = self.values.iter().map(|v| v.len() as u32).max();
        let length = self.length.or(longest).unwrap_or(default).max(1);
        if length > MAX_TEXT {
            let what = format!("a text of {length} characters is not supported");
            let fix = format!("An item has up to {MAX_TEXT} characters; lower maxLength.");
            return Err(schema.refused(at, what, &fix));
        }
        let plain = |v: &String| {
            !v.is_empty() && v.len() <= 28 && v.bytes().all(|b| (b' '..=b'~').contains(&b))
        };
        Ok(SimpleItem {
            values: self.values.into_iter().filter(plain).collect(),
            ..text(length)
        })
    }
}

/// Characters of a date or time.
const DATE_TEXT: u32 = 32;
/// Longest text of an item.
const MAX_TEXT: u32 = 32_767;
/// Most digits of a number.
const MAX_DIGITS: u32 = 31;
/// Most values that become conditions.
const MAX_VALUES: usize = 500;
/// Longest chain of restrictions.
const MAX_DEPTH: usize = 32;
