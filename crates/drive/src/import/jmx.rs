//! Simple JMeter plans: thread groups, HTTP samplers, header managers,
//! constant timers and request defaults. Everything else is named in a note.
//!
//! Reference: JMeter's component reference; the saved form is XML whose
//! properties are `stringProp`, `intProp`, `boolProp` elements.

use super::write::{Group, Request, belongs_to_driver, scenario};
use super::{ImportError, Imported};
use crate::url::Url;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::BTreeMap;

/// One element of the plan with the properties directly of it.
#[derive(Debug, Default)]
struct Element {
    kind: String,
    name: String,
    enabled: bool,
    /// Depth in the tree of `hashTree`s, which is what nests elements.
    depth: usize,
    properties: BTreeMap<String, String>,
    /// Name and value pairs of nested elements: headers and arguments.
    pairs: Vec<(String, String)>,
}

/// Imports a JMeter plan.
pub fn jmx(text: &str) -> Result<Imported, ImportError> {
    let elements = read(text)?;
    let mut notes = Vec::new();
    let mut groups: Vec<(usize, Group)> = Vec::new();
    let mut defaults = BTreeMap::new();
    let mut headers: Vec<(usize, (String, String))> = Vec::new();
    let mut duration_s = None;
    let mut title = "imported from a JMeter plan".to_owned();
    for element in elements.iter().filter(|e| e.enabled) {
        headers.retain(|h| h.0 <= element.depth);
        match element.kind.as_str() {
            "TestPlan" => title.clone_from(&element.name),
            "ThreadGroup" => {
                let group = group(element, &mut duration_s);
                groups.push((element.depth, group));
            }
            "ConfigTestElement" => defaults.extend(element.properties.clone()),
            "HeaderManager" => {
                let usable = element.pairs.iter().filter(|p| !belongs_to_driver(&p.0));
                let before = groups.last().filter(|g| element.depth > g.0 + 1);
                let sampler = before.is_some();
                for pair in usable.cloned() {
                    match groups
                        .last_mut()
                        .and_then(|g| g.1.requests.last_mut())
                        .filter(|_| sampler)
                    {
                        Some(request) => request.headers.push(pair),
                        None => headers.push((element.depth, pair)),
                    }
                }
            }
            "ConstantTimer" => {
                let delay = element.number("ConstantTimer.delay");
                let last = groups.last_mut().and_then(|g| g.1.requests.last_mut());
                if let (Some(delay), Some(request)) = (delay, last) {
                    request.think_ms = Some(delay);
                }
            }
            "HTTPSamplerProxy" | "HTTPSampler" => match request(element, &defaults) {
                Ok(mut request) => {
                    request.headers.extend(headers.iter().map(|h| h.1.clone()));
                    match groups.last_mut() {
                        Some((_, group)) => group.requests.push(request),
                        None => notes.push(format!("`{}` is in no thread group", element.name)),
                    }
                }
                Err(why) => notes.push(format!("`{}`: {why}", element.name)),
            },
            kind => notes.push(format!(
                "{kind} `{}` has no counterpart and was left out",
                element.name
            )),
        }
    }
    if text.contains("${") {
        notes.push("JMeter variables `${…}` were kept as text; make them loops or feeders".into());
    }
    let groups: Vec<Group> = groups
        .into_iter()
        .map(|g| g.1)
        .filter(|g| !g.requests.is_empty())
        .collect();
    match groups.is_empty() {
        true => Err(ImportError::Empty),
        false => Ok(Imported {
            scenario: scenario(&title, duration_s, &groups),
            notes,
        }),
    }
}

fn group(element: &Element, duration_s: &mut Option<u64>) -> Group {
    let scheduled = element.property("ThreadGroup.scheduler") == Some("true");
    if let Some(seconds) = element.number("ThreadGroup.duration").filter(|_| scheduled) {
        *duration_s = Some(seconds);
    }
    Group {
        name: element.name.clone(),
        clients: element.number("ThreadGroup.num_threads").unwrap_or(1),
        ramp_s: element
            .number("ThreadGroup.ramp_time")
            .filter(|s| *s > 1)
            .unwrap_or(0),
        // Minus one, which is no number here, stands for ever.
        iterations: element
            .number("LoopController.loops")
            .filter(|_| !scheduled),
        requests: Vec::new(),
    }
}

fn request(element: &Element, defaults: &BTreeMap<String, String>) -> Result<Request, String> {
    let get = |name: &str| {
        let own = element.property(name).filter(|v| !v.is_empty());
        own.or(defaults.get(name).map(String::as_str))
            .unwrap_or_default()
    };
    let path = get("HTTPSampler.path");
    let scheme = match get("HTTPSampler.protocol") {
        "" => "http",
        scheme => scheme,
    };
    let port = match get("HTTPSampler.port") {
        "" => String::new(),
        port => format!(":{port}"),
    };
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut url = match path.contains("://") {
        true => path.to_owned(),
        false => format!(
            "{scheme}://{}{port}{slash}{path}",
            get("HTTPSampler.domain")
        ),
    };
    let method = match get("HTTPSampler.method") {
        "" => "GET",
        method => method,
    };
    let raw = element.property("HTTPSampler.postBodyRaw") == Some("true");
    let joined = || -> String {
        let pairs: Vec<String> = element
            .pairs
            .iter()
            .map(|(n, v)| format!("{n}={v}"))
            .collect();
        pairs.join("&")
    };
    let mut headers = Vec::new();
    let body = if raw {
        element.pairs.first().map(|p| p.1.clone())
    } else if element.pairs.is_empty() {
        None
    } else if matches!(method, "GET" | "HEAD" | "DELETE") {
        let mark = if url.contains('?') { '&' } else { '?' };
        url = format!("{url}{mark}{}", joined());
        None
    } else {
        headers.push((
            "Content-Type".into(),
            "application/x-www-form-urlencoded".into(),
        ));
        Some(joined())
    };
    Url::parse(&url).map_err(|why| format!("{url}: {why}"))?;
    Ok(Request {
        name: element.name.clone(),
        method: method.to_owned(),
        url,
        headers,
        body,
        ..Request::default()
    })
}

impl Element {
    fn property(&self, name: &str) -> Option<&str> {
        self.properties.get(name).map(String::as_str)
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.property(name)?.trim().parse().ok()
    }
}

/// Reads the elements of a plan in the order of the file.
fn read(text: &str) -> Result<Vec<Element>, ImportError> {
    let wrong = |e: &dyn std::fmt::Display| ImportError::Jmx(e.to_string());
    let mut reader = Reader::from_str(text);
    let mut elements: Vec<Element> = Vec::new();
    let mut path: Vec<String> = Vec::new();
    let mut property = String::new();
    let mut pair = (String::new(), String::new());
    let mut value = String::new();
    let mut seen_plan = false;
    loop {
        match reader.read_event().map_err(|e| wrong(&e))? {
            Event::Start(start) => {
                if path.len() > DEEPEST {
                    return Err(wrong(&"it nests too deeply"));
                }
                let tag = String::from_utf8_lossy(start.name().as_ref()).into_owned();
                seen_plan |= tag == "jmeterTestPlan";
                let parent = path.last().map_or("", String::as_str);
                if matches!(parent, "hashTree" | "jmeterTestPlan") && tag != "hashTree" {
                    let depth = path.iter().filter(|t| *t == "hashTree").count();
                    elements.push(element(&tag, &start, depth));
                }
                if tag.ends_with("Prop") {
                    property = attribute(&start, "name");
                }
                value.clear();
                path.push(tag);
            }
            Event::Text(text) => {
                value += &text.decode().map_err(|e| wrong(&e))?;
            }
            Event::GeneralRef(reference) => {
                let name = reference.decode().map_err(|e| wrong(&e))?;
                match reference.resolve_char_ref() {
                    Ok(Some(c)) => value.push(c),
                    _ => value += quick_xml::escape::resolve_predefined_entity(&name).unwrap_or(""),
                }
            }
            Event::CData(data) => value += &String::from_utf8_lossy(&data),
            Event::End(_) => {
                let tag = path.pop().unwrap_or_default();
                let Some(element) = elements.last_mut() else {
                    continue;
                };
                match (tag.as_str(), property.as_str()) {
                    ("stringProp", "Header.name" | "Argument.name") => pair.0.clone_from(&value),
                    ("stringProp", "Header.value" | "Argument.value") => pair.1.clone_from(&value),
                    ("elementProp", _) if !(pair.0.is_empty() && pair.1.is_empty()) => {
                        element.pairs.push(std::mem::take(&mut pair));
                    }
                    (tag, _)
                        if tag.ends_with("Prop")
                            && tag != "elementProp"
                            && tag != "collectionProp" =>
                    {
                        element
                            .properties
                            .insert(property.clone(), value.trim().to_owned());
                    }
                    _ => {}
                }
                value.clear();
            }
            Event::Eof if seen_plan => return Ok(elements),
            Event::Eof => return Err(wrong(&"it has no jmeterTestPlan")),
            _ => {}
        }
    }
}

fn element(tag: &str, start: &BytesStart<'_>, depth: usize) -> Element {
    let name = attribute(start, "testname");
    Element {
        kind: tag.to_owned(),
        name: if name.is_empty() {
            tag.to_owned()
        } else {
            name
        },
        enabled: attribute(start, "enabled") != "false",
        depth,
        ..Element::default()
    }
}

fn attribute(start: &BytesStart<'_>, name: &str) -> String {
    let found = start
        .attributes()
        .flatten()
        .find(|a| a.key.as_ref() == name.as_bytes());
    found
        .and_then(|a| a.unescape_value().ok().map(|v| v.into_owned()))
        .unwrap_or_default()
}

/// No plan nests like this; a file that does is out to harm.
const DEEPEST: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::Path;

    const PLAN: &str = r#"<?xml version="1.0"?><jmeterTestPlan version="1.2"><hashTree>
      <TestPlan testname="shop &amp; more" enabled="true"/><hashTree>
      <ThreadGroup testname="buyers" enabled="true">
        <elementProp name="ThreadGroup.main_controller" elementType="LoopController">
          <stringProp name="LoopController.loops">10</stringProp></elementProp>
        <stringProp name="ThreadGroup.num_threads">5</stringProp>
        <stringProp name="ThreadGroup.ramp_time">1</stringProp>
      </ThreadGroup><hashTree>
        <HTTPSamplerProxy testname="find" enabled="true">
          <elementProp name="HTTPsampler.Arguments" elementType="Arguments"><collectionProp name="Arguments.arguments">
            <elementProp name="q" elementType="HTTPArgument"><stringProp name="Argument.value">a</stringProp>
            <stringProp name="Argument.name">q</stringProp></elementProp></collectionProp></elementProp>
          <stringProp name="HTTPSampler.domain">127.0.0.1</stringProp>
          <stringProp name="HTTPSampler.port">8080</stringProp>
          <stringProp name="HTTPSampler.path">/find</stringProp>
          <stringProp name="HTTPSampler.method">GET</stringProp>
        </HTTPSamplerProxy><hashTree>
          <ConstantTimer testname="t"><stringProp name="ConstantTimer.delay">300</stringProp></ConstantTimer><hashTree/>
        </hashTree>
        <BeanShellSampler testname="magic"></BeanShellSampler><hashTree/>
      </hashTree></hashTree></hashTree></jmeterTestPlan>"#;

    #[test]
    fn a_plan_becomes_a_scenario_that_reads() {
        let imported = jmx(PLAN).unwrap();
        assert!(
            imported
                .notes
                .iter()
                .any(|n| n.contains("BeanShellSampler")),
            "{:?}",
            imported.notes
        );
        let text = &imported.scenario;
        for part in [
            "clients = 5",
            "iterations = 50",
            "GET http://127.0.0.1:8080/find?q=a",
            "300ms",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        crate::scenario::read(text, Path::new(".")).unwrap();
        assert!(matches!(jmx("<a/>"), Err(ImportError::Jmx(_))));
    }

    proptest! {
        #[test]
        fn a_damaged_plan_never_panics(cut in 0..PLAN.len(), junk in "[<>/a-z\"= ]{0,20}") {
            if PLAN.is_char_boundary(cut) {
                let _ = jmx(&format!("{}{junk}{}", &PLAN[..cut], &PLAN[cut..]));
                let _ = jmx(&PLAN[..cut]);
            }
        }
    }
}
