//! Server CPU per answer, if several observations describe it.
//!
//!
//! Every figure of "server CPU per answer" is computed by [`ServerCpu::of`]: the
//! report, its intervals, the live view, objectives, loops, the knee, comparisons,
//! baselines and merged runs.
//!
//!
//! Invariant: no process is counted twice. Processes that the kernel reports count
//! once each. Figures of endpoints are never added to them, because an endpoint may
//! describe the same machine.

use serde::{Deserialize, Serialize};

/// How a server's CPU is observed. The figure comes from the first available view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CpuView {
    /// Processes and control groups of this machine, from the kernel.
    #[default]
    Processes,
    /// Endpoints that report the CPU of their own process.
    Endpoints,
    /// Endpoints that report the CPU of a whole machine.
    Machines,
}

/// CPU of the observed servers per answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerCpu {
    /// CPU per answer, µs.
    pub us: f64,
    /// CPU, % of one processor.
    pub percent: f64,
    /// The view that it comes from.
    pub view: CpuView,
    /// The parts whose sum it is.
    pub parts: Vec<CpuPart>,
    /// Observations that are not added: other views, possibly of the same
    /// servers.
    #[serde(rename = "beside")]
    pub other_views: Vec<String>,
}

/// CPU of a subject that shares no process with the other parts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuPart {
    /// How it is observed.
    pub view: CpuView,
    /// The names under which it was observed.
    pub subjects: Vec<String>,
    /// Distinguishes the CPU part from other parts of the same view: the machine of the
    /// processes, or the address of an endpoint.
    pub identity: String,
    /// Ids of the processes, if known.
    pub processes: Vec<u32>,
    /// Whether several of its names refer to the same process.
    pub shared: bool,
    /// CPU per answer, µs.
    pub us: f64,
    /// CPU, % of one processor.
    pub percent: f64,
}

impl ServerCpu {
    /// The sum of parts. Returns `None` if there are no parts.
    ///
    ///
    /// Only parts of the first available view are used. They are added unless
    /// they are the same server: endpoints with the same identity, or processes
    /// of one machine that have a process in common.
    pub fn of(parts: impl IntoIterator<Item = CpuPart>) -> Option<ServerCpu> {
        let parts: Vec<CpuPart> = parts.into_iter().collect();
        let view = parts.iter().map(|p| p.view).min()?;
        let mut sum = ServerCpu {
            view,
            ..ServerCpu::default()
        };
        for part in parts {
            if part.view != view {
                sum.other_views.extend(part.subjects);
                continue;
            }
            match sum.parts.iter_mut().find(|p| p.same(&part)) {
                Some(known) => known.join(part),
                None => sum.parts.push(part),
            }
        }
        sum.us = sum.parts.iter().map(|p| p.us).sum();
        sum.percent = sum.parts.iter().map(|p| p.percent).sum();
        Some(sum)
    }

    /// The names of all subjects in the figure.
    pub fn subjects(&self) -> Vec<&str> {
        let all = self.parts.iter().flat_map(|p| &p.subjects);
        all.map(String::as_str).collect()
    }

    /// Notes about the origin of the figure; empty if one process was observed
    /// under one name.
    pub fn notes(&self) -> Vec<String> {
        let subjects = self.subjects();
        let of = subjects.join(" + ");
        let mut notes = Vec::new();
        if self.view == CpuView::Machines {
            notes.push(format!(
                "Server CPU per answer is that of the whole machine of {of}, with everything else that runs there."
            ));
        } else if subjects.len() > 1 || !self.other_views.is_empty() {
            let once = match (subjects.len(), self.parts.iter().any(|p| p.shared)) {
                (0 | 1, _) => "",
                (_, true) => "; processes in common are counted once",
                (_, false) => ", which have no process in common",
            };
            notes.push(format!("Server CPU per answer is that of {of}{once}."));
        }
        if !self.other_views.is_empty() {
            let (are, views) = match self.other_views.len() {
                1 => ("is", "another view"),
                _ => ("are", "other views"),
            };
            notes.push(format!(
                "{} {are} {views}, possibly of the same servers, and not added.",
                self.other_views.join(", ")
            ));
        }
        notes
    }
}

impl CpuPart {
    fn same(&self, other: &CpuPart) -> bool {
        let common = || self.processes.iter().any(|p| other.processes.contains(p));
        let known = !self.processes.is_empty() && !other.processes.is_empty();
        self.identity == other.identity && (!known || common())
    }

    /// Merges another observation of the same server: the larger figure is more
    /// complete.
    fn join(&mut self, other: CpuPart) {
        for subject in other.subjects {
            if !self.subjects.contains(&subject) {
                self.subjects.push(subject);
                self.shared = true;
            }
        }
        self.us = self.us.max(other.us);
        self.percent = self.percent.max(other.percent);
        self.processes.extend(other.processes);
        self.processes.sort_unstable();
        self.processes.dedup();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(view: CpuView, subject: &str, identity: &str, processes: &[u32], us: f64) -> CpuPart {
        CpuPart {
            view,
            subjects: vec![subject.into()],
            identity: identity.into(),
            processes: processes.into(),
            shared: false,
            us,
            percent: us / 10.0,
        }
    }

    #[test]
    fn an_endpoint_is_never_added_to_processes() {
        let sum = ServerCpu::of([
            part(CpuView::Endpoints, "http://a/metrics", "a", &[], 163.6),
            part(CpuView::Processes, "pid 7", "here", &[7], 163.4),
            part(CpuView::Machines, "http://a:9100/metrics", "a", &[], 400.0),
        ]);
        let sum = sum.unwrap();
        assert_eq!((sum.us, sum.subjects()), (163.4, vec!["pid 7"]));
        assert_eq!(
            sum.other_views,
            ["http://a/metrics", "http://a:9100/metrics"]
        );
        let notes = sum.notes();
        assert_eq!(notes.len(), 2);
        assert!(notes[1].contains("not added"), "{notes:?}");
    }

    #[test]
    fn different_servers_add_up_and_the_same_one_does_not() {
        let two = ServerCpu::of([
            part(CpuView::Endpoints, "http://a/m", "a", &[], 100.0),
            part(CpuView::Endpoints, "http://b/m", "b", &[], 40.0),
            part(CpuView::Endpoints, "http://a/m?again", "a", &[], 100.0),
        ]);
        assert_eq!(two.unwrap().us, 140.0);
        let of_processes = |second: &str, pids: &[u32]| {
            let first = part(CpuView::Processes, "x", "here", &[1, 2], 100.0);
            let second = part(CpuView::Processes, "y", second, pids, 40.0);
            ServerCpu::of([first, second]).unwrap()
        };
        assert_eq!(of_processes("here", &[3]).us, 140.0);
        assert_eq!(of_processes("there", &[1]).us, 140.0);
        let same = of_processes("here", &[2, 3]);
        assert_eq!((same.us, same.parts.len()), (100.0, 1));
        assert!(same.notes()[0].contains("are counted once"));
        assert!(ServerCpu::of([]).is_none());
    }

    #[test]
    fn one_process_needs_no_words_and_a_whole_machine_does() {
        let one = ServerCpu::of([part(CpuView::Processes, "tupelo", "here", &[1], 5.0)]);
        assert!(one.unwrap().notes().is_empty());
        let node = ServerCpu::of([part(CpuView::Machines, "http://n", "n", &[], 5.0)]);
        assert!(node.unwrap().notes()[0].contains("whole machine"));
    }
}
