//! Thread groups, their timers and their data.

use super::requests::ElementScope;
use super::tree::PlanElement;
use super::variables::{PlanVariables, name};
use super::{ImportedFeeder, ImportedGroup, ImportedLoad, ImportedPlan, Request};
use crate::import::write::quoted;
use std::collections::BTreeSet;

/// A thread group while its requests are collected.
pub(super) struct PlannedGroup {
    pub group: ImportedGroup,
    title: String,
    threads: u64,
    ramp_s: u64,
    delay_s: u64,
    duration_s: Option<u64>,
    /// `None` for no limit.
    loops: Option<u64>,
    /// Pauses before each request, ms; JMeter's timers run before the request.
    pauses: Vec<f64>,
    /// The pause of a flow control action, for the next request.
    pending_ms: f64,
    /// Requests/s of a throughput timer, and whether they are random.
    throughput: Option<(f64, bool)>,
    timeout_ms: Option<u64>,
    closing: usize,
    problems: Vec<String>,
}

impl PlannedGroup {
    /// A thread group without requests yet.
    pub fn of(element: &PlanElement, variables: &PlanVariables) -> PlannedGroup {
        let mut problems = Vec::new();
        let mut number = |key: &str, usual: Option<u64>| -> Option<u64> {
            let text = variables.plain(element.property(key).unwrap_or_default());
            // -1 means no limit.
            if text.is_empty() || text == "-1" {
                return if text.is_empty() { usual } else { None };
            }
            let number = text.parse::<f64>().ok().filter(|n| (0.0..1e9).contains(n));
            if number.is_none() {
                problems.push(format!("{key} is `{text}`, which is not a number"));
            }
            number.map(|n| n.ceil() as u64).or(usual)
        };
        let mut threads = number("ThreadGroup.num_threads", Some(1)).unwrap_or(1);
        let mut ramp_s = number("ThreadGroup.ramp_time", Some(0)).unwrap_or(0);
        let scheduled = element.property("ThreadGroup.scheduler") == Some("true");
        let mut when = |key| number(key, None).filter(|_| scheduled);
        let (mut duration_s, delay_s) = (when("ThreadGroup.duration"), when("ThreadGroup.delay"));
        // A plug-in's group loops until its time is over.
        let usual_loops = Some(1).filter(|_| element.kind == "ThreadGroup");
        let loops = number("LoopController.loops", usual_loops);
        if element.kind.ends_with(".ConcurrencyThreadGroup") {
            let unit_s = match element.property("Unit") {
                Some("S") => 1,
                _ => 60,
            };
            threads = number("TargetLevel", Some(threads)).unwrap_or(threads);
            ramp_s = number("RampUp", Some(0)).unwrap_or(0) * unit_s;
            let hold_s = number("Hold", Some(0)).unwrap_or(0) * unit_s;
            duration_s = Some(ramp_s + hold_s);
        }
        let forever = element.property("LoopController.continue_forever") == Some("true");
        if element
            .property("ThreadGroup.on_sample_error")
            .is_some_and(|e| e.starts_with("stop"))
        {
            problems.push(
                "JMeter stops it at an error; here the iteration ends and the client goes on"
                    .into(),
            );
        }
        PlannedGroup {
            group: ImportedGroup {
                name: element.name.clone(),
                ..ImportedGroup::default()
            },
            title: element.title(),
            threads,
            ramp_s,
            delay_s: delay_s.unwrap_or(0),
            duration_s: duration_s.filter(|s| *s > 0),
            loops: loops.filter(|_| !forever),
            pauses: Vec::new(),
            pending_ms: 0.0,
            throughput: None,
            timeout_ms: None,
            closing: 0,
            problems,
        }
    }

    /// Adds a request with the pauses in its scope.
    pub fn add(
        &mut self,
        request: Request,
        scope: &ElementScope<'_>,
        variables: &PlanVariables,
        notes: &mut Vec<String>,
    ) {
        let mut pause = std::mem::take(&mut self.pending_ms);
        for timer in &scope.elements {
            let number =
                |key: &str| -> Option<f64> { variables.plain(timer.property(key)?).parse().ok() };
            let spread = |notes: &mut Vec<String>| {
                notes.push(format!(
                    "{}: its mean was imported, but not its spread (`think` may be exponential or recorded)",
                    timer.title()
                ));
            };
            match timer.kind.as_str() {
                "ConstantTimer" => match number("ConstantTimer.delay") {
                    Some(ms) => pause += ms,
                    None => notes.push(format!("{}: its delay is not a number", timer.title())),
                },
                "UniformRandomTimer" => {
                    // Uniform from the offset on.
                    let range = number("RandomTimer.range").unwrap_or(0.0);
                    pause += number("ConstantTimer.delay").unwrap_or(0.0) + range / 2.0;
                    spread(notes);
                }
                "GaussianRandomTimer" => {
                    pause += number("ConstantTimer.delay").unwrap_or(0.0);
                    spread(notes);
                }
                "PoissonRandomTimer" => {
                    let mean = number("RandomTimer.range").unwrap_or(0.0);
                    pause += number("ConstantTimer.delay").unwrap_or(0.0) + mean;
                    spread(notes);
                }
                "ConstantThroughputTimer" => match number("throughput").filter(|n| *n > 0.0) {
                    Some(per_minute) => {
                        let each = matches!(timer.property("calcMode"), None | Some("0"));
                        let threads = if each { self.threads as f64 } else { 1.0 };
                        self.throughput = Some((per_minute / 60.0 * threads, false));
                    }
                    None => notes.push(format!("{}: its rate is not a number", timer.title())),
                },
                "PreciseThroughputTimer" => {
                    let period = number("throughputPeriod")
                        .filter(|s| *s > 0.0)
                        .unwrap_or(3600.0);
                    match number("throughput").filter(|n| *n > 0.0) {
                        Some(n) => self.throughput = Some((n / period, true)),
                        None => notes.push(format!("{}: its rate is not a number", timer.title())),
                    }
                }
                "ConfigTestElement" => self.wait(timer, variables),
                _ => {}
            }
        }
        self.pauses.push(pause.max(0.0));
        self.group.requests.push(request);
    }

    /// Applies the connection settings of a request.
    pub fn heed(&mut self, element: &PlanElement, variables: &PlanVariables) {
        self.wait(element, variables);
        self.closing += usize::from(element.property("HTTPSampler.use_keepalive") == Some("false"));
    }

    /// Applies the timeout of a request or its defaults.
    fn wait(&mut self, element: &PlanElement, variables: &PlanVariables) {
        let text = element
            .property("HTTPSampler.response_timeout")
            .unwrap_or("");
        if let Ok(ms) = variables.plain(text).parse::<u64>() {
            self.timeout_ms = self.timeout_ms.max(Some(ms).filter(|ms| *ms > 0));
        }
    }

    /// Adds a pause before the next request.
    pub fn pause(&mut self, ms: f64) {
        self.pending_ms += ms.max(0.0);
    }

    /// Repeats the requests from `before` on, for a total of `times`.
    pub fn repeat(&mut self, before: usize, times: usize) {
        let requests: Vec<Request> = self.group.requests[before..].to_vec();
        let pauses = self.pauses[before..].to_vec();
        for _ in 1..times {
            self.group.requests.extend(requests.iter().cloned());
            self.pauses.extend(&pauses);
        }
    }

    /// Converts pauses before requests to pauses after the previous ones.
    fn settle_pauses(&mut self) {
        let n = self.pauses.len();
        self.pauses[0] += self.pending_ms;
        let ms = |i: usize| self.pauses[(i + 1) % n].round() as u64;
        let after: Vec<u64> = (0..n).map(ms).collect();
        if after.iter().all(|ms| *ms == after[0]) {
            self.group.think_ms = Some(after[0]);
        } else {
            for (request, ms) in self.group.requests.iter_mut().zip(after) {
                request.think_ms = Some(ms);
            }
        }
    }

    /// The length of the group with its delay. Returns `None` if its loops end
    /// it.
    fn length_s(&self) -> Option<u64> {
        match (self.duration_s, self.loops) {
            (Some(s), _) => Some(self.delay_s + s),
            (None, Some(_)) if self.throughput.is_none() => None,
            (None, Some(loops)) => {
                let rate = self.rate().max(1e-6);
                Some(((loops * self.threads) as f64 / rate).ceil().max(1.0) as u64)
            }
            (None, None) => Some(USUAL_S),
        }
    }

    /// Iterations/s.
    fn rate(&self) -> f64 {
        let requests = self.group.requests.len().max(1) as f64;
        let rate = self.throughput.map_or(0.0, |t| t.0 / requests);
        (rate * 1e6).round() / 1e6
    }

    fn settle(mut self, length_s: Option<u64>, notes: &mut Vec<String>) -> ImportedGroup {
        let title = &self.title;
        for problem in &self.problems {
            notes.push(format!("{title}: {problem}"));
        }
        if self.closing > 0 {
            self.group.new_connections = self.closing == self.group.requests.len();
            if !self.group.new_connections {
                notes.push(format!("{title}: some requests close their connection in JMeter; here all are kept (`keep_alive` applies to the whole population)"));
            }
        }
        let clients = self.threads.max(1);
        if let Some((_, poisson)) = self.throughput {
            notes.push(format!(
                "{title}: its throughput timer became `rate`, an open loop; its threads became the bound `outstanding`"
            ));
            self.group.load = ImportedLoad::Open {
                rate: self.rate(),
                poisson,
                outstanding: clients,
            };
            return self.group;
        }
        let mut pieces = Vec::new();
        if self.delay_s > 0 {
            pieces.push((0, 0, self.delay_s));
        }
        if self.ramp_s > 0 {
            pieces.push((0, clients, self.ramp_s));
        }
        let iterations = self.loops.filter(|_| self.duration_s.is_none());
        match (self.length_s(), length_s) {
            (Some(own), Some(whole)) => {
                let begun = self.delay_s + self.ramp_s;
                let ends = own < whole;
                if (ends || !pieces.is_empty()) && own > begun {
                    pieces.push((clients, clients, own - begun));
                }
                if ends {
                    pieces.push((0, 0, whole - own));
                }
            }
            (None, _) if clients > 1 => notes.push(format!(
                "{title}: its `iterations` count all clients together ({clients} clients with {} each)",
                self.loops.unwrap_or(1)
            )),
            _ => {}
        }
        if self.duration_s.is_none() && self.loops.is_none() {
            notes.push(format!(
                "{title} has no end in JMeter; `duration` was set to {USUAL_S} s"
            ));
        }
        self.group.load = ImportedLoad::Closed {
            clients,
            pieces,
            iterations: iterations.map(|n| n * clients),
        };
        self.group
    }
}

/// Converts groups to populations with unique names and a common length.
pub(super) fn settle(groups: Vec<PlannedGroup>, found: &mut ImportedPlan, notes: &mut Vec<String>) {
    let length_s = groups.iter().filter_map(PlannedGroup::length_s).max();
    found.duration_s = length_s;
    found.timeout_ms = groups.iter().filter_map(|g| g.timeout_ms).max();
    let mut names = BTreeSet::new();
    for mut planned in groups {
        planned.settle_pauses();
        let mut group = planned.settle(length_s, notes);
        let mut number = 1;
        let given = group.name.clone();
        while !names.insert(group.name.clone()) {
            number += 1;
            group.name = format!("{given} {number}");
        }
        found.groups.push(group);
    }
}

/// The feeder of a data set, a counter or a random variable.
pub(super) fn feeder(
    element: &PlanElement,
    variables: &mut PlanVariables,
    feeders: &mut Vec<ImportedFeeder>,
    notes: &mut Vec<String>,
) {
    let title = element.title();
    let get = |key: &str| element.property(key).unwrap_or_default();
    let number = |key: &str| variables.plain(get(key)).parse::<i64>().ok();
    // JMeter allows two data sets with the same name.
    let taken: BTreeSet<String> = feeders.iter().map(|f| f.name.clone()).collect();
    let free = |name: &str| -> String {
        let numbered = (2..).map(|n| format!("{name}_{n}"));
        let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
        candidates.find(|c| !taken.contains(c)).unwrap_or_default()
    };
    let mut lines = Vec::new();
    let called;
    match element.kind.as_str() {
        "CSVDataSet" => {
            called = free(&name(&element.name));
            lines.push(format!(
                "csv = {}",
                quoted(&variables.plain(get("filename")))
            ));
            let names: Vec<String> = get("variableNames")
                .split(',')
                .map(|n| n.trim().to_owned())
                .filter(|n| !n.is_empty())
                .collect();
            if names.is_empty() {
                notes.push(format!("{title}: the first line of the file names its variables; write each `${{name}}` as `{{{{{called}.name}}}}`"));
            } else {
                let columns: Vec<String> = names.iter().map(|n| quoted(n)).collect();
                lines.push(format!("columns = [{}]", columns.join(", ")));
                if get("ignoreFirstLine") == "true" {
                    lines.push("heading = true".into());
                }
            }
            match get("delimiter") {
                "" | "," => {}
                "\\t" => lines.push("delimiter = \"\\t\"".into()),
                other => lines.push(format!("delimiter = {}", quoted(other))),
            }
            if get("recycle") == "false" {
                notes.push(format!("{title}: its rows start again after the last one"));
            }
            if !matches!(get("shareMode"), "" | "shareMode.all") {
                notes.push(format!("{title}: its rows are shared by all clients"));
            }
            for variable in names {
                let hole = format!("{{{{{called}.{variable}}}}}");
                variables.holes.insert(variable, hole);
            }
        }
        "CounterConfig" => {
            let variable = get("CounterConfig.name").to_owned();
            called = free(&name(&variable));
            let first = number("CounterConfig.start").unwrap_or(0);
            let step = number("CounterConfig.incr").unwrap_or(1);
            lines.push(format!("sequence = {{ first = {first}, step = {step} }}"));
            if get("CounterConfig.per_user") == "true" {
                notes.push(format!("{title}: its numbers are shared by all clients"));
            }
            if !get("CounterConfig.end").is_empty() || !get("CounterConfig.format").is_empty() {
                notes.push(format!("{title}: its end and its format were left out"));
            }
            variables
                .holes
                .insert(variable, format!("{{{{{called}.value}}}}"));
        }
        _ => {
            let variable = get("variableName").to_owned();
            called = free(&name(&variable));
            let ends = (number("minimumValue"), number("maximumValue"));
            let (Some(low @ 0..), Some(high)) = ends else {
                notes.push(format!(
                    "{title} was left out: its bounds are not numbers of 0 or more"
                ));
                return;
            };
            if high < low {
                notes.push(format!(
                    "{title} was left out: its lowest number is above its highest"
                ));
                return;
            }
            lines.push(format!("random = {{ low = {low}, high = {high} }}"));
            variables
                .holes
                .insert(variable, format!("{{{{{called}.value}}}}"));
        }
    }
    if called.is_empty() {
        notes.push(format!("{title} was left out: it has no variable name"));
        return;
    }
    feeders.push(ImportedFeeder {
        name: called,
        lines,
    });
}

/// The length of a group without an end.
const USUAL_S: u64 = 60;
