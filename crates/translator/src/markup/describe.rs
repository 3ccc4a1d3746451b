//! From the phrases of a statement and the laid-out record to the descriptor.
//!
//! Invariant: an item that the run time does not convert is a problem here,
//! with its line and what to do, unless the statement suppresses it.

use copybook::{Condition, FieldId, FieldKind, Literal, RecordLayout};
use runtime::markup::descriptor::{
    FigurativeSet, Node, Statement, Table, ValueRange, Verb, XmlForm,
};

use super::clauses::{
    ConvertingClause, IdentifierTokens, MarkupProblem, StatementClauses, SuppressTarget, name_of,
};
use super::records::{LaidOutRecords, RecordItem, is_named, names_of};
use crate::argument::literal_bytes;
use crate::source::SourcePlace;
use crate::token::{Token, TokenKind};
use crate::writer::inline;

/// A statement as the run time gets it.
pub(super) struct DescribedStatement {
    pub statement: Statement,
    /// The counters of its tables, as a CALL names them.
    pub counters: Vec<String>,
}

/// Makes the descriptor of a statement on a record; errors are added to
/// `problems`.
pub(super) fn describe(
    tokens: &[Token],
    clauses: &StatementClauses,
    records: &LaidOutRecords,
    problems: &mut Vec<MarkupProblem>,
) -> Option<DescribedStatement> {
    let record = clauses.record.clone()?;
    let place = tokens[record.start].place;
    let names = names_of(&tokens[record.clone()]);
    let Some(root) = records.find(&names) else {
        problems.push(MarkupProblem {
            place,
            unsupported: None,
            message: format!(
                "{}: {} is not one data item of this program",
                name_of(clauses.verb),
                names.join(" OF ")
            ),
            help: "is it spelt rightly, unique with its qualifiers, and described with clauses that `tupelo check` accepts elsewhere?".to_owned(),
        });
        return None;
    };
    let mut describer = StatementDescriber {
        tokens,
        clauses,
        records,
        root,
        place,
        fields: Vec::new(),
        counters: Vec::new(),
        problems,
    };
    let nodes = describer.nodes();
    let mut statement = Statement::new(clauses.verb, nodes);
    describer.names(&mut statement.nodes);
    describer.forms(&mut statement.nodes);
    describer.suppressed(&mut statement);
    describer.converting(&mut statement.nodes);
    describer.check(&statement);
    statement.has_declaration = clauses.has_declaration;
    statement.is_utf8 = describer.encoding();
    let counters = describer.counters;
    Some(DescribedStatement {
        statement,
        counters,
    })
}

struct StatementDescriber<'a> {
    tokens: &'a [Token],
    clauses: &'a StatementClauses,
    records: &'a LaidOutRecords,
    root: RecordItem<'a>,
    place: SourcePlace,
    /// The item of each node.
    fields: Vec<FieldId>,
    counters: Vec<String>,
    problems: &'a mut Vec<MarkupProblem>,
}

impl StatementDescriber<'_> {
    fn layout(&self) -> &RecordLayout {
        self.root.layout
    }

    fn problem(&mut self, place: SourcePlace, message: String, help: &str) {
        let message = format!("{}: {message}", name_of(self.clauses.verb));
        self.problems.push(MarkupProblem {
            place,
            unsupported: None,
            message,
            help: help.to_owned(),
        });
    }

    fn nodes(&mut self) -> Vec<Node> {
        let mut nodes = Vec::new();
        self.add(self.root.id, 0, &mut nodes);
        if let Some(first) = nodes.first_mut() {
            // One occurrence of a table is named by its subscripts.
            first.table = None;
        }
        nodes
    }

    fn add(&mut self, id: FieldId, depth: u16, nodes: &mut Vec<Node>) {
        let root_offset = self.root.field().offset;
        let field = self.layout()[id].clone();
        if field.redefines.is_some() && depth > 0 {
            return;
        }
        let tokens = self.tokens;
        let entry = self.records.entry(&field);
        let spelt = tokens[entry.clone()].get(1);
        let spelt = spelt.filter(|t| field.name.as_deref() == Some(&t.upper()));
        let name = spelt.map_or_else(
            || field.name.clone().unwrap_or_default(),
            |token| token.text.clone(),
        );
        let offset = field.offset - root_offset;
        let mut node = Node::new(depth, &name, offset, field.length, field.kind.clone());
        node.is_justified = field.justified;
        node.blank_when_zero = field.blank_when_zero;
        node.decimal_comma = self.records.decimal_comma;
        node.picture = match field.kind {
            FieldKind::NumericEdited(_) => field.picture.clone().unwrap_or_default(),
            _ => String::new(),
        };
        let is_pointer = field.kind == FieldKind::Pointer;
        node.is_hidden = is_pointer || name.is_empty() && field.kind != FieldKind::Group;
        node.table = field.occurs.as_ref().map(|occurs| Table {
            max: occurs.max,
            stride: occurs.stride,
            counter: self.counter(&tokens[entry]),
        });
        nodes.push(node);
        self.fields.push(id);
        for child in field.children {
            self.add(child, depth + 1, nodes);
        }
    }

    /// The place of the counter that an entry names in DEPENDING ON.
    fn counter(&mut self, entry: &[Token]) -> Option<u32> {
        let at = entry.iter().position(|t| t.is("DEPENDING"))? + 1;
        let at = at + usize::from(entry.get(at)?.is("ON"));
        let mut end = at + 1;
        while entry.get(end).is_some_and(|t| t.is_any(&["OF", "IN"])) {
            end += 2;
        }
        let name = inline(entry.get(at..end)?);
        let known = self.counters.iter().position(|c| *c == name);
        let place = known.unwrap_or_else(|| {
            self.counters.push(name);
            self.counters.len() - 1
        });
        u32::try_from(place).ok()
    }

    /// The node of an identifier in a phrase.
    fn node(&mut self, identifier: &IdentifierTokens) -> Option<usize> {
        let names = names_of(&self.tokens[identifier.clone()]);
        let layout = self.root.layout;
        let mut found = self.fields.iter().enumerate();
        let mut found = found
            .by_ref()
            .filter(|(_, id)| is_named(layout, **id, &names))
            .map(|(node, _)| node);
        let node = found.next();
        if node.is_some() && found.next().is_none() {
            return node;
        }
        let place = self.tokens[identifier.start].place;
        let record = self.root.field().name.clone().unwrap_or_default();
        let message = format!("{} is not one item of {record}", names.join(" OF "));
        self.problem(
            place,
            message,
            "name an item of the record, with its qualifiers",
        );
        None
    }

    fn names(&mut self, nodes: &mut [Node]) {
        for (item, literal) in self.clauses.names.clone() {
            let Some(node) = self.node(&item) else {
                continue;
            };
            match literal {
                Some(at) => {
                    nodes[node].name = literal_bytes(&self.tokens[at].text);
                    nodes[node].is_exact = true;
                }
                None if node == 0 => nodes[0].name.clear(),
                None => {
                    let place = self.tokens[item.start].place;
                    let message = "OMITTED is for the item of FROM or INTO alone".to_owned();
                    self.problem(place, message, "give the item a name, or leave NAME out");
                }
            }
        }
    }

    fn forms(&mut self, nodes: &mut [Node]) {
        if self.clauses.has_attributes {
            for node in nodes.iter_mut().skip(1) {
                if node.kind != FieldKind::Group && node.table.is_none() {
                    node.form = XmlForm::Attribute;
                }
            }
        }
        for (item, form) in self.clauses.types.clone() {
            let Some(node) = self.node(&item) else {
                continue;
            };
            let is_attribute = form == XmlForm::Attribute;
            if nodes[node].kind == FieldKind::Group || is_attribute && nodes[node].table.is_some() {
                let place = self.tokens[item.start].place;
                let message = "TYPE OF names a group or an attribute that occurs".to_owned();
                self.problem(place, message, "name an elementary item without OCCURS");
                continue;
            }
            nodes[node].form = form;
        }
    }

    fn suppressed(&mut self, statement: &mut Statement) {
        for (what, when) in self.clauses.suppressed.clone() {
            match (what, when) {
                (SuppressTarget::Item(item), None) => {
                    let Some(node) = self.node(&item) else {
                        continue;
                    };
                    let end = statement.end_of(node);
                    for node in &mut statement.nodes[node..end] {
                        node.is_hidden = true;
                    }
                }
                (SuppressTarget::Item(item), Some(when)) => {
                    let Some(node) = self.node(&item) else {
                        continue;
                    };
                    if statement.nodes[node].kind == FieldKind::Group {
                        let place = self.tokens[item.start].place;
                        let message = "SUPPRESS WHEN names a group".to_owned();
                        self.problem(place, message, "name its elementary items");
                    }
                    statement.nodes[node].suppress.0 |= when.0;
                }
                (SuppressTarget::Every(is_numeric, form), Some(when)) => {
                    for node in &mut statement.nodes {
                        let numeric = matches!(
                            node.kind,
                            FieldKind::Numeric(_) | FieldKind::Float | FieldKind::Double
                        );
                        let is_meant = node.kind != FieldKind::Group
                            && is_numeric.is_none_or(|wanted| wanted == numeric)
                            && form.is_none_or(|form| form == node.form);
                        if is_meant {
                            node.suppress.0 |= when.0;
                        }
                    }
                }
                (SuppressTarget::Every(..), None) => {}
            }
        }
    }

    fn converting(&mut self, nodes: &mut [Node]) {
        for converting in self.clauses.converting.clone() {
            let Some(node) = self.node(&converting.item) else {
                continue;
            };
            let id = self.fields[node];
            let place = self.tokens[converting.item.start].place;
            let is_done = if converting.is_null {
                self.convert_null(&converting, &mut nodes[node])
            } else {
                self.convert_boolean(&converting, id, &mut nodes[node])
            };
            if is_done.is_none() || nodes[node].kind == FieldKind::Group {
                let message = "CONVERTING needs an elementary item, and a condition or literal for each of its values".to_owned();
                self.problem(
                    place,
                    message,
                    "USING takes a condition name of the item or a literal; a JSON PARSE takes two, with AND",
                );
            }
        }
    }

    fn convert_null(&self, converting: &ConvertingClause, node: &mut Node) -> Option<()> {
        let value = converting.values.first()?;
        let bit = super::clauses::figurative(&self.tokens[value.start])?;
        node.null = FigurativeSet(bit);
        Some(())
    }

    fn convert_boolean(
        &self,
        converting: &ConvertingClause,
        id: FieldId,
        node: &mut Node,
    ) -> Option<()> {
        let length = node.length as usize;
        let mut values = converting.values.iter().map(|value| {
            let token = &self.tokens[value.start];
            if token.kind == TokenKind::Literal {
                let low = literal_bytes(&token.text);
                return Some(vec![ValueRange {
                    high: low.clone(),
                    low,
                }]);
            }
            let name = token.upper();
            let field = &self.layout()[id];
            let condition = field.conditions.iter().find(|c| c.name == name)?;
            ranges(condition, length)
        });
        node.truths = values.next()??;
        let second = values.next();
        if self.clauses.verb == Verb::JsonParse {
            let falsehood = match second {
                Some(second) => second?.into_iter().next()?.low,
                None => self.false_value(converting)?,
            };
            node.falsehood = falsehood;
        }
        Some(())
    }

    /// The literal of WHEN SET TO FALSE.
    fn false_value(&self, converting: &ConvertingClause) -> Option<Vec<u8>> {
        let name = self.tokens.get(converting.values.first()?.start)?.upper();
        let at = self.tokens.windows(2).position(|pair| {
            pair[0].text == "88" && pair[1].kind == TokenKind::Word && pair[1].upper() == name
        })?;
        let entry = &self.tokens[at..];
        let end = (0..entry.len()).find(|&i| crate::outline::is_period(entry, i))?;
        let when = entry[..end].iter().position(|t| t.is("FALSE"))?;
        let value = entry[when + 1..end].iter().find(|t| !t.is("IS"))?;
        Some(match value.kind {
            TokenKind::Literal => literal_bytes(&value.text),
            _ => value.text.clone().into_bytes(),
        })
    }

    /// Reports the forms that the run time does not support.
    fn check(&mut self, statement: &Statement) {
        let is_json = matches!(self.clauses.verb, Verb::JsonGenerate | Verb::JsonParse);
        let place = self.place;
        let mut tables: Vec<u16> = Vec::new();
        let mut has_any = false;
        for (at, node) in statement.nodes.iter().enumerate() {
            tables.retain(|depth| *depth < node.depth);
            let varies = node.table.is_some_and(|t| t.counter.is_some());
            if varies && !tables.is_empty() {
                self.unsupported(
                    place,
                    "OCCURS DEPENDING ON within a table",
                    &format!(
                        "{} is one: move its rows to a table of its own first",
                        node.item
                    ),
                );
            }
            if node.table.is_some() {
                tables.push(node.depth);
            }
            let is_unnamed = node.name.is_empty() && node.table.is_some() && !node.is_hidden;
            if is_json && is_unnamed && at > 0 {
                self.unsupported(
                    place,
                    "a table without a name",
                    "give the table a data name",
                );
            }
            let kind = match node.kind {
                FieldKind::National => "a national item",
                FieldKind::Dbcs => "a DBCS item",
                FieldKind::DecimalFloat => "a decimal floating-point item",
                FieldKind::Index => "an index item",
                _ => {
                    has_any |= node.kind != FieldKind::Group && !node.is_hidden;
                    continue;
                }
            };
            has_any = true;
            if !node.is_hidden {
                let help = format!("SUPPRESS {}, or move it to another item", node.item);
                self.unsupported(place, kind, &help);
            }
        }
        if !has_any {
            let message = "there is nothing in the record to convert".to_owned();
            self.problem(
                place,
                message,
                "at least one elementary item needs a name and may not be suppressed",
            );
        }
    }

    fn unsupported(&mut self, place: SourcePlace, phrase: &str, help: &str) {
        let name = name_of(self.clauses.verb);
        self.problems.push(MarkupProblem {
            place,
            unsupported: Some(format!("{name} with {phrase}")),
            message: format!("{name} with {phrase} is not supported"),
            help: help.to_owned(),
        });
    }

    /// Whether ENCODING or its absence means UTF-8.
    fn encoding(&mut self) -> bool {
        encoding(self.tokens, self.clauses, self.problems)
    }
}

/// Whether a statement's text is UTF-8 beyond ASCII.
pub(super) fn encoding(
    tokens: &[Token],
    clauses: &StatementClauses,
    problems: &mut Vec<MarkupProblem>,
) -> bool {
    let Some(at) = clauses.encoding else {
        return true;
    };
    match tokens[at].text.as_str() {
        "819" => false,
        "1208" | "367" => true,
        other => {
            let phrase = format!("ENCODING {other}");
            let name = name_of(clauses.verb);
            problems.push(MarkupProblem {
                place: tokens[at].place,
                unsupported: Some(format!("{name} with {phrase}")),
                message: format!("{name} with {phrase} is not supported"),
                help: "programs run in ASCII here: leave ENCODING out, or name 1208 (UTF-8) or \
                       819 (ISO-8859-1)"
                    .to_owned(),
            });
            true
        }
    }
}

/// The values of a condition.
fn ranges(condition: &Condition, length: usize) -> Option<Vec<ValueRange>> {
    let bytes = |literal: &Literal| literal_value(literal, length);
    let ranges = condition.values.iter().map(|(low, high)| {
        let low = bytes(low)?;
        let high = match high {
            Some(high) => bytes(high)?,
            None => low.clone(),
        };
        Some(ValueRange { low, high })
    });
    ranges.collect()
}

fn literal_value(literal: &Literal, length: usize) -> Option<Vec<u8>> {
    Some(match literal {
        Literal::Text(text) | Literal::Number(text) => crate::source::encode(text),
        Literal::Hex(bytes) => bytes.clone(),
        Literal::Figurative(name) => match name.as_str() {
            "ZERO" => vec![b'0'; length],
            "SPACE" => vec![b' '; length],
            "LOW-VALUE" | "NULL" => vec![0; length],
            "HIGH-VALUE" => vec![0xFF; length],
            "QUOTE" => vec![b'"'; length],
            _ => return None,
        },
        Literal::All(inner) => {
            let unit = literal_value(inner, length)?;
            if unit.is_empty() {
                return None;
            }
            unit.iter().copied().cycle().take(length).collect()
        }
    })
}
