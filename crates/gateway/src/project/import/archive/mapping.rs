//! Mappings of old APIs (`.map`): which parts of a message come from elsewhere.
//!
//! An API passes a body through to its service and changes parts of it: a part
//! is moved from a parameter or a header, gets a fixed value, or is taken out.

use super::xml::{self, ArchiveElement};

/// The mapping of one direction's message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct MessageMapping {
    /// Names that lead to the root of the service's message.
    pub root: Vec<String>,
    pub updates: Vec<MappedPart>,
}

/// A part that is not passed through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MappedPart {
    pub target: MappingTarget,
    pub change: MappingChange,
}

/// The destination of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MappingTarget {
    /// A part of the message, by the names that lead to it.
    Part(Vec<String>),
    /// A header of the response.
    Header(String),
}

/// The new value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MappingChange {
    Removed,
    Assigned(String),
    /// A parameter or a header: `$pathParameters` and its name.
    Parameter(&'static str, String),
    /// Another part of the message.
    Part(Vec<String>),
}

/// The variables that parts of a request are moved from.
const SOURCES: [(&str, &str); 3] = [
    ("PathParameters", "$pathParameters"),
    ("QueryParameters", "$queryParameters"),
    ("Headers", "$headers"),
];

impl MessageMapping {
    /// The change of a part: its last update, or that of an enclosing part.
    pub fn change(&self, path: &[String]) -> Option<&MappingChange> {
        let hit = |update: &&MappedPart| match &update.target {
            MappingTarget::Part(target) => {
                path == target || gone(&update.change) && path.starts_with(target)
            }
            MappingTarget::Header(_) => false,
        };
        self.updates
            .iter()
            .rev()
            .find(hit)
            .map(|update| &update.change)
    }
}

fn gone(change: &MappingChange) -> bool {
    *change == MappingChange::Removed
}

/// Reads a mapping; `request` is its direction.
///
/// # Errors
/// A part of the mapping that has no rule.
pub(super) fn read(bytes: &[u8], request: bool) -> Result<MessageMapping, String> {
    let document = xml::parse(bytes)?;
    let declaration = document
        .find("mappingDeclaration")
        .ok_or("it has no mappingDeclaration")?;
    let Some(pass) = declaration.child("passthrough") else {
        return Err("it maps without a passthrough, which has no rule".into());
    };
    let end = if request { "output" } else { "input" };
    let mut root = path_of(declaration, end)?;
    // The path begins with a variable: $rootOutput/CreAcc.
    if root.first().is_some_and(|name| name.starts_with('$')) {
        root.remove(0);
    }
    let mut mapping = MessageMapping {
        updates: Vec::new(),
        root,
    };
    for update in pass.child("updates").map_or(&[][..], |u| &u.children) {
        for output in update.children_named("output") {
            let target = target(&mapping.root, names(output)?, request)?;
            let change = match update.name.as_str() {
                "remove" => MappingChange::Removed,
                "assign" => MappingChange::Assigned(
                    update.attribute("value").unwrap_or_default().to_owned(),
                ),
                "move" => source(&mapping.root, path_of(update, "input")?, request)?,
                other => return Err(format!("<{other}> has no rule")),
            };
            mapping.updates.push(MappedPart { target, change });
        }
    }
    Ok(mapping)
}

fn path_of(element: &ArchiveElement, end: &str) -> Result<Vec<String>, String> {
    let mut all = element.children_named(end);
    let one = all
        .next()
        .ok_or_else(|| format!("<{}> has no {end}", element.name))?;
    match all.next() {
        None => names(one),
        Some(_) => Err(format!(
            "<{}> has several of {end}, which has no rule",
            element.name
        )),
    }
}

fn names(element: &ArchiveElement) -> Result<Vec<String>, String> {
    let path = element.attribute("path").ok_or("a path is missing")?;
    if path.contains(['[', '(', '*']) {
        return Err(format!("the path {path} has no rule"));
    }
    let names = path.split('/').filter(|n| !matches!(*n, "" | "."));
    Ok(names.map(str::to_owned).collect())
}

/// A request's parts are named from the root of the service's message, those of
/// a response from the response.
fn target(root: &[String], path: Vec<String>, request: bool) -> Result<MappingTarget, String> {
    if request {
        return Ok(MappingTarget::Part([root, &path].concat()));
    }
    match path.split_first() {
        Some((head, rest)) if head == "Body" => Ok(MappingTarget::Part(rest.to_vec())),
        Some((head, [name])) if head == "Headers" => Ok(MappingTarget::Header(name.clone())),
        _ => Err(format!("{} is not part of a response", path.join("/"))),
    }
}

fn source(root: &[String], path: Vec<String>, request: bool) -> Result<MappingChange, String> {
    if !request {
        return Ok(MappingChange::Part([root, &path].concat()));
    }
    match path.split_first() {
        Some((head, rest)) if head == "Body" => Ok(MappingChange::Part(rest.to_vec())),
        Some((head, [name])) => match SOURCES.iter().find(|(known, _)| known == head) {
            Some((_, variable)) => Ok(MappingChange::Parameter(variable, name.clone())),
            None => Err(format!("{head}/{name} is not part of a request")),
        },
        _ => Err(format!("{} is not part of a request", path.join("/"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(updates: &str) -> Result<MessageMapping, String> {
        let text = format!(
            "<mappingRoot><mappingDeclaration><input path='$rootInput/HTTPRequest'/>\
             <output path='$rootOutput/CreAcc'/><passthrough><input path='Body/CreAcc'/>\
             <output path='.'/><updates>{updates}</updates></passthrough></mappingDeclaration></mappingRoot>"
        );
        read(text.as_bytes(), true)
    }

    fn path(text: &str) -> Vec<String> {
        text.split('/').map(str::to_owned).collect()
    }

    #[test]
    fn parts_are_moved_assigned_and_removed() {
        let mapping = request(
            "<move><input path='PathParameters/id'/><output path='Key/Number'/></move>\
             <assign value='R'><output path='Action'/></assign>\
             <remove><output path='Details'/></remove>",
        )
        .unwrap();
        let change = |at: &str| mapping.change(&path(at));
        let moved = MappingChange::Parameter("$pathParameters", "id".into());
        assert_eq!(change("CreAcc/Key/Number"), Some(&moved));
        assert_eq!(
            change("CreAcc/Action"),
            Some(&MappingChange::Assigned("R".into()))
        );
        assert_eq!(change("CreAcc/Details/Type"), Some(&MappingChange::Removed));
        assert_eq!(change("CreAcc/Key/Other"), None);
    }

    #[test]
    fn what_has_no_rule_is_refused_by_name() {
        for (updates, reported) in [
            (
                "<foreach><input path='a'/><output path='b'/></foreach>",
                "<foreach>",
            ),
            (
                "<move><input path='Cookies/a'/><output path='b'/></move>",
                "Cookies/a",
            ),
            ("<remove><output path='a[1]'/></remove>", "a[1]"),
            ("<move><output path='b'/></move>", "no input"),
        ] {
            let why = request(updates).unwrap_err();
            assert!(why.contains(reported), "{why}");
        }
        assert!(read(b"<mappingRoot><mappingDeclaration/></mappingRoot>", true).is_err());
    }
}
