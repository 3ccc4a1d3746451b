//! Simple JMeter plans: thread groups with HTTP requests, and the elements that
//! configure, pace, check and feed them ([`elements`] has the list). An element
//! applies to its whole branch of the plan, at any position. Elements without a
//! counterpart are named in a note.
//!
//! Reference: JMeter's component reference and its chapter on scoping rules;
//! the saved form is XML whose properties are `stringProp`, `intProp`, `boolProp`
//! elements.

mod checks;
mod elements;
mod groups;
mod requests;
mod tree;
mod variables;

use super::write::{ImportedFeeder, ImportedGroup, ImportedLoad, ImportedPlan, Request, scenario};
use super::{ImportError, ImportedScenario};
use elements::ElementRole;
use groups::PlannedGroup;
use requests::ElementScope;
use tree::PlanElement;
use variables::PlanVariables;

/// Imports a JMeter plan.
pub fn jmx(text: &str) -> Result<ImportedScenario, ImportError> {
    let top = tree::read(text)?;
    let mut import = PlanImport::default();
    import.found.title = "imported from a JMeter plan".into();
    import.collect_data(&top);
    import.walk(&top, &ElementScope::default());
    let (requests, active) = count_samplers(&top);
    if requests > active {
        import.notes.push(format!(
            "{} of {requests} HTTP requests were left out: they are disabled in the plan",
            requests - active
        ));
    }
    import.finish(requests)
}

/// The number of HTTP requests, and how many of them are enabled.
fn count_samplers(elements: &[PlanElement]) -> (usize, usize) {
    let counts = elements.iter().map(|element| {
        let own = usize::from(matches!(elements::role(element), ElementRole::Sampler));
        let (inner, active) = count_samplers(&element.children);
        let all = own + inner;
        (all, if element.enabled { own + active } else { 0 })
    });
    counts.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1))
}

/// The state of the walk through a plan.
#[derive(Default)]
struct PlanImport {
    found: ImportedPlan,
    notes: Vec<String>,
    variables: PlanVariables,
    planned: Vec<PlannedGroup>,
}

impl PlanImport {
    fn note(&mut self, text: String) {
        if !self.notes.contains(&text) {
            self.notes.push(text);
        }
    }

    /// Collects user-defined variables, data sets and counters, which apply to
    /// the whole plan.
    fn collect_data(&mut self, elements: &[PlanElement]) {
        for element in elements.iter().filter(|e| e.enabled) {
            match element.kind.as_str() {
                "Arguments" | "TestPlan" => {
                    for record in &element.records {
                        let get = |key: &str| record.get(key).cloned().unwrap_or_default();
                        let (name, value) = (get("Argument.name"), get("Argument.value"));
                        if !name.is_empty() {
                            self.variables.constants.insert(name, value);
                        }
                    }
                }
                "CSVDataSet" | "CounterConfig" | "RandomVariableConfig" => {
                    groups::feeder(
                        element,
                        &mut self.variables,
                        &mut self.found.feeders,
                        &mut self.notes,
                    );
                }
                _ => {}
            }
            self.collect_data(&element.children);
        }
    }

    /// Walks through the elements of one branch.
    fn walk(&mut self, elements: &[PlanElement], outer: &ElementScope<'_>) {
        let scope = outer.with(elements);
        for element in elements.iter().filter(|e| e.enabled) {
            let title = element.title();
            match elements::role(element) {
                ElementRole::Plan => {
                    self.found.title.clone_from(&element.name);
                    if element.property("TestPlan.serialize_threadgroups") == Some("true") {
                        self.note(format!(
                            "{title}: its thread groups run in sequence in JMeter, but at the same time here"
                        ));
                    }
                    self.walk(&element.children, &scope);
                }
                ElementRole::Group(note) => {
                    if let Some(note) = note {
                        self.note(format!("{title}: {note}"));
                    }
                    self.variables.captured.clear();
                    let planned = PlannedGroup::of(element, &self.variables);
                    self.planned.push(planned);
                    self.walk(&element.children, &scope);
                }
                ElementRole::Sampler => self.sampler(element, &scope),
                ElementRole::Pause => self.pause(element),
                ElementRole::Branch(note) => {
                    if let Some(note) = note {
                        self.note(format!("{title}: {note}"));
                    }
                    let before = self.here();
                    self.walk(&element.children, &scope);
                    self.repeat(element, before);
                }
                // Handled where the scope of a request is built.
                ElementRole::Scoped => {}
                ElementRole::Noted(note) => self.note(format!("{title}: {note}")),
                ElementRole::Foreign => {
                    let (_, samplers) = count_samplers(&element.children);
                    let inner = match element.children.iter().filter(|c| c.enabled).count() {
                        0 => String::new(),
                        _ if samplers == 0 => ", with all its children".into(),
                        _ if samplers == 1 => {
                            ", with all its children, including an HTTP request".into()
                        }
                        _ => format!(", with all its children, including {samplers} HTTP requests"),
                    };
                    self.note(format!(
                        "{title} has no counterpart and was left out{inner}"
                    ));
                }
            }
        }
    }

    fn sampler(&mut self, element: &PlanElement, outer: &ElementScope<'_>) {
        let scope = outer.with(&element.children);
        for child in element.children.iter().filter(|c| c.enabled) {
            let title = child.title();
            match elements::role(child) {
                ElementRole::Scoped => {}
                ElementRole::Noted(note) => self.note(format!("{title}: {note}")),
                _ => self.note(format!("{title} has no counterpart and was left out")),
            }
        }
        let Some(planned) = self.planned.last_mut() else {
            return self.note(format!("{} is not in a thread group", element.title()));
        };
        let mut notes = Vec::new();
        match requests::request(element, &scope, &mut self.variables, &mut notes) {
            Ok(request) => {
                planned.heed(element, &self.variables);
                planned.add(request, &scope, &self.variables, &mut notes);
            }
            Err(why) => notes.push(format!("{}: {why}", element.title())),
        }
        let captured = std::mem::take(&mut self.variables.pending);
        self.variables.captured.extend(captured);
        notes.into_iter().for_each(|note| self.note(note));
    }

    /// A flow control action that pauses.
    fn pause(&mut self, element: &PlanElement) {
        let duration = self
            .variables
            .plain(element.property("ActionProcessor.duration").unwrap_or("0"));
        let pauses = element.property("ActionProcessor.action") == Some("1");
        match (duration.parse::<f64>(), self.planned.last_mut()) {
            (Ok(ms), Some(planned)) if pauses => planned.pause(ms),
            _ => self.note(format!(
                "{} has no counterpart and was left out",
                element.title()
            )),
        }
    }

    /// The number of requests in the current group.
    fn here(&self) -> usize {
        self.planned.last().map_or(0, |p| p.group.requests.len())
    }

    /// Repeats a loop controller's requests as often as it says.
    fn repeat(&mut self, element: &PlanElement, before: usize) {
        if element.kind != "LoopController" {
            return;
        }
        let loops = element.property("LoopController.loops").unwrap_or("1");
        let loops = self.variables.plain(loops).parse::<usize>();
        let title = element.title();
        let Some(planned) = self.planned.last_mut() else {
            return;
        };
        let length = planned.group.requests.len() - before;
        match loops {
            Ok(n @ 1..) if n * length <= MOST_REPEATED => planned.repeat(before, n),
            _ => self.note(format!(
                "{title}: its count was left out; its requests are sent once in every iteration"
            )),
        }
    }

    /// Removes feeders that no template uses: a scenario rejects them.
    fn drop_unused_data(&mut self) {
        let groups = self.found.groups.iter();
        let requests: Vec<&Request> = groups.flat_map(|g| &g.requests).collect();
        let drawn = |name: &str| {
            let hole = format!("{{{{{name}.");
            requests.iter().any(|r| {
                let texts = r.headers.iter().map(|h| &h.1).chain(&r.body);
                let mut texts = texts.chain([&r.url]);
                texts.any(|text| text.contains(&hole))
            })
        };
        let all = std::mem::take(&mut self.found.feeders);
        let (kept, unused): (Vec<ImportedFeeder>, Vec<ImportedFeeder>) =
            all.into_iter().partition(|f| drawn(&f.name));
        self.found.feeders = kept;
        for feeder in unused {
            self.note(format!(
                "the data of `{}` were left out: no request uses them",
                feeder.name
            ));
        }
    }

    fn finish(mut self, requests: usize) -> Result<ImportedScenario, ImportError> {
        let mut groups: Vec<PlannedGroup> = std::mem::take(&mut self.planned);
        groups.retain(|g| !g.group.requests.is_empty());
        if groups.is_empty() {
            return Err(match requests {
                0 => ImportError::Empty,
                requests => ImportError::NoneTaken {
                    requests,
                    notes: self.notes,
                },
            });
        }
        groups::settle(groups, &mut self.found, &mut self.notes);
        if !self.variables.unknown.is_empty() {
            let unknown = self.variables.unknown.iter();
            let unknown: Vec<String> = unknown.map(|name| format!("${{{name}}}")).collect();
            let unknown = unknown.join(", ");
            self.note(format!(
                "{unknown} were kept as text: they have no value here"
            ));
        }
        self.drop_unused_data();
        Ok(ImportedScenario {
            scenario: scenario(&self.found),
            notes: self.notes,
        })
    }
}

/// A loop with more requests is not unrolled.
const MOST_REPEATED: usize = 200;

#[cfg(test)]
mod tests;
