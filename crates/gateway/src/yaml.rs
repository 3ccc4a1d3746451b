//! YAML (and with it JSON) with the place of every node.
//!
//! A small tree over the event parser of `saphyr-parser`: scalars keep their
//! text as written (`ccsid: 037` stays `037`), mappings keep their order,
//! because the order of `response_mapping.yaml` has a meaning.
//!
//! Invariant: depth and the number of nodes that aliases make are bounded, so
//! that no document, however written, exhausts stack or memory.

use std::path::Path;

use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use saphyr_parser::{Event, Parser, ScalarStyle};

/// Deepest nesting accepted.
const MAX_DEPTH: usize = 128;
/// Most nodes of one document, aliases expanded.
const MAX_NODES: usize = 2_000_000;

/// A node and where it starts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub at: FilePosition,
    pub value: YamlValue,
}

/// The value of a node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum YamlValue {
    /// Text as written; `plain` if without quotes.
    Scalar {
        text: String,
        plain: bool,
    },
    Seq(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

/// Why a document could not be read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct YamlError {
    pub at: FilePosition,
    pub message: String,
}

impl YamlError {
    /// Reports it in terms that fit YAML written by hand.
    pub fn report(&self, file: &Path, out: &mut ProjectDiagnostics) {
        let said = self.message.as_str();
        let has = |part: &str| said.contains(part);
        let (message, help) = if has("tabs disallowed") {
            ("a tab before the text", "indent with blanks")
        } else if has("simple key expect") {
            (
                "a key without a colon, here or in the line before",
                "write KEY: VALUE, or KEY: with its members below, further in",
            )
        } else if has("mapping values are not allowed") {
            (
                "a colon without a key",
                "put a text with a colon in quotes; begin the keys of one mapping in one column",
            )
        } else if has("second document") {
            (
                said,
                "a file must have one document: remove the --- before it",
            )
        } else if has("nested too deeply") {
            (
                said,
                "128 levels and two million values are read, aliases written out",
            )
        } else if has("given twice") {
            (said, "remove one of the two")
        } else {
            (
                said,
                "indent members further than their key, and those of one mapping in one column",
            )
        };
        let message = format!("not well-formed YAML: {message}");
        out.error_help(file, self.at, message, help);
    }
}

/// Reads the one document of `text`; an empty document is a null scalar.
pub(crate) fn parse(text: &str) -> Result<Node, YamlError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder {
        parser: Parser::new_from_str(text),
        anchors: Vec::new(),
        nodes: 0,
    };
    loop {
        let (event, at) = builder.next()?;
        match event {
            Event::StreamStart | Event::DocumentStart(_) | Event::Nothing => {}
            Event::StreamEnd | Event::DocumentEnd => {
                let value = YamlValue::Scalar {
                    text: String::new(),
                    plain: true,
                };
                return Ok(Node { at, value });
            }
            other => {
                let node = builder.node(other, at, 0)?;
                builder.end()?;
                return Ok(node);
            }
        }
    }
}

struct Builder<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    anchors: Vec<(usize, Node)>,
    nodes: usize,
}

impl<'a> Builder<'a> {
    fn next(&mut self) -> Result<(Event<'a>, FilePosition), YamlError> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((event, position(&span.start))),
            Some(Err(e)) => Err(YamlError {
                at: position(e.marker()),
                message: e.info().to_string(),
            }),
            None => Ok((Event::StreamEnd, FilePosition::default())),
        }
    }

    /// The document must end here: a second document would be ignored.
    fn end(&mut self) -> Result<(), YamlError> {
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => return Ok(()),
                (Event::DocumentEnd | Event::Nothing, _) => {}
                (_, at) => {
                    let message = "a second document begins here".into();
                    return Err(YamlError { at, message });
                }
            }
        }
    }

    fn node(
        &mut self,
        event: Event<'a>,
        at: FilePosition,
        depth: usize,
    ) -> Result<Node, YamlError> {
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            return Err(YamlError {
                at,
                message: "the document is nested too deeply".into(),
            });
        }
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, _) => {
                let plain = style == ScalarStyle::Plain;
                (
                    YamlValue::Scalar {
                        text: text.into_owned(),
                        plain,
                    },
                    anchor,
                )
            }
            Event::SequenceStart(anchor, _) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd | Event::StreamEnd, _) => break,
                        (event, at) => items.push(self.node(event, at, depth + 1)?),
                    }
                }
                (YamlValue::Seq(items), anchor)
            }
            Event::MappingStart(anchor, _) => {
                let mut entries: Vec<(Node, Node)> = Vec::new();
                loop {
                    let key = match self.next()? {
                        (Event::MappingEnd | Event::StreamEnd, _) => break,
                        (event, at) => self.node(event, at, depth + 1)?,
                    };
                    let (event, at) = self.next()?;
                    let value = self.node(event, at, depth + 1)?;
                    entries.push((key, value));
                }
                duplicate_key(&entries)?;
                (YamlValue::Map(entries), anchor)
            }
            Event::Alias(id) => {
                let found = self
                    .anchors
                    .iter()
                    .rev()
                    .find(|(a, _)| *a == id)
                    .map(|(_, n)| n);
                let Some(node) = found.cloned() else {
                    return Err(YamlError {
                        at,
                        message: "unknown alias".into(),
                    });
                };
                self.nodes += count(&node);
                return Ok(node);
            }
            _ => {
                return Err(YamlError {
                    at,
                    message: "expected a value".into(),
                });
            }
        };
        let node = Node { at, value };
        if anchor > 0 {
            self.anchors.push((anchor, node.clone()));
        }
        Ok(node)
    }
}

fn duplicate_key(entries: &[(Node, Node)]) -> Result<(), YamlError> {
    let mut seen = std::collections::HashSet::with_capacity(entries.len());
    for (key, _) in entries {
        if let YamlValue::Scalar { text, .. } = &key.value
            && !seen.insert(text.as_str())
        {
            return Err(YamlError {
                at: key.at,
                message: format!("{text} occurs twice"),
            });
        }
    }
    Ok(())
}

fn count(node: &Node) -> usize {
    1 + match &node.value {
        YamlValue::Scalar { .. } => 0,
        YamlValue::Seq(items) => items.iter().map(count).sum(),
        YamlValue::Map(entries) => entries.iter().map(|(k, v)| count(k) + count(v)).sum(),
    }
}

fn position(marker: &saphyr_parser::Marker) -> FilePosition {
    FilePosition {
        line: marker.line() as u32,
        column: marker.col() as u32 + 1,
    }
}

impl Node {
    /// The text of a scalar.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            YamlValue::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    pub fn seq(&self) -> Option<&[Node]> {
        match &self.value {
            YamlValue::Seq(items) => Some(items),
            _ => None,
        }
    }

    pub fn map(&self) -> Option<&[(Node, Node)]> {
        match &self.value {
            YamlValue::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value of a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.map()?
            .iter()
            .find(|(k, _)| k.text() == Some(key))
            .map(|(_, v)| v)
    }

    /// True for an absent value: plain empty, `~` or `null`.
    pub fn is_null(&self) -> bool {
        matches!(&self.value, YamlValue::Scalar { text, plain: true }
            if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// A boolean of the core schema.
    pub fn bool(&self) -> Option<bool> {
        match self.text()? {
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        }
    }

    /// The position of the node at a JSON pointer's segments, or of its nearest parent.
    pub fn locate<'a>(&self, path: impl IntoIterator<Item = &'a str>) -> FilePosition {
        self.nearest(path).at
    }

    /// The position of the key that a path of names ends with, or of its nearest parent.
    pub fn locate_key<'a>(&self, path: impl IntoIterator<Item = &'a str>) -> FilePosition {
        let names: Vec<&str> = path.into_iter().collect();
        let (last, before) = names.split_last().unwrap_or((&"", &[]));
        let parent = self.nearest(before.iter().copied());
        let keys = parent.map().into_iter().flatten().map(|(key, _)| key);
        let mut same = keys.filter(|key| key.text() == Some(last));
        same.next().map_or(parent.at, |key| key.at)
    }

    /// The node at a JSON pointer's segments, or its nearest parent.
    fn nearest<'a>(&self, path: impl IntoIterator<Item = &'a str>) -> &Node {
        let mut node = self;
        for segment in path {
            let next = match &node.value {
                YamlValue::Map(_) => node.get(segment),
                YamlValue::Seq(items) => segment.parse::<usize>().ok().and_then(|i| items.get(i)),
                YamlValue::Scalar { .. } => None,
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        node
    }

    /// The node as JSON, plain scalars resolved by YAML's core schema.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            YamlValue::Scalar { text, plain: false } => Json::String(text.clone()),
            YamlValue::Scalar { text, plain: true } => {
                if self.is_null() {
                    Json::Null
                } else if let Some(b) = self.bool() {
                    Json::Bool(b)
                } else if let Some(n) = number(text) {
                    Json::Number(n)
                } else {
                    Json::String(text.clone())
                }
            }
            YamlValue::Seq(items) => Json::Array(items.iter().map(Node::to_json).collect()),
            YamlValue::Map(entries) => Json::Object(
                entries
                    .iter()
                    .map(|(k, v)| (k.text().unwrap_or_default().to_string(), v.to_json()))
                    .collect(),
            ),
        }
    }
}

/// A plain scalar as a JSON number, if it is one in the core schema.
fn number(text: &str) -> Option<serde_json::Number> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if let Ok(n) = text.trim_start_matches('+').parse::<i64>() {
        return Some(n.into());
    }
    if let Ok(n) = text.parse::<u64>() {
        return Some(n.into());
    }
    if text
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'))
    {
        return text
            .parse::<f64>()
            .ok()
            .and_then(serde_json::Number::from_f64);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_keep_their_text_and_place() {
        let doc = parse("a:\n  ccsid: 037\n  b: [x, 'y z']\n").unwrap();
        let ccsid = doc.get("a").and_then(|a| a.get("ccsid")).unwrap();
        assert_eq!(ccsid.text(), Some("037"));
        assert_eq!(
            ccsid.at,
            FilePosition {
                line: 2,
                column: 10
            }
        );
        assert_eq!(
            doc.locate(["a", "b", "1"]),
            FilePosition {
                line: 3,
                column: 10
            }
        );
    }

    #[test]
    fn json_follows_the_core_schema() {
        let doc = parse("a: 1\nb: '1'\nc: 1.5\nd: yes\ne: null\nf: true\ng: {h: -3}").unwrap();
        let want = serde_json::json!(
            {"a": 1, "b": "1", "c": 1.5, "d": "yes", "e": null, "f": true, "g": {"h": -3}});
        assert_eq!(doc.to_json(), want);
    }

    #[test]
    fn a_bomb_of_aliases_is_refused() {
        let mut text = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        for i in 1..12 {
            let one = format!("*a{},", i - 1).repeat(10);
            text += &format!("a{i}: &a{i} [{}]\n", one.trim_end_matches(','));
        }
        assert!(parse(&text).is_err());
    }

    #[test]
    fn a_key_given_twice_is_an_error_with_its_place() {
        let e = parse("a: 1\na: 2\n").unwrap_err();
        assert_eq!(e.at.line, 2);
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[ -~\n]{0,200}") {
            let _ = parse(&text).map(|n| n.to_json());
        }
    }
}
