//! JMeter's `${…}`: constants are replaced, columns and captured values become holes
//! of a template, and unknown variables are kept as text and noted.
//!
//! Reference: JMeter user's manual, "Functions and Variables".

use crate::import::write::literal;
use std::collections::{BTreeMap, BTreeSet};

/// The meaning of each variable.
#[derive(Debug, Default)]
pub(super) struct PlanVariables {
    /// User defined variables.
    pub constants: BTreeMap<String, String>,
    /// Variables of data sets and counters, and their template holes.
    pub holes: BTreeMap<String, String>,
    /// Names captured by earlier requests of the group.
    pub captured: BTreeSet<String>,
    /// Names that the current request captures; later requests can use them.
    pub pending: Vec<String>,
    /// Variables that were kept as text.
    pub unknown: BTreeSet<String>,
}

impl PlanVariables {
    /// Text of the plan as a template.
    pub fn template(&mut self, text: &str) -> String {
        self.encoded(text, &str::to_owned)
    }

    /// Text of the plan as a template, with everything except variables
    /// encoded.
    pub fn encoded(&mut self, text: &str, encode: &dyn Fn(&str) -> String) -> String {
        let mut out = String::new();
        let literal = |text: &str| literal(&encode(text));
        let text = self.plain(text);
        let mut rest = text.as_str();
        while let Some((before, inner, after)) = first(rest) {
            out += &literal(before);
            match self.hole(inner) {
                Some(hole) => out += &hole,
                None => {
                    self.unknown.insert(inner.to_owned());
                    out += &literal(&format!("${{{inner}}}"));
                }
            }
            rest = after;
        }
        out + &literal(rest)
    }

    /// Text with constants and property defaults replaced.
    pub fn plain(&self, text: &str) -> String {
        self.resolved(text, 0)
    }

    fn resolved(&self, text: &str, depth: usize) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, inner, after)) = first(rest) {
            out += before;
            let inner = if depth < DEEPEST {
                self.resolved(inner, depth + 1)
            } else {
                inner.to_owned()
            };
            match self
                .constants
                .get(&inner)
                .cloned()
                .or_else(|| usual(&inner))
            {
                // A constant may refer to another; the depth limit stops a cycle.
                Some(value) if depth < DEEPEST => out += &self.resolved(&value, depth + 1),
                _ => out += &format!("${{{inner}}}"),
            }
            rest = after;
        }
        out + rest
    }

    fn hole(&self, inner: &str) -> Option<String> {
        if self.captured.contains(inner) {
            return Some(format!("{{{{{}}}}}", name(inner)));
        }
        if let Some(hole) = self.holes.get(inner) {
            return Some(hole.clone());
        }
        let (function, arguments) = call(inner)?;
        match (function, &arguments[..]) {
            ("__UUID", _) => Some("{{uuid}}".into()),
            ("__time", [] | [""]) => Some("{{now_ms}}".into()),
            ("__Random", [low, high, ..]) => {
                let (low, high): (u64, u64) = (low.parse().ok()?, high.parse().ok()?);
                (low <= high).then(|| format!("{{{{random {low} {high}}}}}"))
            }
            _ => None,
        }
    }
}

/// A name that templates can use for a variable.
pub(super) fn name(variable: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
    variable.chars().map(plain).collect()
}

/// The default of `__P(name,default)`, which is what a plan has without options.
fn usual(inner: &str) -> Option<String> {
    match call(inner)? {
        ("__P", arguments) => arguments.get(1).map(|d| (*d).to_owned()),
        ("__property", arguments) => arguments.get(2).map(|d| (*d).to_owned()),
        _ => None,
    }
}

/// The name and the arguments of a function.
fn call(inner: &str) -> Option<(&str, Vec<&str>)> {
    if !inner.starts_with("__") {
        return None;
    }
    match inner.split_once('(') {
        None => Some((inner, Vec::new())),
        Some((function, rest)) => {
            let arguments = rest.strip_suffix(')')?;
            Some((function, arguments.split(',').map(str::trim).collect()))
        }
    }
}

/// The text before the first `${…}`, what is in it, and what follows it.
fn first(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find("${")?;
    let inner = &text[start + 2..];
    let mut open = 1;
    for (at, c) in inner.char_indices() {
        match c {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some((&text[..start], &inner[..at], &inner[at + 1..]));
        }
    }
    None
}

/// The maximum depth of constants that refer to constants.
const DEEPEST: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_variable_becomes_what_stands_for_it_here() {
        let mut variables = PlanVariables::default();
        for (name, value) in [
            ("host", "127.0.0.1"),
            ("url", "http://${host}"),
            ("me", "${me}"),
        ] {
            variables.constants.insert(name.into(), value.into());
        }
        variables
            .holes
            .insert("user".into(), "{{users.user}}".into());
        variables.captured.insert("auth.token".into());
        for (text, wanted) in [
            ("${url}/a", "http://127.0.0.1/a"),
            (
                "u=${user}&t=${auth.token}",
                "u={{users.user}}&t={{auth_token}}",
            ),
            ("${__UUID()} ${__UUID}", "{{uuid}} {{uuid}}"),
            ("${__Random(1,9)}", "{{random 1 9}}"),
            ("${__P(n,${host})}", "127.0.0.1"),
            ("{{a}} ${odd", "{{\"{{\"}}a}} {{\"$\"}}{odd"),
            ("${undefined}", "{{\"$\"}}{undefined}"),
        ] {
            assert_eq!(variables.template(text), wanted, "{text}");
        }
        assert_eq!(variables.unknown.len(), 1);
        // A cycle ends.
        variables.template("${me}");
    }
}
