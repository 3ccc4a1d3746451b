//! The elements of a plan as a tree. In the file an element's children are in
//! the `hashTree` that follows it.

use crate::import::ImportError;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::BTreeMap;

/// One element of the plan.
#[derive(Debug, Default)]
pub(super) struct PlanElement {
    /// Its tag: ThreadGroup, HTTPSamplerProxy, ….
    pub kind: String,
    /// The name that its author gave it.
    pub name: String,
    pub enabled: bool,
    /// Plain properties, those of nested parts too.
    pub properties: BTreeMap<String, String>,
    /// Lists of plain values, by the collection's name.
    pub lists: BTreeMap<String, Vec<String>>,
    /// Members of collections: headers, arguments, cookies.
    pub records: Vec<BTreeMap<String, String>>,
    pub children: Vec<PlanElement>,
}

impl PlanElement {
    pub fn property(&self, name: &str) -> Option<&str> {
        self.properties.get(name).map(|v| v.trim())
    }

    /// The element as notes name it.
    pub fn title(&self) -> String {
        format!("{} `{}`", self.kind, self.name)
    }
}

/// Reads the elements that are at the top, and everything below them.
pub(super) fn read(text: &str) -> Result<Vec<PlanElement>, ImportError> {
    let wrong = |e: &dyn std::fmt::Display| ImportError::Jmx(e.to_string());
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut reading = TreeReader::default();
    loop {
        match reader.read_event().map_err(|e| wrong(&e))? {
            Event::Start(start) => {
                if reading.path.len() > DEEPEST {
                    return Err(wrong(&"it nests too deeply"));
                }
                reading.begin(&start);
            }
            Event::Text(text) => reading.value += &text.decode().map_err(|e| wrong(&e))?,
            Event::GeneralRef(reference) => {
                let name = reference.decode().map_err(|e| wrong(&e))?;
                match reference.resolve_char_ref() {
                    Ok(Some(c)) => reading.value.push(c),
                    _ => {
                        let known = quick_xml::escape::resolve_predefined_entity(&name);
                        reading.value += known.unwrap_or("");
                    }
                }
            }
            Event::CData(data) => reading.value += &String::from_utf8_lossy(&data),
            Event::End(_) => reading.end(),
            Event::Eof if reading.seen_plan => return Ok(reading.top),
            Event::Eof => return Err(wrong(&"it has no jmeterTestPlan")),
            _ => {}
        }
    }
}

#[derive(Default)]
struct TreeReader {
    /// Tags and `name` attributes from the outermost on.
    path: Vec<(String, String)>,
    /// The elements of each open `hashTree`.
    levels: Vec<Vec<PlanElement>>,
    /// The element whose properties are being read, and its depth in the path.
    current: Option<(usize, PlanElement)>,
    value: String,
    /// The name of a property that has it in its own tag.
    property_name: String,
    top: Vec<PlanElement>,
    seen_plan: bool,
}

impl TreeReader {
    fn begin(&mut self, start: &BytesStart<'_>) {
        let tag = String::from_utf8_lossy(start.name().as_ref()).into_owned();
        let parent = self.path.last().map_or("", |p| p.0.as_str());
        self.seen_plan |= tag == "jmeterTestPlan";
        self.value.clear();
        match &mut self.current {
            Some((_, element)) if tag == "elementProp" && parent == "collectionProp" => {
                let name = (MEMBER.to_owned(), attribute(start, "name"));
                element.records.push(BTreeMap::from([name]));
            }
            Some(_) => {}
            None if tag == "hashTree" => self.levels.push(Vec::new()),
            None if parent == "hashTree" => {
                let name = attribute(start, "testname");
                let element = PlanElement {
                    name: if name.is_empty() { tag.clone() } else { name },
                    kind: tag.clone(),
                    enabled: attribute(start, "enabled") != "false",
                    ..PlanElement::default()
                };
                self.current = Some((self.path.len(), element));
            }
            None => {}
        }
        self.path.push((tag, attribute(start, "name")));
    }

    fn end(&mut self) {
        let Some((tag, name)) = self.path.pop() else {
            return;
        };
        let value = std::mem::take(&mut self.value);
        match &mut self.current {
            Some((depth, _)) if *depth == self.path.len() => {
                if let (Some((_, element)), Some(level)) =
                    (self.current.take(), self.levels.last_mut())
                {
                    level.push(element);
                }
            }
            Some((_, element)) => {
                let parent = self.path.last();
                let within = |tag: &str| parent.is_some_and(|p| p.0 == tag);
                match tag.as_str() {
                    "name" if within("doubleProp") => self.property_name = value,
                    "value" if within("doubleProp") => {
                        let name = std::mem::take(&mut self.property_name);
                        element.properties.insert(name, value);
                    }
                    "stringProp" | "intProp" | "boolProp" | "longProp" | "floatProp" => {
                        let of_list = parent.filter(|p| p.0 == "collectionProp");
                        let nested = |p: &[(String, String)]| {
                            p[0].0 == "collectionProp" && p[1].0 == "elementProp"
                        };
                        if let Some((_, list)) = of_list {
                            element.lists.entry(list.clone()).or_default().push(value);
                        } else if self.path.windows(2).any(nested)
                            && let Some(record) = element.records.last_mut()
                        {
                            record.insert(name, value);
                        } else {
                            element.properties.insert(name, value);
                        }
                    }
                    _ => {}
                }
            }
            None if tag == "hashTree" => {
                let done = self.levels.pop().unwrap_or_default();
                match self.levels.last_mut().and_then(|level| level.last_mut()) {
                    Some(owner) => owner.children.extend(done),
                    None => self.top.extend(done),
                }
            }
            None => {}
        }
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

/// Under this a member of a collection has its own name.
pub(super) const MEMBER: &str = "name of the member";
/// No plan nests like this; a file that does is out to harm.
const DEEPEST: usize = 200;
