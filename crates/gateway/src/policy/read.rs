//! Reading a rule set: XML to rules, with everything that is wrong.
//!
//! Neither entities of its own nor a document type are taken.

use super::path::PathPattern;
use super::{Condition, Property, PropertyChange, Rule, ValuePart};
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::project::page;
use base::suggestion_or_all;
use http::{HeaderName, Method};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::path::Path;

/// Properties that rules may set.
const PROPERTIES: [(&str, Property); 3] = [
    ("cicsCcsid", Property::Ccsid),
    ("cicsConnectionRef", Property::Connection),
    ("cicsTransId", Property::Transaction),
];
/// Conditions that rules may have.
const CONDITIONS: [&str; 5] = ["header", "path", "method", "user", "role"];
/// Methods that operations have.
const METHODS: [&str; 8] = [
    "GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE",
];
/// Most enclosing elements that a message names.
const DEPTH: usize = 5;

/// The rules of a text.
pub(super) fn rules(file: &Path, text: &str, out: &mut ProjectDiagnostics) -> Vec<Rule> {
    let mut reading = PolicyReader {
        file,
        text,
        out,
        around: Vec::new(),
        at: FilePosition::default(),
        rules: Vec::new(),
        rule: None,
    };
    reading.all();
    let (seen, rules) = (reading.at.line > 0, reading.rules);
    if rules.is_empty() && !out.has_errors() {
        let message = if seen {
            "the file has no rules"
        } else {
            "<ruleset> is missing"
        };
        out.error(file, FilePosition::default(), message);
    }
    rules
}

struct PolicyReader<'a> {
    file: &'a Path,
    text: &'a str,
    out: &'a mut ProjectDiagnostics,
    /// Names of the elements around.
    around: Vec<String>,
    at: FilePosition,
    rules: Vec<Rule>,
    rule: Option<RuleDraft>,
}

/// A rule that is being read, and where it began.
struct RuleDraft {
    rule: Rule,
    at: FilePosition,
    conditions_at: FilePosition,
}

impl PolicyReader<'_> {
    fn all(&mut self) {
        let mut reader = Reader::from_str(self.text);
        loop {
            let offset = reader.buffer_position() as usize;
            let event = reader.read_event();
            let at = position(self.text, offset);
            match event {
                Ok(Event::Eof) => {
                    if let Some(open) = self.around.last() {
                        let message = format!("<{open}> is not closed");
                        self.out.error(self.file, at, message);
                    }
                    return;
                }
                Ok(Event::Start(tag)) => {
                    self.begin(&tag, at);
                    self.around.push(name_of(&tag));
                }
                Ok(Event::Empty(tag)) => {
                    self.begin(&tag, at);
                    if self.around.len() == 1 {
                        self.end();
                    }
                }
                Ok(Event::End(_)) => {
                    self.around.pop();
                    if self.around.len() == 1 {
                        self.end();
                    }
                }
                Ok(Event::Text(text)) if text.trim_ascii().is_empty() => {}
                Ok(Event::Decl(_) | Event::Comment(_) | Event::PI(_)) => {}
                Ok(Event::DocType(_)) => {
                    let message = "a document type is not allowed";
                    self.out.error(self.file, at, message);
                }
                Ok(_) => self.out.error(self.file, at, "text is not allowed here"),
                Err(e) => {
                    let message = format!("not well-formed XML: {e}");
                    return self.out.error(self.file, at, message);
                }
            }
        }
    }

    fn begin(&mut self, tag: &BytesStart<'_>, at: FilePosition) {
        self.at = at;
        let name = name_of(tag);
        self.attributes(tag, &name, at);
        let around: Vec<&str> = self.around.iter().map(String::as_str).collect();
        match (around.as_slice(), name.as_str()) {
            ([], "ruleset") | (["ruleset", "rule"], "actions") => {}
            (["ruleset"], "rule") => self.begin_rule(tag, at),
            (["ruleset", "rule"], "conditions") => {
                if let Some(made) = &mut self.rule {
                    made.conditions_at = at;
                }
            }
            (["ruleset", "rule", "conditions"], _) => self.condition(tag, &name, at),
            (["ruleset", "rule", "actions"], "set") => self.set(tag, at),
            (around, _) if around.len() < DEPTH => {
                let known = match around {
                    [] => "expected one <ruleset>",
                    ["ruleset"] => "expected <rule> in <ruleset>",
                    ["ruleset", "rule"] => "expected <conditions> and <actions> in <rule>",
                    ["ruleset", "rule", "actions"] => "expected <set> in <actions>",
                    _ => "it must be empty",
                };
                let message = format!("<{name}> is not allowed here");
                self.out.error_help(self.file, at, message, known);
            }
            _ => {}
        }
    }

    fn begin_rule(&mut self, tag: &BytesStart<'_>, at: FilePosition) {
        let name = self.attribute(tag, "name", at).unwrap_or_default();
        if name.is_empty() {
            let help = "name it: <rule name=\"...\">";
            self.out
                .error_help(self.file, at, "the rule has no name", help);
        }
        self.rule = Some(RuleDraft {
            rule: Rule {
                name,
                at,
                conditions: Vec::new(),
                sets: Vec::new(),
            },
            at,
            conditions_at: FilePosition::default(),
        });
    }

    /// A rule is complete.
    fn end(&mut self) {
        let Some(made) = self.rule.take() else { return };
        let RuleDraft {
            rule,
            at,
            conditions_at,
        } = made;
        let place = if conditions_at.line > 0 {
            conditions_at
        } else {
            at
        };
        if rule.conditions.is_empty() {
            let help = "<path value=\"/*\"/> matches every request";
            self.out
                .error_help(self.file, place, "the rule has no conditions", help);
        }
        if rule.sets.is_empty() && self.out.0.iter().all(|d| d.position() < at || d.line == 0) {
            let help = "add <set property=\"cicsTransId\" value=\"...\"/> to <actions>";
            self.out
                .error_help(self.file, at, "the rule sets no property", help);
        }
        for set in &rule.sets {
            for piece in &set.value {
                let ValuePart::Header(name) = piece else {
                    continue;
                };
                let named = |c: &Condition| matches!(c, Condition::Header(n, _) if n == name);
                if !rule.conditions.iter().any(named) {
                    let message =
                        format!("${{{name}}}: this rule has no condition for the header {name}");
                    let help = format!("add <header name=\"{name}\" match=\"ANY_VALUE\"/>");
                    self.out.error_help(self.file, set.at, message, help);
                }
            }
        }
        self.idle(&rule, at);
        self.rules.push(rule);
    }

    /// Warns of a property that a rule sets and never decides: an earlier rule
    /// decides it wherever this one holds.
    fn idle(&mut self, rule: &Rule, at: FilePosition) {
        for (i, set) in rule.sets.iter().enumerate() {
            let same = |before: &&PropertyChange| before.property == set.property;
            if rule.sets[..i].iter().any(|before| same(&before)) {
                let message = "the rule already sets this property; the first value is used";
                self.out.warn(self.file, set.at, message);
            }
        }
        let holds_too = |before: &&Rule| {
            let within = |c: &Condition| rule.conditions.contains(c);
            let sets =
                |set: &PropertyChange| before.sets.iter().any(|b| b.property == set.property);
            before.conditions.iter().all(within) && rule.sets.iter().all(sets)
        };
        if rule.sets.is_empty() {
            return;
        }
        if let Some(before) = self.rules.iter().find(holds_too) {
            let message = format!(
                "the rule {} has no effect: {} holds whenever it does, and comes first",
                rule.name, before.name
            );
            let help = "the first rule that holds decides: put the narrower one first";
            self.out
                .warn_help(self.file, at, message, Some(help.to_owned()));
        }
    }

    fn condition(&mut self, tag: &BytesStart<'_>, name: &str, at: FilePosition) {
        let Some(kind) = CONDITIONS.iter().find(|known| **known == name) else {
            let message = format!("<{name}> is not a condition");
            let help = suggestion_or_all(name, &CONDITIONS, "there are");
            // The rule is not one without conditions for that.
            if let Some(made) = &mut self.rule {
                made.rule.conditions.push(Condition::Path(Vec::new()));
            }
            return self.out.error_help(self.file, at, message, help);
        };
        let value = self.attribute(tag, "value", at);
        let values: Vec<String> = value
            .iter()
            .flat_map(|value| value.split(','))
            .map(|one| one.trim().to_owned())
            .filter(|one| !one.is_empty())
            .collect();
        let any = *kind == "header" && self.any_value(tag, !values.is_empty(), at);
        if values.is_empty() && !any {
            let help = match *kind {
                "header" => "use value=\"A,B\" or match=\"ANY_VALUE\"",
                _ => "value=\"A,B\"",
            };
            let message = format!("<{name}> has no value");
            self.out.error_help(self.file, at, message, help);
        }
        let condition = match *kind {
            "header" => {
                let given = self.attribute(tag, "name", at).unwrap_or_default();
                let Ok(header) = HeaderName::try_from(given.as_str()) else {
                    let message = format!("{given:?} is not a valid header name");
                    return self.out.error(self.file, at, message);
                };
                Condition::Header(header, (!any).then_some(values))
            }
            "path" => {
                if let Some(wrong) = values.iter().find(|path| !path.starts_with('/')) {
                    let help = format!("a path must begin with /: /{wrong}");
                    let message = format!("{wrong:?} is not a path");
                    self.out.error_help(self.file, at, message, help);
                }
                self.unmatched(&values, at);
                Condition::Path(values.iter().map(|path| PathPattern::new(path)).collect())
            }
            "method" => Condition::Method(self.methods(&values, at)),
            "user" => Condition::User(values),
            _ => Condition::Role(values),
        };
        if let Some(made) = &mut self.rule {
            made.rule.conditions.push(condition);
        }
    }

    /// Whether any value of a header will do.
    fn any_value(&mut self, tag: &BytesStart<'_>, valued: bool, at: FilePosition) -> bool {
        let given = self.attribute(tag, "match", at);
        let any = given.as_deref() == Some("ANY_VALUE");
        let message = match given {
            Some(_) if any && valued => {
                "the header has both match=\"ANY_VALUE\" and a value".to_owned()
            }
            Some(given) if !any => format!("match={given:?} has no meaning"),
            _ => return any,
        };
        let help = "use value=\"A,B\" or match=\"ANY_VALUE\"";
        self.out.error_help(self.file, at, message, help);
        any
    }

    /// Warns of paths that no request has.
    fn unmatched(&mut self, paths: &[String], at: FilePosition) {
        for path in paths {
            let front = path.strip_suffix('*').unwrap_or(path);
            if front.contains(['*', '{', '}', '?', '#']) {
                let message = format!("no request can have the path {path:?}");
                let help = "* must be at the end, alone: /bank/accounts/*";
                self.out.error_help(self.file, at, message, help);
            }
        }
    }

    fn methods(&mut self, values: &[String], at: FilePosition) -> Vec<Method> {
        let mut methods = Vec::new();
        for value in values {
            let upper = value.to_ascii_uppercase();
            match Method::from_bytes(upper.as_bytes()) {
                Ok(method) if METHODS.contains(&&*upper) => methods.push(method),
                _ => {
                    let help = suggestion_or_all(value, &METHODS, "there are");
                    let message = format!("{value:?} is not a method");
                    self.out.error_help(self.file, at, message, help);
                }
            }
        }
        methods
    }

    /// Warns of unknown attributes: their meaning would be lost.
    fn attributes(&mut self, tag: &BytesStart<'_>, element: &str, at: FilePosition) {
        let known: &[&str] = match element {
            "rule" => &["name"],
            "header" => &["name", "value", "match"],
            "path" | "method" | "user" | "role" => &["value"],
            "set" => &["property", "value"],
            "ruleset" | "conditions" | "actions" => &[],
            // The element has been reported.
            _ => return,
        };
        for attribute in tag.attributes().with_checks(false).flatten() {
            let name = String::from_utf8_lossy(attribute.key.as_ref()).into_owned();
            if name.contains(':') || name == "xmlns" || known.contains(&&*name) {
                continue;
            }
            let message = format!("<{element}> has no attribute {name}");
            let help = if known.is_empty() {
                "it has no attributes".to_owned()
            } else {
                suggestion_or_all(&name, known, "it has")
            };
            self.out.error_help(self.file, at, message, help);
        }
    }

    fn set(&mut self, tag: &BytesStart<'_>, at: FilePosition) {
        let name = self.attribute(tag, "property", at).unwrap_or_default();
        let value = self.attribute(tag, "value", at).unwrap_or_default();
        let elsewhere = |prefix| name.starts_with(prefix);
        if elsewhere("ims") || elsewhere("db2") {
            let message = format!("{name} is not applied: only CICS programs are called");
            return self.set_nothing(at, message, None);
        }
        let Some((_, property)) = PROPERTIES.iter().find(|(known, _)| *known == name) else {
            let known = PROPERTIES.map(|(name, _)| name);
            let help = suggestion_or_all(&name, &known, "there are");
            let message = format!("{name} is not a property");
            return self.out.error_help(self.file, at, message, help);
        };
        let value = match pieces(&value) {
            Ok(value) => value,
            Err(why) => return self.out.error(self.file, at, why),
        };
        match (&*value, property) {
            ([], _) => self
                .out
                .error(self.file, at, format!("{name} has no value")),
            ([ValuePart::Text(text)], Property::Transaction) if !is_transid(text) => {
                let message = format!("{text:?} is not a valid transaction name");
                let help = "1 to 4 letters, digits and $@#./-_%&?!:|\"=,;<>";
                self.out.error_help(self.file, at, message, help);
            }
            ([ValuePart::Text(text)], Property::Ccsid) => {
                if let Err(why) = page::ccsid(text) {
                    let help = "use a number, such as 37 or 1047";
                    self.out.error_help(self.file, at, why, help);
                }
            }
            _ => {}
        }
        if let Some(made) = &mut self.rule {
            let property = *property;
            made.rule.sets.push(PropertyChange {
                property,
                value,
                at,
            });
        }
    }

    fn set_nothing(&mut self, at: FilePosition, message: String, help: Option<String>) {
        self.out.warn_help(self.file, at, message, help);
    }

    fn attribute(&mut self, tag: &BytesStart<'_>, name: &str, at: FilePosition) -> Option<String> {
        match tag.try_get_attribute(name) {
            Ok(found) => {
                let value = found?.unescape_value();
                match value {
                    Ok(value) => Some(value.trim().to_owned()),
                    Err(e) => {
                        self.out.error(self.file, at, format!("{name}: {e}"));
                        None
                    }
                }
            }
            Err(e) => {
                self.out.error(self.file, at, format!("{name}: {e}"));
                None
            }
        }
    }
}

fn name_of(tag: &BytesStart<'_>) -> String {
    String::from_utf8_lossy(tag.local_name().as_ref()).into_owned()
}

/// A value with `${header}` in it.
fn pieces(value: &str) -> Result<Vec<ValuePart>, String> {
    let mut pieces = Vec::new();
    let mut rest = value;
    while let Some((front, placeholder)) = rest.split_once("${") {
        if !front.is_empty() {
            pieces.push(ValuePart::Text(front.to_owned()));
        }
        let (name, after) = placeholder
            .split_once('}')
            .ok_or_else(|| format!("{value}: ${{ without }}"))?;
        let header = HeaderName::try_from(name);
        let header = header.map_err(|_| format!("{value}: {name:?} is not a valid header name"))?;
        pieces.push(ValuePart::Header(header));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(ValuePart::Text(rest.to_owned()));
    }
    Ok(pieces)
}

/// Whether CICS would take it for a transaction's name.
pub(super) fn is_transid(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"$@#./-_%&?!:|\"=,;<>".contains(&b);
    (1..=4).contains(&text.len()) && text.bytes().all(allowed)
}

fn position(text: &str, offset: usize) -> FilePosition {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line = before.iter().filter(|b| **b == b'\n').count() as u32 + 1;
    let column = before.iter().rev().take_while(|b| **b != b'\n').count() as u32 + 1;
    FilePosition { line, column }
}
