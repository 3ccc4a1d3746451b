//! A mapping file as a tree, before it is compiled against an asset.
//!
//! Every node has its place, so that every later finding has its line.

use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::project::keys;
use crate::yaml::Node;
use base::suggestion_or_all;
use std::path::Path;

/// Keys a mapping node may have.
const KEYS: [&str; 8] = [
    "template",
    "expression",
    "mappings",
    "foreach",
    "required",
    "nullable",
    "type",
    "existsIfEmpty",
];

/// One named node of a mapping.
#[derive(Debug, Clone)]
pub(crate) struct MapNode {
    pub name: String,
    pub at: FilePosition,
    pub required: bool,
    pub nullable: bool,
    /// The `type` keyword: a JSON Schema type name.
    pub kind: Option<String>,
    pub exists_if_empty: Option<(String, FilePosition)>,
    pub value: MapValue,
}

/// The source of a node's value.
#[derive(Debug, Clone)]
pub(crate) enum MapValue {
    Template(String, FilePosition),
    Expression(String, FilePosition),
    Mappings(Vec<MapNode>),
    Foreach {
        input: String,
        at: FilePosition,
        item: Box<MapNode>,
    },
    /// The node is named and nothing is mapped to it.
    Nothing,
}

/// Reads the `mappings` of a whole file.
pub(crate) fn read(file: &Path, root: &Node, out: &mut ProjectDiagnostics) -> Vec<MapNode> {
    keys::check(keys::ProjectFile::Mapping, file, root, out);
    match root.get("mappings") {
        Some(node) => read_list(file, node, out),
        None if root.is_null() => Vec::new(),
        None => {
            let help = "expected 'version: 1.2' and 'mappings:'";
            out.error_help(file, root.at, "'mappings' is missing", help);
            Vec::new()
        }
    }
}

fn read_list(file: &Path, node: &Node, out: &mut ProjectDiagnostics) -> Vec<MapNode> {
    if node.is_null() {
        return Vec::new();
    }
    let mut entries = Vec::new();
    match (node.seq(), node.map()) {
        (Some(items), _) => {
            for item in items {
                match item.map() {
                    Some([(key, value)]) => entries.push((key, value)),
                    Some(many) => {
                        let help = "put '- ' before each name of a list of mappings";
                        let at = many.get(1).map_or(item.at, |(key, _)| key.at);
                        out.error_help(file, at, "a mapping must have exactly one name", help);
                    }
                    None => out.error(file, item.at, "expected a name with its mapping"),
                }
            }
        }
        (None, Some(map)) => entries.extend(map.iter().map(|(k, v)| (k, v))),
        _ => out.error(file, node.at, "expected a list of mappings"),
    }
    let mut nodes: Vec<MapNode> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let name = key.text().unwrap_or_default().to_string();
        if nodes.iter().any(|n| n.name == name) {
            out.error(file, key.at, format!("{name} is mapped twice"));
        }
        nodes.push(read_node(file, name, key.at, value, out));
    }
    nodes
}

fn read_node(
    file: &Path,
    name: String,
    at: FilePosition,
    node: &Node,
    out: &mut ProjectDiagnostics,
) -> MapNode {
    let mut result = MapNode {
        name,
        at,
        required: false,
        nullable: false,
        kind: None,
        exists_if_empty: None,
        value: MapValue::Nothing,
    };
    if node.is_null() {
        return result;
    }
    let Some(members) = node.map() else {
        let help = format!("expected one of {}", KEYS[..4].join(", "));
        out.error_help(file, node.at, "expected a mapping", help);
        return result;
    };
    let mut values = 0;
    for (key, value) in members {
        let word = key.text().unwrap_or_default();
        let text = || value.text().unwrap_or_default().to_string();
        let mut flag = || {
            value.bool().unwrap_or_else(|| {
                out.error(file, value.at, format!("{word} must be true or false"));
                false
            })
        };
        match word {
            "required" => result.required = flag(),
            "nullable" => result.nullable = flag(),
            "type" => result.kind = Some(text()),
            "existsIfEmpty" => result.exists_if_empty = Some((text(), value.at)),
            "template" => {
                values += 1;
                result.value = MapValue::Template(text(), value.at);
            }
            "expression" => {
                values += 1;
                result.value = MapValue::Expression(text(), value.at);
            }
            "mappings" => {
                values += 1;
                result.value = MapValue::Mappings(read_list(file, value, out));
            }
            "foreach" => {
                values += 1;
                result.value = read_foreach(file, &result.name, value, out);
            }
            // Not a list of its own: the elements' mapping inside `foreach`.
            "input" if at == node.at => {}
            _ => {
                let help = suggestion_or_all(word, &KEYS, "known are");
                out.error_help(file, key.at, format!("unknown key {word}"), help);
            }
        }
    }
    if values > 1 {
        let message = format!(
            "{} has more than one of {}",
            result.name,
            KEYS[..4].join(", ")
        );
        out.error(file, at, message);
    }
    result
}

fn read_foreach(file: &Path, name: &str, node: &Node, out: &mut ProjectDiagnostics) -> MapValue {
    let Some(input) = node.get("input") else {
        out.error(file, node.at, "foreach needs an 'input'");
        return MapValue::Nothing;
    };
    // The element's keys are next to `input`; the position distinguishes them.
    let item = read_node(file, name.to_string(), node.at, node, out);
    MapValue::Foreach {
        input: input.text().unwrap_or_default().to_string(),
        at: input.at,
        item: Box::new(item),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;

    fn tree(text: &str) -> (Vec<MapNode>, String) {
        let mut out = ProjectDiagnostics::default();
        let nodes = read(Path::new("f"), &yaml::parse(text).unwrap(), &mut out);
        (nodes, out.to_string())
    }

    #[test]
    fn a_generated_mapping_is_read_whole() {
        let (nodes, faults) = tree(
            "version: 1.2\nmappings:\n- body:\n    required: false\n    mappings:\n    \
             - a:\n        template: \"{{$x}}\"\n        required: true\n    - b:\n        \
             foreach:\n            input: \"$y\"\n            existsIfEmpty: \"$exists($item)\"\n            \
             mappings:\n            - c:\n                expression: \"$item.'c'\"\n",
        );
        assert_eq!(faults, "");
        let MapValue::Mappings(body) = &nodes[0].value else {
            panic!("not an object")
        };
        assert!(
            body[0].required && matches!(&body[0].value, MapValue::Template(t, _) if t == "{{$x}}")
        );
        let MapValue::Foreach { input, item, .. } = &body[1].value else {
            panic!("not a list")
        };
        assert_eq!(input, "$y");
        assert!(item.exists_if_empty.is_some());
        assert!(matches!(&item.value, MapValue::Mappings(m) if m[0].name == "c"));
    }

    #[test]
    fn every_mistake_has_its_line_and_a_fix() {
        let (_, faults) = tree("mappings:\n- a:\n    tempalte: x\n- b: 3\n- a:\n    required: 7\n");
        assert_eq!(
            faults,
            "f:3:5: error: unknown key tempalte\n  help: did you mean template?\n\
             f:4:6: error: expected a mapping\n  help: expected one of template, expression, mappings, foreach\n\
             f:5:3: error: a is mapped twice\n\
             f:6:15: error: required must be true or false"
        );
    }
}
