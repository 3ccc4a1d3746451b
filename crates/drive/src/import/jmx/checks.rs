//! Assertions and extractors, which become checks and captures of a step.
//!
//! Reference: JMeter's component reference, "Assertions" and "Post Processors".

use super::Request;
use super::requests::ElementScope;
use super::tree::PlanElement;
use super::variables::{PlanVariables, name};
use regex::Regex;

/// Adds the checks and captures in a request's scope.
pub(super) fn examine(
    request: &mut Request,
    scope: &ElementScope<'_>,
    variables: &mut PlanVariables,
    notes: &mut Vec<String>,
) {
    for element in &scope.elements {
        let done = match element.kind.as_str() {
            "ResponseAssertion" => assertion(request, element, variables),
            "SizeAssertion" => size(request, element),
            "RegexExtractor" => regex_extractor(request, element, variables),
            "JSONPostProcessor" => json_extractor(request, element, variables),
            "BoundaryExtractor" => boundaries(request, element, variables),
            _ => continue,
        };
        if let Err(why) = done {
            notes.push(format!(
                "{} was left out at `{}`: {why}",
                element.title(),
                request.name
            ));
        }
    }
}

fn assertion(
    request: &mut Request,
    element: &PlanElement,
    variables: &PlanVariables,
) -> Result<(), &'static str> {
    let flags = element.property("Assertion.test_type");
    let flags: u32 = flags.and_then(|f| f.parse().ok()).unwrap_or(CONTAINS);
    // JMeter's own spelling.
    let lists = ["Asserion.test_strings", "Assertion.test_strings"];
    let patterns = lists.iter().find_map(|l| element.lists.get(*l));
    let patterns: Vec<String> = patterns
        .into_iter()
        .flatten()
        .map(|p| variables.plain(p))
        .collect();
    if patterns.is_empty() {
        return Err("it has no pattern");
    }
    if flags & NOT != 0 {
        return Err("checks cannot be negated");
    }
    if patterns.iter().any(|p| p.contains("${")) {
        return Err("a check cannot contain variables");
    }
    let any = flags & OR != 0;
    match element.property("Assertion.test_field").unwrap_or_default() {
        "Assertion.response_code" => {
            if patterns.len() > 1 && !any {
                return Err("several statuses cannot match at once");
            }
            let statuses: Option<Vec<String>> = patterns.iter().map(|p| status(p)).collect();
            request.status = statuses.ok_or("write its pattern as statuses such as 200 or 2xx")?;
            Ok(())
        }
        "Assertion.response_data" | "Assertion.response_data_as_document" => {
            if flags & SUBSTRING != 0 && patterns.len() == 1 && request.contains.is_none() {
                let text = &patterns[0];
                if !text.contains("${") {
                    request.contains = Some(text.clone());
                    return Ok(());
                }
            }
            let as_regex = |pattern: &String| match flags {
                f if f & SUBSTRING != 0 => regex::escape(pattern),
                f if f & EQUALS != 0 => format!(r"\A{}\z", regex::escape(pattern)),
                f if f & MATCHES != 0 => format!(r"\A(?:{pattern})\z"),
                _ => format!("(?:{pattern})"),
            };
            if patterns.len() > 1 && !any {
                return Err("a step can have one pattern; combine patterns that must all match");
            }
            let all: Vec<String> = patterns.iter().map(as_regex).collect();
            matching(request, &all.join("|"))
        }
        _ => Err("only status and body can be checked"),
    }
}

fn matching(request: &mut Request, pattern: &str) -> Result<(), &'static str> {
    if request.matches.is_some() {
        return Err("the step already has a pattern");
    }
    let pattern = usable(pattern)?;
    request.matches = Some(pattern);
    Ok(())
}

/// A pattern that is valid here; JMeter's syntax is larger.
fn usable(pattern: &str) -> Result<String, &'static str> {
    match Regex::new(pattern) {
        Ok(_) if pattern.contains("${") => Err("a pattern cannot contain variables"),
        Ok(_) => Ok(pattern.to_owned()),
        Err(_) => Err("its regular expression is not supported (look-around, backreferences)"),
    }
}

/// `200`, `2..` or `2\d\d` as a scenario writes it.
fn status(pattern: &str) -> Option<String> {
    let plain = pattern.trim().trim_start_matches('^').trim_end_matches('$');
    let plain = plain
        .replace(r"\d", "x")
        .replace("[0-9]", "x")
        .replace('.', "x");
    let mut chars = plain.chars();
    let first = chars.next().filter(|c| ('1'..='5').contains(c));
    let rest: String = chars.collect();
    let number = rest.len() == 2 && rest.chars().all(|c| c.is_ascii_digit());
    (first.is_some() && (rest == "xx" || number)).then_some(plain)
}

fn size(request: &mut Request, element: &PlanElement) -> Result<(), &'static str> {
    let of_body = element
        .property("Assertion.test_field")
        .is_none_or(|field| field == "SizeAssertion.response_data");
    let equal = element.property("SizeAssertion.operator") == Some("1");
    let bytes = element.property("SizeAssertion.size");
    let bytes = bytes
        .and_then(|b| b.parse().ok())
        .ok_or("its size is not a number")?;
    if !(of_body && equal) {
        return Err("only the exact size of the body can be checked");
    }
    request.size = Some(bytes);
    Ok(())
}

/// Whether an extractor searches the body, by its `useHeaders`.
fn of_the_body(use_headers: &str) -> Result<(), &'static str> {
    match use_headers {
        "" | "false" => Ok(()),
        _ => Err("only the body can be searched; capture a header by its name"),
    }
}

fn regex_extractor(
    request: &mut Request,
    element: &PlanElement,
    variables: &mut PlanVariables,
) -> Result<(), &'static str> {
    let get = |key: &str| element.property(key).unwrap_or_default();
    of_the_body(get("RegexExtractor.useHeaders"))?;
    if !matches!(get("RegexExtractor.template"), "$1$" | "") {
        return Err("only the first group can be captured");
    }
    first_match(get("RegexExtractor.match_number"))?;
    let pattern = usable(&variables.plain(get("RegexExtractor.regex")))?;
    keep(
        request,
        variables,
        get("RegexExtractor.refname"),
        "regex",
        pattern,
    )
}

fn boundaries(
    request: &mut Request,
    element: &PlanElement,
    variables: &mut PlanVariables,
) -> Result<(), &'static str> {
    let get = |key: &str| element.property(key).unwrap_or_default();
    of_the_body(get("BoundaryExtractor.useHeaders"))?;
    first_match(get("BoundaryExtractor.match_number"))?;
    let escaped = |key: &str| regex::escape(&variables.plain(get(key)));
    let (left, right) = (
        escaped("BoundaryExtractor.lboundary"),
        escaped("BoundaryExtractor.rboundary"),
    );
    let pattern = usable(&format!("(?s){left}(.*?){right}"))?;
    keep(
        request,
        variables,
        get("BoundaryExtractor.refname"),
        "regex",
        pattern,
    )
}

fn json_extractor(
    request: &mut Request,
    element: &PlanElement,
    variables: &mut PlanVariables,
) -> Result<(), &'static str> {
    let get = |key: &str| element.property(key).unwrap_or_default();
    first_match(get("JSONPostProcessor.match_numbers"))?;
    let names: Vec<&str> = get("JSONPostProcessor.referenceNames").split(';').collect();
    let paths: Vec<&str> = get("JSONPostProcessor.jsonPathExprs").split(';').collect();
    if names.len() != paths.len() {
        return Err("it has a different number of names and paths");
    }
    for (name, path) in names.into_iter().zip(paths) {
        let pointer = pointer(path.trim())
            .ok_or("only plain paths such as $.a.b[0] can be converted to JSON Pointers")?;
        keep(request, variables, name.trim(), "json", pointer)?;
    }
    Ok(())
}

/// `$.a['b'][0]` as the JSON Pointer `/a/b/0`.
fn pointer(path: &str) -> Option<String> {
    let mut rest = path.strip_prefix('$')?;
    let mut out = String::new();
    while !rest.is_empty() {
        let part;
        if let Some(tail) = rest.strip_prefix('[') {
            let (inner, after) = tail.split_once(']')?;
            let quoted = inner.strip_prefix('\'').and_then(|i| i.strip_suffix('\''));
            part = match quoted {
                Some(key) => key,
                None => inner.parse::<usize>().ok().map(|_| inner)?,
            };
            rest = after;
        } else {
            let tail = rest.strip_prefix('.')?;
            let end = tail.find(['.', '[']).unwrap_or(tail.len());
            part = &tail[..end];
            rest = &tail[end..];
            if part.is_empty() || part.contains(['*', '?', '(', '@']) {
                return None;
            }
        }
        out.push('/');
        out += &part.replace('~', "~0").replace('/', "~1");
    }
    (!out.is_empty()).then_some(out)
}

fn first_match(number: &str) -> Result<(), &'static str> {
    match number {
        "" | "0" | "1" => Ok(()),
        _ => Err("only the first match can be captured"),
    }
}

fn keep(
    request: &mut Request,
    variables: &mut PlanVariables,
    variable: &str,
    kind: &'static str,
    from: String,
) -> Result<(), &'static str> {
    if variable.is_empty() {
        return Err("it has no variable name");
    }
    variables.pending.push(variable.to_owned());
    request.captures.retain(|c| c.0 != name(variable));
    request.captures.push((name(variable), kind, from));
    Ok(())
}

/// Flags of `Assertion.test_type`.
const MATCHES: u32 = 1;
const CONTAINS: u32 = 2;
const NOT: u32 = 4;
const EQUALS: u32 = 8;
const SUBSTRING: u32 = 16;
const OR: u32 = 32;
