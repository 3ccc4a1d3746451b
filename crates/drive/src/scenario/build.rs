//! Builds a plan from a checked file. Errors are noted and building continues, so
//! that one reading reports every mistake.

use super::data;
use super::request::TargetList;
use super::step;
use super::template::TemplateNames;
use super::tree::{MistakeList, Node, TreeValue};
use crate::load::default_threads;
use crate::objective::Objective;
use crate::observe::ObservedServer;
use crate::plan::{ArrivalSpacing, LoadModel, Population, RunPlan, ThinkTime, usual_ahead};
use crate::profile::{LevelProfile, ProfilePiece};
use crate::scrape::MetricsEndpoint;
use crate::tls::TrustSettings;
use crate::url::Url;
use measure::proc::CountedSubject;
use std::path::Path;

/// The plan of one combination. Returns `None` if something essential is missing,
/// which has been noted.
pub(super) fn plan(
    root: &Node,
    folder: &Path,
    variant: &str,
    notes: &mut MistakeList<'_>,
) -> Option<RunPlan> {
    let feeders = data::feeders(root, folder, notes);
    let timeout_ns = root.duration_ns("timeout").unwrap_or(30 * SECOND);
    let trust = root
        .get("tls")
        .map_or_else(TrustSettings::default, |tls| TrustSettings {
            ca_file: tls.text("ca_file").map(|(file, _)| folder.join(file)),
            insecure: tls.bool("insecure").unwrap_or(false),
        });
    let mut populations = Vec::new();
    for node in root.list("population") {
        let load = load(node, notes);
        let think = think(node, folder, notes).unwrap_or(ThinkTime::None);
        let mut targets = TargetList::new(root, node, &trust, folder, notes);
        let names = TemplateNames {
            feeders: &feeders,
            captured: &[],
        };
        targets.read_cycles(node, &names, notes);
        let steps = step::steps(node, folder, &feeders, &mut targets, notes);
        if let (Some(load), Some((name, _))) = (load, node.text("name")) {
            populations.push(Population {
                name: name.to_owned(),
                load,
                think,
                steps,
                targets: targets.list,
                timeout_ns,
            });
        }
    }
    if populations.is_empty() {
        if let Some(list) = root.get("population").filter(|n| n.as_list().is_empty()) {
            notes.add(&list.span, "the scenario has no `[[population]]`");
        }
        return None;
    }
    let names: Vec<&str> = populations.iter().map(|p| p.name.as_str()).collect();
    for (i, node) in root.list("population").iter().enumerate() {
        if let Some((name, at)) = node.text("name")
            && names.iter().take(i).any(|n| *n == name)
        {
            notes.add(
                &at.span,
                format!("another population has the name `{name}` too"),
            );
        }
    }
    let by_iterations = populations.iter().all(|p| {
        matches!(
            p.load,
            LoadModel::Closed {
                iterations: Some(_),
                ..
            }
        )
    });
    let profile_ns = populations.iter().map(|p| match &p.load {
        LoadModel::Closed { clients, .. } => clients.length_ns(),
        LoadModel::Open { rate, .. } => rate.length_ns(),
    });
    let usual_ns = profile_ns.max().filter(|ns| *ns > 0).unwrap_or(10 * SECOND);
    let duration_ns = match root.duration_ns("duration") {
        None if by_iterations => None,
        given => Some(given.unwrap_or(usual_ns)),
    };
    let usual_warmup = if by_iterations { 0 } else { SECOND };
    let title = root.text("title").map_or("scenario", |(title, _)| title);
    let threads = match root.integer("threads").unwrap_or(0) {
        0 => default_threads(&populations),
        n => n as usize,
    };
    Some(RunPlan {
        title: match variant {
            "" => title.to_owned(),
            variant => format!("{title} ({variant})"),
        },
        populations,
        feeders,
        warmup_ns: root.duration_ns("warmup").unwrap_or(usual_warmup),
        duration_ns,
        grace_ns: root.duration_ns("grace").unwrap_or(timeout_ns),
        threads,
        seed: root.integer("seed").unwrap_or(1),
        start_at: None,
        interval_ns: root
            .duration_ns("interval")
            .unwrap_or(SECOND)
            .max(SHORTEST_INTERVAL_NS),
    })
}

/// The objectives of the file, and the servers that it observes.
pub(super) fn extras(
    root: &Node,
    observing: bool,
    notes: &mut MistakeList<'_>,
) -> (Vec<Objective>, Vec<ObservedServer>) {
    let named = root.get("observe").map_or(&[][..], Node::entries);
    let observing = observing || named.iter().any(|e| !e.node.as_list().is_empty());
    let mut objectives = Vec::new();
    for node in root.list("objectives") {
        match node.as_text().map(Objective::parse) {
            Some(Ok(objective)) if objective.needs_observation() && !observing => {
                let why = format!("`{objective}` cannot be judged: {NO_SERVER_OBSERVED}");
                notes.add(&node.span, why);
            }
            Some(Ok(objective)) => objectives.push(objective),
            Some(Err(wrong)) => notes.add_within(node, wrong.at, wrong.why),
            None => {}
        }
    }
    let mut observed = Vec::new();
    if let Some(observe) = root.get("observe") {
        let texts = |key: &str| observe.list(key).iter().filter_map(Node::as_text);
        for node in observe.list("pids") {
            if let TreeValue::Integer(pid) = node.value {
                observed.push(ObservedServer::Local(CountedSubject::Process(
                    pid.unsigned_abs() as u32,
                )));
            }
        }
        observed
            .extend(texts("processes").map(|n| ObservedServer::Local(CountedSubject::called(n))));
        observed.extend(
            texts("cgroups").map(|g| ObservedServer::Local(CountedSubject::Group(g.into()))),
        );
        for node in observe.list("scrape") {
            match node.as_text().map(Url::parse) {
                Some(Ok(url)) => observed.push(ObservedServer::Remote(MetricsEndpoint(url))),
                Some(Err(why)) => notes.add(&node.span, why.to_string()),
                None => {}
            }
        }
    }
    (objectives, observed)
}

fn load(node: &Node, notes: &mut MistakeList<'_>) -> Option<LoadModel> {
    match (node.get("clients"), node.get("rate")) {
        (Some(clients), None) => {
            let open_only = ["arrivals", "outstanding", "connections", "spin"];
            for entry in node
                .entries()
                .iter()
                .filter(|e| open_only.contains(&e.key.as_str()))
            {
                notes.add(
                    &entry.span,
                    format!(
                        "`{}` can be used only with `rate`, not with `clients`",
                        entry.key
                    ),
                );
            }
            if let (Some(_), Some(both)) = (node.get("iterations"), node.get("cycles")) {
                notes.add(&both.span, "give either `iterations` or `cycles`");
            }
            let number = clients.as_number().is_some();
            let clients = profile(clients, notes)?;
            if clients.peak() < 1.0 {
                // A number out of bounds has been noted.
                if !number {
                    notes.add(&node.get("clients")?.span, "the profile never has a client");
                }
                return None;
            }
            Some(LoadModel::Closed {
                clients,
                // Cycles are counted for each client.
                iterations: match node.get("cycles") {
                    Some(_) => Some(i64::MAX as u64),
                    None => node.integer("iterations"),
                },
            })
        }
        (None, Some(rate)) => {
            let closed_only = ["iterations", "cycles"];
            let mut entries = node.entries().iter();
            if let Some(entry) = entries.find(|e| closed_only.contains(&e.key.as_str())) {
                let why = format!(
                    "`{}` can be used only with `clients`, not with `rate`",
                    entry.key
                );
                notes.add(&entry.span, why);
            }
            let poisson = node.text("arrivals").is_some_and(|(a, _)| a == "poisson");
            let rate = profile(rate, notes)?;
            let outstanding = node.integer("outstanding").unwrap_or(1000) as usize;
            let ahead = node.integer("connections").map(|n| n as usize);
            Some(LoadModel::Open {
                ahead: ahead
                    .unwrap_or(usual_ahead(rate.peak(), outstanding))
                    .min(outstanding),
                rate,
                arrivals: if poisson {
                    ArrivalSpacing::Poisson
                } else {
                    ArrivalSpacing::Constant
                },
                outstanding,
                spin_ns: node.duration_ns("spin"),
            })
        }
        _ => {
            notes.add(&node.span, "a population needs either `clients` or `rate`");
            None
        }
    }
}

fn profile(node: &Node, notes: &mut MistakeList<'_>) -> Option<LevelProfile> {
    if let Some(level) = node.as_number() {
        return Some(LevelProfile::constant(level));
    }
    let mut pieces: Vec<ProfilePiece> = Vec::new();
    for part in node.as_list() {
        let to = part.get("to").and_then(Node::as_number)?;
        let before = pieces.last().map(|p| p.to);
        let from = part
            .get("from")
            .and_then(Node::as_number)
            .or(before)
            .unwrap_or(to);
        pieces.push(ProfilePiece {
            from,
            to,
            length_ns: part.duration_ns("for")?,
        });
    }
    if pieces.is_empty() {
        notes.add(&node.span, "a profile needs at least one piece");
        return None;
    }
    Some(LevelProfile::new(pieces))
}

/// The think time of a population or step.
pub(super) fn think(node: &Node, folder: &Path, notes: &mut MistakeList<'_>) -> Option<ThinkTime> {
    let think = node.get("think")?;
    if let Some(ns) = think.as_duration_ns() {
        return Some(ThinkTime::Constant(ns));
    }
    match think.entries() {
        [one] => match one.key.as_str() {
            "constant" => Some(ThinkTime::Constant(one.node.as_duration_ns()?)),
            "exponential" => Some(ThinkTime::Exponential(one.node.as_duration_ns()? as f64)),
            "recorded" => match data::pauses(&folder.join(one.node.as_text()?)) {
                Ok(pauses) => Some(ThinkTime::Recorded(pauses)),
                Err(why) => {
                    notes.add(&one.node.span, why);
                    None
                }
            },
            _ => None,
        },
        _ => {
            if matches!(think.value, TreeValue::Table(_)) {
                notes.add(
                    &think.span,
                    "`think` needs exactly one of constant, exponential, recorded",
                );
            }
            None
        }
    }
}

/// The rest of the message for a CPU objective without an observed server.
const NO_SERVER_OBSERVED: &str = "no server is observed; name one under `[observe]` (processes, pids, cgroups or scrape), or with --process, --pid, --cgroup or --scrape";

const SECOND: u64 = 1_000_000_000;
/// Shorter intervals would cost more than their figures are worth.
const SHORTEST_INTERVAL_NS: u64 = 100_000_000;
