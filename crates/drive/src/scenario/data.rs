//! Files that a scenario names: feeders' data and recorded pauses.

use super::tree::{MistakeList, Node, TreeValue};
use crate::feeder::{Feeder, RowSource};
use crate::units::{ns, parse_duration};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Every feeder of the file. A feeder with an error still has its name, so that
/// templates that use it are not reported too.
pub(super) fn feeders(root: &Node, folder: &Path, notes: &mut MistakeList<'_>) -> Vec<Arc<Feeder>> {
    let entries = root.get("feeders").map_or(&[][..], Node::entries);
    entries
        .iter()
        .filter_map(|entry| {
            let source = source(&entry.node, folder, notes)?;
            Some(Arc::new(Feeder::new(entry.key.clone(), source)))
        })
        .collect()
}

/// Notes every feeder that no template uses.
pub(super) fn unused(root: &Node, folder: &Path, notes: &mut MistakeList<'_>) {
    let others = root.entries().iter().filter(|e| e.key != "feeders");
    let texts: Vec<&str> = others.flat_map(|e| e.node.texts()).collect();
    let steps = root.list("population").iter().flat_map(|p| p.list("step"));
    let files = steps.filter_map(|s| fs::read(folder.join(s.text("body_file")?.0)).ok());
    let files: Vec<Vec<u8>> = files.collect();
    for entry in root.get("feeders").map_or(&[][..], Node::entries) {
        let column = format!("{}.", entry.key);
        let drawn = |text: &str| {
            let mut holes = text.split("{{").skip(1);
            holes.any(|hole| hole.trim_start().starts_with(&column))
        };
        let in_file = |file: &Vec<u8>| drawn(&String::from_utf8_lossy(file));
        if !texts.iter().any(|t| drawn(t)) && !files.iter().any(in_file) {
            let why = format!(
                "no template uses the feeder `{0}`; write `{{{{{0}.COLUMN}}}}` where its data are needed",
                entry.key
            );
            notes.add(&entry.span, why);
        }
    }
}

fn source(node: &Node, folder: &Path, notes: &mut MistakeList<'_>) -> Option<RowSource> {
    let given: Vec<&str> = ["csv", "jsonl", "sequence", "random"]
        .into_iter()
        .filter(|key| node.get(key).is_some())
        .collect();
    let [kind] = given[..] else {
        notes.add(
            &node.span,
            "a feeder needs exactly one of csv, jsonl, sequence, random",
        );
        return None;
    };
    let part = node.get(kind)?;
    let random = node
        .text("order")
        .is_some_and(|(order, _)| order == "random");
    let number = |key: &str, usual: i64| match part.get(key).map(|n| &n.value) {
        Some(TreeValue::Integer(n)) => *n,
        _ => usual,
    };
    let table = match kind {
        "sequence" => {
            let (first, step) = (number("first", 1), number("step", 1));
            return Some(RowSource::Sequence { first, step });
        }
        "random" => {
            let (low, high) = (part.integer("low")?, part.integer("high")?);
            if low > high {
                notes.add(&part.span, "`low` is above `high`");
                return None;
            }
            return Some(RowSource::Random { low, high });
        }
        kind => {
            let path = folder.join(part.as_text()?);
            let text = match fs::read_to_string(&path) {
                Ok(text) => text,
                Err(error) => {
                    notes.add(&part.span, format!("{}: {error}", path.display()));
                    return None;
                }
            };
            let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
            if kind == "csv" {
                csv(text, &CsvLayout::of(node, notes))
            } else {
                json_lines(text)
            }
        }
    };
    match table {
        Ok((columns, rows)) if !rows.is_empty() => Some(RowSource::Rows {
            columns,
            rows,
            random,
        }),
        Ok(_) => {
            notes.add(&part.span, "the file has no rows");
            None
        }
        Err(why) => {
            notes.add(&part.span, why);
            None
        }
    }
}

type Table = (Vec<String>, Vec<Vec<Box<[u8]>>>);

/// Excel writes this before the first column's name.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The layout of a CSV file.
struct CsvLayout {
    delimiter: char,
    /// Names of the columns, if the file has no heading or a different one.
    columns: Vec<String>,
    heading: bool,
}

impl Default for CsvLayout {
    fn default() -> CsvLayout {
        CsvLayout {
            delimiter: ',',
            columns: Vec::new(),
            heading: true,
        }
    }
}

impl CsvLayout {
    fn of(node: &Node, notes: &mut MistakeList<'_>) -> CsvLayout {
        let mut shape = CsvLayout::default();
        if let Some((text, at)) = node.text("delimiter") {
            let mut chars = text.chars();
            match (chars.next(), chars.next()) {
                (Some(c), None) if !matches!(c, '"' | '\r' | '\n') => shape.delimiter = c,
                _ => notes.add(&at.span, "`delimiter` must be one character"),
            }
        }
        let columns = node.list("columns").iter().filter_map(Node::as_text);
        shape.columns = columns.map(str::to_owned).collect();
        shape.heading = node.bool("heading").unwrap_or(shape.columns.is_empty());
        if !shape.heading && shape.columns.is_empty() {
            notes.add(
                &node.span,
                "`columns` is required for a file without a heading",
            );
        }
        shape
    }
}

/// Reads CSV. A quote within quotes is doubled.
///
/// Reference: RFC 4180.
fn csv(text: &str, shape: &CsvLayout) -> Result<Table, String> {
    let mut records = Vec::new();
    let mut record = Vec::new();
    let mut field = String::new();
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quoted) {
            ('"', true) if chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            ('"', true) => quoted = false,
            ('"', false) if field.is_empty() => quoted = true,
            (c, false) if c == shape.delimiter => record.push(std::mem::take(&mut field)),
            ('\r', false) if chars.peek() == Some(&'\n') => {}
            ('\n', false) => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            (c, _) => field.push(c),
        }
    }
    if quoted {
        return Err("a quote in the file is not closed".into());
    }
    if !field.is_empty() || !record.is_empty() {
        record.push(field);
        records.push(record);
    }
    let mut records = records
        .into_iter()
        .filter(|r| r.len() > 1 || !r[0].is_empty());
    let heading = if shape.heading {
        Some(records.next().ok_or("the file is empty")?)
    } else {
        None
    };
    let columns = match (heading, shape.columns.is_empty()) {
        (Some(heading), true) => heading,
        _ => shape.columns.clone(),
    };
    let first = if shape.heading { 2 } else { 1 };
    let mut rows = Vec::new();
    for (i, record) in records.enumerate() {
        if record.len() != columns.len() {
            return Err(format!(
                "record {} has {} fields, but there are {} columns",
                i + first,
                record.len(),
                columns.len()
            ));
        }
        rows.push(record.into_iter().map(|f| f.into_bytes().into()).collect());
    }
    Ok((columns, rows))
}

fn json_lines(text: &str) -> Result<Table, String> {
    let mut columns: Vec<String> = Vec::new();
    let mut objects = Vec::new();
    for (i, line) in text
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty())
    {
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(line).map_err(|e| format!("line {}: {e}", i + 1))?;
        for key in object
            .keys()
            .filter(|k| !columns.contains(k))
            .cloned()
            .collect::<Vec<_>>()
        {
            columns.push(key);
        }
        objects.push(object);
    }
    let value = |v: Option<&serde_json::Value>| -> Box<[u8]> {
        match v {
            None => Box::default(),
            Some(serde_json::Value::String(text)) => text.as_bytes().into(),
            Some(other) => other.to_string().into_bytes().into(),
        }
    };
    let rows = objects
        .iter()
        .map(|o| columns.iter().map(|c| value(o.get(c))).collect())
        .collect();
    Ok((columns, rows))
}

/// Reads the pauses of a file, one a line; `#` begins a comment.
pub(super) fn pauses(path: &Path) -> Result<Arc<[u64]>, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut pauses = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if !line.is_empty() {
            let pause = parse_duration(line).map_err(|why| format!("line {}: {why}", i + 1))?;
            pauses.push(ns(pause));
        }
    }
    if pauses.is_empty() {
        Err(format!("{} contains no pause", path.display()))
    } else {
        Ok(pauses.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Table, String> {
        csv(text, &CsvLayout::default())
    }

    #[test]
    fn columns_can_be_named_by_the_scenario() {
        let mut shape = CsvLayout {
            delimiter: ';',
            columns: vec!["user".into(), "word".into()],
            heading: false,
        };
        let (columns, rows) = csv("a;1,2\nb;3\n", &shape).unwrap();
        assert_eq!(columns, ["user", "word"]);
        assert_eq!((rows.len(), &*rows[0][1]), (2, &b"1,2"[..]));
        shape.heading = true;
        assert_eq!(csv("u;w\nb;3\n", &shape).unwrap().1.len(), 1);
        assert!(csv("u;w\nb\n", &shape).unwrap_err().contains("record 2"));
    }

    #[test]
    fn both_kinds_of_files_are_read() {
        let (columns, rows) = read("id,name\r\n1,\"a \"\"b\"\", c\"\n2,d\n").unwrap();
        assert_eq!(columns, ["id", "name"]);
        assert_eq!(&*rows[0][1], b"a \"b\", c");
        assert_eq!(rows.len(), 2);
        assert!(read("a,b\n1\n").unwrap_err().contains("record 2"));
        assert!(read("a\n\"x").is_err());
        let (columns, rows) = json_lines("{\"a\":1}\n{\"b\":\"x\",\"a\":true}\n").unwrap();
        assert_eq!(columns, ["a", "b"]);
        assert_eq!(
            (&*rows[0][0], &*rows[1][1], &*rows[0][1]),
            (&b"1"[..], &b"x"[..], &b""[..])
        );
        assert!(json_lines("[1]").is_err());
    }
}
