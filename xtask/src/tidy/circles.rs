//! Circles between the modules of a crate, as `use` and paths have them.
//!
//! Modules that use one another in a circle can be understood, and moved, only
//! together. Looked at are the children of one folder, each with everything
//! below it: a crate's top-level modules first, then those of each folder. Files
//! of tests and test modules are left out. How many files are in circles is
//! bounded for each crate by the table in [`super::ratchets`], which may only
//! fall.
//!
//! Invariant: a path that names a re-export of the crate's root counts for the
//! module that the root takes it from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

/// A module: its path from the crate's root, and its file.
struct ModuleNode {
    path: Vec<String>,
    lines: usize,
    /// The paths that it uses, from the crate's root.
    uses: BTreeSet<Vec<String>>,
}

/// Modules of one folder that use one another in a circle.
pub struct ModuleCircle {
    /// The folder, from the crate's root; empty for the root itself.
    pub folder: String,
    /// The folder's children in the circle.
    pub modules: Vec<String>,
    /// Files of those.
    pub files: usize,
    /// Lines of those.
    pub lines: usize,
}

/// All circles of a crate, the largest first.
pub fn of_crate(folder: &Path) -> Result<Vec<ModuleCircle>> {
    let source = folder.join("src");
    let mut files = Vec::new();
    super::rust_files(&source, &mut files)?;
    let names: BTreeSet<Vec<String>> = files.iter().filter_map(|f| path_of(&source, f)).collect();
    let root = fs::read_to_string(source.join("lib.rs")).unwrap_or_default();
    let exports = root_exports(&root, &names);
    let mut modules = Vec::new();
    for file in &files {
        let Some(path) = path_of(&source, file) else {
            continue;
        };
        let text = fs::read_to_string(file)?;
        let text = without_tests(&text);
        modules.push(ModuleNode {
            lines: text.lines().count(),
            uses: uses(&text, &path, &names, &exports),
            path,
        });
    }
    let folders: BTreeSet<Vec<String>> = names
        .iter()
        .map(|path| path[..path.len() - 1].to_vec())
        .collect();
    let mut circles: Vec<ModuleCircle> = folders
        .iter()
        .flat_map(|folder| circles_of(folder, &modules))
        .collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.lines));
    Ok(circles)
}

/// The module that a file is; none for the crate's root, programs and tests.
fn path_of(source: &Path, file: &Path) -> Option<Vec<String>> {
    let below: PathBuf = file.strip_prefix(source).ok()?.with_extension("");
    let mut path: Vec<String> = below
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    if path.last().is_some_and(|last| last == "mod") {
        path.pop();
    }
    let is_test = |part: &String| part == "tests" || part.ends_with("_tests");
    let is_root = path.len() == 1 && matches!(path[0].as_str(), "lib" | "main");
    let outside = path.is_empty() || is_root || path[0] == "bin" || path.iter().any(is_test);
    (!outside).then_some(path)
}

/// A file's text without the test module at its end.
fn without_tests(text: &str) -> String {
    let end = text.find("#[cfg(test)]\nmod tests {");
    text[..end.unwrap_or(text.len())].to_owned()
}

/// Names that the crate's root takes from its modules, each with its module.
fn root_exports(root: &str, names: &BTreeSet<Vec<String>>) -> BTreeMap<String, Vec<String>> {
    let mut exports = BTreeMap::new();
    for path in use_trees(root, "use ") {
        let module = longest_module(&path, names);
        if let (false, Some(last)) = (module.is_empty(), path.last()) {
            exports.insert(last.clone(), module);
        }
    }
    exports
}

/// The modules that a text uses by paths from the root or from its parents.
fn uses(
    text: &str,
    own: &[String],
    names: &BTreeSet<Vec<String>>,
    exports: &BTreeMap<String, Vec<String>>,
) -> BTreeSet<Vec<String>> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut found = BTreeSet::new();
    for path in use_trees(&code, "crate::") {
        let module = match longest_module(&path, names) {
            none if none.is_empty() => path.first().and_then(|name| exports.get(name)).cloned(),
            module => Some(module),
        };
        found.extend(module);
    }
    for path in use_trees(&code, "super::") {
        let ups = 1 + path.iter().take_while(|part| *part == "super").count();
        if let Some(base) = own.len().checked_sub(ups) {
            let below = path[ups - 1..].iter();
            let whole: Vec<String> = own[..base].iter().chain(below).cloned().collect();
            let module = longest_module(&whole, names);
            found.extend((!module.is_empty()).then_some(module));
        }
    }
    found
}

/// The longest beginning of a path that is a module; empty for none.
fn longest_module(path: &[String], names: &BTreeSet<Vec<String>>) -> Vec<String> {
    let lengths = (1..=path.len()).rev();
    let longest = lengths
        .map(|n| &path[..n])
        .find(|part| names.contains(*part));
    longest.unwrap_or_default().to_vec()
}

/// Every path after a prefix, with groups in braces spread out.
fn use_trees(text: &str, prefix: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for (at, _) in text.match_indices(prefix) {
        let before = text[..at].chars().next_back();
        // `super::super::x` is one path, found at its first word.
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let mut rest = &text[at + prefix.len()..];
        tree(&mut rest, &mut Vec::new(), &mut paths);
    }
    paths
}

/// Reads one path of a use tree, and what its groups hold.
fn tree(rest: &mut &str, base: &mut Vec<String>, paths: &mut Vec<Vec<String>>) {
    let depth = base.len();
    loop {
        *rest = rest.trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        if word.is_empty() {
            if let Some(group) = rest.strip_prefix('{') {
                *rest = group;
                loop {
                    tree(rest, base, paths);
                    *rest = rest.trim_start();
                    match rest.strip_prefix(',') {
                        Some(more) if !more.trim_start().starts_with('}') => *rest = more,
                        other => {
                            *rest = other.unwrap_or(rest);
                            break;
                        }
                    }
                }
                *rest = rest.trim_start();
                *rest = rest.strip_prefix('}').unwrap_or(rest);
                base.truncate(depth);
                return;
            }
            break;
        }
        base.push(word.to_owned());
        *rest = after;
        match rest.strip_prefix("::") {
            Some(more) => *rest = more,
            None => break,
        }
    }
    if let Some(renamed) = rest.strip_prefix(" as ") {
        let end = renamed.find(|c: char| !c.is_alphanumeric() && c != '_');
        *rest = &renamed[end.unwrap_or(renamed.len())..];
    }
    *rest = rest.strip_prefix('*').unwrap_or(rest);
    paths.push(base.clone());
    base.truncate(depth);
}

/// The circles among the children of a folder.
fn circles_of(folder: &[String], modules: &[ModuleNode]) -> Vec<ModuleCircle> {
    let child = |path: &[String]| -> Option<String> {
        let below = path.strip_prefix(folder)?;
        below.first().cloned()
    };
    let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for module in modules {
        let Some(from) = child(&module.path) else {
            continue;
        };
        let to = module.uses.iter().filter_map(|used| child(used));
        let to = to.filter(|to| *to != from);
        edges.entry(from.clone()).or_default().extend(to);
    }
    let reached = |from: &String| -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&String> = edges.get(from).into_iter().flatten().collect();
        while let Some(name) = next.pop() {
            if seen.insert(name.clone()) {
                next.extend(edges.get(name).into_iter().flatten());
            }
        }
        seen
    };
    let reach: BTreeMap<&String, BTreeSet<String>> =
        edges.keys().map(|name| (name, reached(name))).collect();
    let mut done: BTreeSet<&String> = BTreeSet::new();
    let mut circles = Vec::new();
    for name in edges.keys() {
        if done.contains(name) || !reach[name].contains(name) {
            continue;
        }
        let together =
            |other: &&String| reach[name].contains(*other) && reach[*other].contains(name);
        let members: Vec<&String> = edges.keys().filter(together).collect();
        done.extend(&members);
        let inside = |m: &&ModuleNode| child(&m.path).is_some_and(|c| members.contains(&&c));
        circles.push(ModuleCircle {
            folder: folder.join("::"),
            files: modules.iter().filter(inside).count(),
            lines: modules.iter().filter(inside).map(|m| m.lines).sum(),
            modules: members.into_iter().cloned().collect(),
        });
    }
    circles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Vec<String> {
        text.split("::").map(str::to_owned).collect()
    }

    #[test]
    fn groups_of_a_use_are_spread_out() {
        let text = "use crate::{a::B, c::{D as E, f::*}};\nlet x = crate::g::H::new();";
        let found = use_trees(text, "crate::");
        let expected = ["a::B", "c::D", "c::f", "g::H::new"].map(path);
        assert_eq!(found, expected);
    }

    #[test]
    fn a_path_from_the_parent_names_the_sibling_module() {
        let names: BTreeSet<Vec<String>> = ["a", "a::b", "a::c", "d"].map(path).into();
        let text = "use super::c::X;\nuse super::super::d::Y;";
        let found = uses(text, &path("a::b"), &names, &BTreeMap::new());
        assert_eq!(found, ["a::c", "d"].map(path).into());
    }

    #[test]
    fn modules_that_use_one_another_are_a_circle() {
        let module = |name: &str, uses: &[&str]| ModuleNode {
            path: path(name),
            lines: 10,
            uses: uses.iter().map(|u| path(u)).collect(),
        };
        let modules = [
            module("a", &["b::x"]),
            module("b", &[]),
            module("b::x", &["a", "c"]),
            module("c", &[]),
        ];
        let circles = circles_of(&[], &modules);
        assert_eq!(circles.len(), 1);
        assert_eq!(circles[0].modules, ["a", "b"]);
        assert_eq!((circles[0].files, circles[0].lines), (3, 30));
    }
}
