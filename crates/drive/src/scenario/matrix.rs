//! The loop: every combination of its values gives a separate file, in which
//! `${name}` is replaced by the value.

use super::tree::{MistakeList, Node, TreeEntry, TreeValue};

/// One combination of the loop's values.
pub(super) struct LoopCombination {
    /// Each value with its name in the loop; empty without a loop.
    pub values: Vec<(String, String)>,
    /// The file with the values inserted.
    pub root: Node,
}

/// The values and file of every combination. Without a loop it is one combination
/// without values.
pub(super) fn expand(root: &Node, notes: &mut MistakeList<'_>) -> Vec<LoopCombination> {
    let mut combinations: Vec<Vec<(&str, &Node)>> = vec![Vec::new()];
    for entry in root.get("loop").map_or(&[][..], Node::entries) {
        if entry.node.as_list().is_empty() {
            notes.add(
                &entry.span,
                format!("the loop `{}` has no values", entry.key),
            );
            continue;
        }
        let values = entry.node.as_list();
        if combinations.len() * values.len() > MOST_COMBINATIONS {
            notes.add(
                &entry.span,
                format!("the loop has more than {MOST_COMBINATIONS} combinations"),
            );
            break;
        }
        combinations = combinations
            .iter()
            .flat_map(|before| {
                values.iter().map(|value| {
                    let mut longer = before.clone();
                    longer.push((entry.key.as_str(), value));
                    longer
                })
            })
            .collect();
    }
    combinations
        .into_iter()
        .map(|combination| LoopCombination {
            values: combination
                .iter()
                .map(|(name, value)| ((*name).to_owned(), plain(value)))
                .collect(),
            root: replace(root, &combination, notes),
        })
        .collect()
}

/// Notes every loop that is not used: all its runs would be the same.
pub(super) fn unused(root: &Node, notes: &mut MistakeList<'_>) {
    let others = root.entries().iter().filter(|e| e.key != "loop");
    let texts: Vec<&str> = others.flat_map(|e| e.node.texts()).collect();
    for entry in root.get("loop").map_or(&[][..], Node::entries) {
        let hole = format!("${{{}}}", entry.key);
        if !texts.iter().any(|t| t.contains(&hole)) {
            let why = format!(
                "the loop `{}` is not used; write `{hole}` where its value is needed, or in the title if the runs are repetitions",
                entry.key
            );
            notes.add(&entry.span, why);
        }
    }
}

fn replace(node: &Node, values: &[(&str, &Node)], notes: &mut MistakeList<'_>) -> Node {
    let value = match &node.value {
        TreeValue::Text(text) => return replace_text(text, node, values, notes),
        TreeValue::List(items) => TreeValue::List(
            items
                .iter()
                .map(|item| replace(item, values, notes))
                .collect(),
        ),
        TreeValue::Table(entries) => {
            let replaced = entries.iter().map(|entry| TreeEntry {
                key: entry.key.clone(),
                span: entry.span.clone(),
                node: replace(&entry.node, values, notes),
            });
            TreeValue::Table(replaced.collect())
        }
        other => other.clone(),
    };
    Node {
        span: node.span.clone(),
        value,
    }
}

fn replace_text(
    text: &str,
    node: &Node,
    values: &[(&str, &Node)],
    notes: &mut MistakeList<'_>,
) -> Node {
    let lookup = |name: &str| values.iter().find(|v| v.0 == name).map(|v| v.1);
    // A value that is the whole text keeps its type.
    let alone = text.strip_prefix("${").and_then(|t| t.strip_suffix('}'));
    if let Some(value) = alone.and_then(lookup) {
        return Node {
            span: node.span.clone(),
            value: value.value.clone(),
        };
    }
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        out += &rest[..at];
        let tail = &rest[at + 2..];
        let Some(end) = tail.find('}') else {
            notes.add(&node.span, "`${` without `}`");
            break;
        };
        match lookup(&tail[..end]) {
            Some(value) => out += &plain(value),
            None => {
                let name = &tail[..end];
                let help = base::suggestion(name, values.iter().map(|v| v.0));
                let message = format!("there is no loop named `{name}`");
                notes.add_with(&node.span, message, help)
            }
        }
        rest = &tail[end + 1..];
    }
    out += rest;
    Node {
        span: node.span.clone(),
        value: TreeValue::Text(out),
    }
}

fn plain(node: &Node) -> String {
    match &node.value {
        TreeValue::Text(text) => text.clone(),
        TreeValue::Integer(n) => n.to_string(),
        TreeValue::Float(n) => n.to_string(),
        TreeValue::Bool(b) => b.to_string(),
        TreeValue::List(_) | TreeValue::Table(_) | TreeValue::Other => "…".into(),
    }
}

/// More runs than this are probably a mistake.
const MOST_COMBINATIONS: usize = 10_000;
