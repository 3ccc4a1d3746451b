//! What a statement does with which items, as one line of text that the
//! translator puts into the program and the run time reads.
//!
//! The text is the kind of the statement and a list of values, each followed by
//! a blank: whole numbers, and strings as their length, a colon and their
//! bytes. Items follow in the order of the source, each with its depth below
//! the item that FROM or INTO names. Items that are not converted are there
//! too when a table of varying length in them moves the items after them.
//!
//! Invariant: a text that is not a descriptor gives `None`, never a panic.

use copybook::{FieldKind, NumberStorage, NumericEditing, NumericItem, SignPlace};

/// Kinds of statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// JSON GENERATE.
    JsonGenerate,
    /// JSON PARSE.
    JsonParse,
    /// XML GENERATE.
    XmlGenerate,
    /// XML PARSE.
    XmlParse,
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Its kind.
    pub verb: Verb,
    /// XML-DECLARATION.
    pub has_declaration: bool,
    /// Whether text beyond ASCII is UTF-8, by ENCODING.
    pub is_utf8: bool,
    /// A literal in NAMESPACE.
    pub namespace: Vec<u8>,
    /// A literal in NAMESPACE-PREFIX.
    pub prefix: Vec<u8>,
    /// The item that FROM or INTO names, and all items below it that do not
    /// redefine others. None for XML PARSE.
    pub nodes: Vec<Node>,
}

/// How an item appears in XML.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum XmlForm {
    /// As an element.
    #[default]
    Element,
    /// As an attribute of the element around it.
    Attribute,
    /// As characters of the element around it.
    Content,
}

/// Figurative constants of a WHEN phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FigurativeSet(pub u8);

impl FigurativeSet {
    /// ZERO.
    pub const ZERO: u8 = 1;
    /// SPACE.
    pub const SPACE: u8 = 2;
    /// LOW-VALUE.
    pub const LOW: u8 = 4;
    /// HIGH-VALUE.
    pub const HIGH: u8 = 8;
}

/// OCCURS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// Most occurrences.
    pub max: u32,
    /// Bytes from one to the next.
    pub stride: u32,
    /// Place of the DEPENDING ON item among the counters.
    pub counter: Option<u32>,
}

/// A value of an item, or a range of values: the characters without blanks at
/// their end, or the digits of a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueRange {
    /// The least.
    pub low: Vec<u8>,
    /// The greatest; the same as `low` for one value.
    pub high: Vec<u8>,
}

/// An item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Levels below the first item, which has 0.
    pub depth: u16,
    /// Offset from the first item, with all tables at their greatest.
    pub offset: u32,
    /// Bytes of one occurrence.
    pub length: u32,
    /// Its COBOL name, for messages.
    pub item: String,
    /// Name in the text; empty for FILLER and where the name is OMITTED.
    pub name: Vec<u8>,
    /// The name was given by NAME OF: it is matched exactly.
    pub is_exact: bool,
    /// It is not converted.
    pub is_hidden: bool,
    /// Its appearance in XML.
    pub form: XmlForm,
    /// SUPPRESS WHEN.
    pub suppress: FigurativeSet,
    /// CONVERTING to or from JSON NULL.
    pub null: FigurativeSet,
    /// OCCURS.
    pub table: Option<Table>,
    /// What its bytes mean.
    pub kind: FieldKind,
    /// The picture of a numeric-edited item.
    pub picture: String,
    /// BLANK WHEN ZERO.
    pub blank_when_zero: bool,
    /// DECIMAL-POINT IS COMMA.
    pub decimal_comma: bool,
    /// JUSTIFIED.
    pub is_justified: bool,
    /// CONVERTING: the values that stand for true.
    pub truths: Vec<ValueRange>,
    /// CONVERTING of JSON PARSE: the value that stands for false.
    pub falsehood: Vec<u8>,
}

impl Node {
    /// An elementary item or group of this kind and name, without phrases.
    pub fn new(depth: u16, name: &str, offset: u32, length: u32, kind: FieldKind) -> Node {
        Node {
            depth,
            offset,
            length,
            item: name.to_ascii_uppercase(),
            name: name.as_bytes().to_vec(),
            is_exact: false,
            is_hidden: false,
            form: XmlForm::Element,
            suppress: FigurativeSet::default(),
            null: FigurativeSet::default(),
            table: None,
            kind,
            picture: String::new(),
            blank_when_zero: false,
            decimal_comma: false,
            is_justified: false,
            truths: Vec::new(),
            falsehood: Vec::new(),
        }
    }
}

impl Statement {
    /// A statement without phrases.
    pub fn new(verb: Verb, nodes: Vec<Node>) -> Statement {
        Statement {
            verb,
            has_declaration: false,
            is_utf8: false,
            namespace: Vec::new(),
            prefix: Vec::new(),
            nodes,
        }
    }

    /// The index after the items below one.
    pub fn end_of(&self, node: usize) -> usize {
        let depth = self.nodes[node].depth;
        let below = self.nodes[node + 1..].iter();
        node + 1 + below.take_while(|n| n.depth > depth).count()
    }

    /// The items directly below one.
    pub fn children(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let depth = self.nodes[node].depth + 1;
        (node + 1..self.end_of(node)).filter(move |&n| self.nodes[n].depth == depth)
    }

    /// Its text.
    pub fn emit(&self) -> Vec<u8> {
        let mut out = TextWriter::default();
        out.number(match self.verb {
            Verb::JsonGenerate => 0,
            Verb::JsonParse => 1,
            Verb::XmlGenerate => 2,
            Verb::XmlParse => 3,
        });
        out.flag(self.has_declaration);
        out.flag(self.is_utf8);
        out.text(&self.namespace);
        out.text(&self.prefix);
        out.number(self.nodes.len() as i64);
        for node in &self.nodes {
            node.emit(&mut out);
        }
        out.0
    }

    /// The statement of a text, which may have blanks after it.
    pub fn parse(text: &[u8]) -> Option<Statement> {
        let mut reader = TextReader { text, at: 0 };
        let verb = match reader.number()? {
            0 => Verb::JsonGenerate,
            1 => Verb::JsonParse,
            2 => Verb::XmlGenerate,
            3 => Verb::XmlParse,
            _ => return None,
        };
        let mut statement = Statement::new(verb, Vec::new());
        statement.has_declaration = reader.flag()?;
        statement.is_utf8 = reader.flag()?;
        statement.namespace = reader.text()?;
        statement.prefix = reader.text()?;
        for _ in 0..reader.number()? {
            statement.nodes.push(Node::parse(&mut reader)?);
        }
        Some(statement)
    }
}

impl Node {
    fn emit(&self, out: &mut TextWriter) {
        out.number(i64::from(self.depth));
        out.number(i64::from(self.offset));
        out.number(i64::from(self.length));
        out.text(self.item.as_bytes());
        out.text(&self.name);
        out.flag(self.is_exact);
        out.flag(self.is_hidden);
        out.number(match self.form {
            XmlForm::Element => 0,
            XmlForm::Attribute => 1,
            XmlForm::Content => 2,
        });
        out.number(i64::from(self.suppress.0));
        out.number(i64::from(self.null.0));
        match self.table {
            Some(table) => {
                out.number(i64::from(table.max));
                out.number(i64::from(table.stride));
                out.number(table.counter.map_or(-1, i64::from));
            }
            None => out.number(-1),
        }
        emit_kind(&self.kind, out);
        out.text(self.picture.as_bytes());
        out.flag(self.blank_when_zero);
        out.flag(self.decimal_comma);
        out.flag(self.is_justified);
        out.number(self.truths.len() as i64);
        for range in &self.truths {
            out.text(&range.low);
            out.text(&range.high);
        }
        out.text(&self.falsehood);
    }

    fn parse(reader: &mut TextReader<'_>) -> Option<Node> {
        let depth = reader.small()?;
        let (offset, length) = (reader.small()?, reader.small()?);
        let item = String::from_utf8(reader.text()?).ok()?;
        let mut node = Node::new(depth, &item, offset, length, FieldKind::Group);
        node.name = reader.text()?;
        node.is_exact = reader.flag()?;
        node.is_hidden = reader.flag()?;
        node.form = match reader.number()? {
            1 => XmlForm::Attribute,
            2 => XmlForm::Content,
            _ => XmlForm::Element,
        };
        node.suppress = FigurativeSet(reader.small()?);
        node.null = FigurativeSet(reader.small()?);
        let max = reader.number()?;
        if max >= 0 {
            node.table = Some(Table {
                max: u32::try_from(max).ok()?,
                stride: reader.small()?,
                counter: u32::try_from(reader.number()?).ok(),
            });
        }
        node.kind = parse_kind(reader)?;
        node.picture = String::from_utf8(reader.text()?).ok()?;
        node.blank_when_zero = reader.flag()?;
        node.decimal_comma = reader.flag()?;
        node.is_justified = reader.flag()?;
        for _ in 0..reader.number()? {
            let (low, high) = (reader.text()?, reader.text()?);
            node.truths.push(ValueRange { low, high });
        }
        node.falsehood = reader.text()?;
        Some(node)
    }
}

fn emit_kind(kind: &FieldKind, out: &mut TextWriter) {
    match kind {
        FieldKind::Group => out.number(0),
        FieldKind::Numeric(n) => {
            out.number(2);
            out.number(i64::from(n.digits));
            out.number(i64::from(n.scale));
            out.flag(n.signed);
            out.number(match n.storage {
                NumberStorage::Zoned { sign } => match sign {
                    SignPlace::None => 0,
                    SignPlace::Trailing => 1,
                    SignPlace::Leading => 2,
                    SignPlace::TrailingSeparate => 3,
                    SignPlace::LeadingSeparate => 4,
                },
                NumberStorage::Packed => 5,
                NumberStorage::PackedUnsigned => 6,
                NumberStorage::Binary => 7,
                NumberStorage::BinaryFull => 8,
                NumberStorage::Native => 9,
            });
        }
        FieldKind::NumericEdited(e) => {
            out.number(3);
            out.number(i64::from(e.digits));
            out.number(i64::from(e.scale));
            out.flag(e.signed);
        }
        FieldKind::Float => out.number(4),
        FieldKind::Double => out.number(5),
        _ => out.number(1),
    }
}

fn parse_kind(reader: &mut TextReader<'_>) -> Option<FieldKind> {
    Some(match reader.number()? {
        0 => FieldKind::Group,
        2 => FieldKind::Numeric(NumericItem {
            digits: reader.small()?,
            scale: reader.small()?,
            signed: reader.flag()?,
            storage: match reader.number()? {
                0 => zoned(SignPlace::None),
                1 => zoned(SignPlace::Trailing),
                2 => zoned(SignPlace::Leading),
                3 => zoned(SignPlace::TrailingSeparate),
                4 => zoned(SignPlace::LeadingSeparate),
                5 => NumberStorage::Packed,
                6 => NumberStorage::PackedUnsigned,
                7 => NumberStorage::Binary,
                8 => NumberStorage::BinaryFull,
                9 => NumberStorage::Native,
                _ => return None,
            },
        }),
        3 => FieldKind::NumericEdited(NumericEditing {
            digits: reader.small()?,
            scale: reader.small()?,
            signed: reader.flag()?,
        }),
        4 => FieldKind::Float,
        5 => FieldKind::Double,
        _ => FieldKind::Alphanumeric,
    })
}

fn zoned(sign: SignPlace) -> NumberStorage {
    NumberStorage::Zoned { sign }
}

#[derive(Default)]
struct TextWriter(Vec<u8>);

impl TextWriter {
    fn number(&mut self, value: i64) {
        self.0.extend_from_slice(format!("{value} ").as_bytes());
    }

    fn flag(&mut self, value: bool) {
        self.number(i64::from(value));
    }

    fn text(&mut self, text: &[u8]) {
        self.0
            .extend_from_slice(format!("{}:", text.len()).as_bytes());
        self.0.extend_from_slice(text);
        self.0.push(b' ');
    }
}

struct TextReader<'a> {
    text: &'a [u8],
    at: usize,
}

impl TextReader<'_> {
    fn number(&mut self) -> Option<i64> {
        self.until(b' ')
    }

    fn until(&mut self, mark: u8) -> Option<i64> {
        let rest = self.text.get(self.at..)?;
        let length = rest.iter().position(|&b| b == mark)?;
        self.at += length + 1;
        std::str::from_utf8(&rest[..length]).ok()?.parse().ok()
    }

    fn small<T: TryFrom<i64>>(&mut self) -> Option<T> {
        T::try_from(self.number()?).ok()
    }

    fn flag(&mut self) -> Option<bool> {
        Some(self.number()? != 0)
    }

    fn text(&mut self) -> Option<Vec<u8>> {
        let length = usize::try_from(self.until(b':')?).ok()?;
        let end = self.at.checked_add(length)?;
        let text = self.text.get(self.at..end)?;
        if self.text.get(end) != Some(&b' ') {
            return None;
        }
        self.at = end + 1;
        Some(text.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_descriptor_is_read_as_it_was_written() {
        let amount = NumericItem {
            digits: 7,
            scale: 2,
            signed: true,
            storage: NumberStorage::Packed,
        };
        let mut table = Node::new(1, "Lines", 4, 4, FieldKind::Numeric(amount));
        table.table = Some(Table {
            max: 3,
            stride: 4,
            counter: Some(0),
        });
        table.truths = vec![ValueRange {
            low: b"a b:".to_vec(),
            high: b"\x00\xff".to_vec(),
        }];
        let group = Node::new(0, "Claim", 0, 16, FieldKind::Group);
        let mut statement = Statement::new(Verb::XmlGenerate, vec![group, table]);
        statement.namespace = b"urn:x".to_vec();
        let mut text = statement.emit();
        text.extend_from_slice(b"    ");
        assert_eq!(Statement::parse(&text), Some(statement));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Statement::parse(&text);
        }

        #[test]
        fn no_list_of_numbers_does(numbers in proptest::collection::vec(-9i64..99, 0..80)) {
            let text: String = numbers.iter().map(|n| format!("{n} ")).collect();
            let _ = Statement::parse(text.as_bytes());
        }
    }
}
