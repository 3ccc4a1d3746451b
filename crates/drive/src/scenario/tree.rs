//! A parsed TOML file with the position of every value, and the list of its
//! mistakes.

use base::{Diagnostic, Severity};
use std::collections::BTreeSet;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// A value and its position in the file.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub span: Range<usize>,
    pub value: TreeValue,
}

#[derive(Clone, Debug)]
pub(super) enum TreeValue {
    Text(String),
    Integer(i64),
    Float(f64),
    Bool(bool),
    List(Vec<Node>),
    Table(Vec<TreeEntry>),
    /// A date or time, which no key accepts.
    Other,
}

#[derive(Clone, Debug)]
pub(super) struct TreeEntry {
    pub key: String,
    pub span: Range<usize>,
    pub node: Node,
}

/// Collects mistakes. A mistake that two combinations of a loop share is kept once.
pub(super) struct MistakeList<'t> {
    text: &'t str,
    found: BTreeSet<(u32, u32, String, Option<String>, Severity)>,
}

impl Node {
    /// All texts within the value, at any depth.
    pub fn texts(&self) -> Vec<&str> {
        match &self.value {
            TreeValue::Text(text) => vec![text],
            TreeValue::List(items) => items.iter().flat_map(Node::texts).collect(),
            TreeValue::Table(entries) => entries.iter().flat_map(|e| e.node.texts()).collect(),
            _ => Vec::new(),
        }
    }

    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            TreeValue::Table(entries) => entries.iter().find(|e| e.key == key).map(|e| &e.node),
            _ => None,
        }
    }

    pub fn text(&self, key: &str) -> Option<(&str, &Node)> {
        let node = self.get(key)?;
        Some((node.as_text()?, node))
    }

    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            TreeValue::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_number(&self) -> Option<f64> {
        match &self.value {
            TreeValue::Integer(n) => Some(*n as f64),
            TreeValue::Float(n) => Some(*n),
            _ => None,
        }
    }

    pub fn integer(&self, key: &str) -> Option<u64> {
        match self.get(key)?.value {
            TreeValue::Integer(n) => u64::try_from(n).ok(),
            _ => None,
        }
    }

    pub fn bool(&self, key: &str) -> Option<bool> {
        match self.get(key)?.value {
            TreeValue::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// A duration in nanoseconds: text with units, or a number of seconds.
    pub fn duration_ns(&self, key: &str) -> Option<u64> {
        self.get(key)?.as_duration_ns()
    }

    pub fn as_duration_ns(&self) -> Option<u64> {
        let text = match &self.value {
            TreeValue::Text(text) => text.clone(),
            _ => self.as_number()?.to_string(),
        };
        crate::units::parse_duration(&text)
            .ok()
            .map(crate::units::ns)
    }

    pub fn list(&self, key: &str) -> &[Node] {
        self.get(key).map_or(&[], Node::as_list)
    }

    pub fn as_list(&self) -> &[Node] {
        match &self.value {
            TreeValue::List(nodes) => nodes,
            _ => &[],
        }
    }

    pub fn entries(&self) -> &[TreeEntry] {
        match &self.value {
            TreeValue::Table(entries) => entries,
            _ => &[],
        }
    }
}

impl<'t> MistakeList<'t> {
    pub fn new(text: &'t str) -> MistakeList<'t> {
        MistakeList {
            text,
            found: BTreeSet::new(),
        }
    }

    /// Notes a mistake at a place.
    pub fn add(&mut self, span: &Range<usize>, message: impl Into<String>) {
        self.add_with(span, message, None);
    }

    /// Notes a mistake at a place, with its remedy.
    pub fn add_with(
        &mut self,
        span: &Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        let (line, column) = settings::position(self.text, span.start);
        let found = (line, column, message.into(), help, Severity::Error);
        self.found.insert(found);
    }

    /// Notes a server whose address cannot be found from this machine: the file itself
    /// may be right.
    pub fn add_unresolved(&mut self, span: &Range<usize>, message: impl Into<String>) {
        let (line, column) = settings::position(self.text, span.start);
        let found = (line, column, message.into(), None, Severity::Warning);
        self.found.insert(found);
    }

    /// A value as the file has it; that of a loop as the loop has it.
    pub fn written(&self, node: &Node) -> String {
        match &node.value {
            TreeValue::Text(text) => format!("\"{text}\""),
            TreeValue::Integer(n) => n.to_string(),
            TreeValue::Float(n) => n.to_string(),
            TreeValue::Bool(b) => b.to_string(),
            TreeValue::List(_) | TreeValue::Table(_) | TreeValue::Other => {
                let raw = self.text.get(node.span.clone()).unwrap_or_default();
                raw.lines().next().unwrap_or_default().to_owned()
            }
        }
    }

    /// Notes a mistake at byte `at` of a text value, if the file contains the
    /// text unchanged; otherwise at the value.
    pub fn add_within(&mut self, node: &Node, at: usize, message: impl Into<String>) {
        let raw = self.text.get(node.span.clone()).unwrap_or_default();
        let found = node.as_text().and_then(|text| raw.find(text));
        let start = node.span.start + found.map_or(0, |found| found + at);
        self.add(&(start..node.span.end), message);
    }

    /// All mistakes in the order of the file.
    pub fn finish(self) -> Vec<Diagnostic> {
        let found = self.found.into_iter();
        found
            .map(|(line, column, message, help, severity)| {
                Diagnostic::new(severity, (line, column), message).maybe_help(help)
            })
            .collect()
    }
}

/// Parses TOML. Syntax errors are noted and the rest is kept.
pub(super) fn parse(text: &str, notes: &mut MistakeList<'_>) -> Node {
    let (table, errors) = DeTable::parse_recoverable(text);
    for mistake in settings::syntax_mistakes(text, &errors) {
        let Diagnostic {
            line,
            column,
            message,
            help,
            ..
        } = mistake;
        let found = (line, column, message, help, Severity::Error);
        notes.found.insert(found);
    }
    let span = table.span();
    Node {
        value: from_table(table.get_ref()),
        span,
    }
}

fn from_table(table: &DeTable<'_>) -> TreeValue {
    let entries = table.iter().map(|(key, value)| TreeEntry {
        key: key.get_ref().to_string(),
        span: key.span(),
        node: Node {
            span: value.span(),
            value: from_value(value.get_ref()),
        },
    });
    let mut entries: Vec<TreeEntry> = entries.collect();
    // The order of the file: loops and steps depend on it.
    entries.sort_by_key(|e| e.span.start);
    TreeValue::Table(entries)
}

fn from_value(value: &DeValue<'_>) -> TreeValue {
    match value {
        DeValue::String(text) => TreeValue::Text(text.to_string()),
        DeValue::Integer(number) => {
            let parsed = i64::from_str_radix(number.as_str(), number.radix());
            parsed.map_or(TreeValue::Other, TreeValue::Integer)
        }
        DeValue::Float(number) => number
            .as_str()
            .parse()
            .map_or(TreeValue::Other, TreeValue::Float),
        DeValue::Boolean(b) => TreeValue::Bool(*b),
        DeValue::Datetime(_) => TreeValue::Other,
        DeValue::Array(items) => TreeValue::List(
            items
                .iter()
                .map(|item| Node {
                    span: item.span(),
                    value: from_value(item.get_ref()),
                })
                .collect(),
        ),
        DeValue::Table(table) => from_table(table),
    }
}
