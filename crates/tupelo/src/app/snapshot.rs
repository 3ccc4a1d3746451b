//! The region CPU snapshot: the CPU time of the region's processes by kind of engine,
//! since the start and since a baseline.
//!
//! A snapshot reads the kernel's accounting of the region's process and of each
//! worker, and measures its own cost. Work that may run on offload engines counts as
//! work on general engines if `[engines]` gives the offload engines no CPUs of their
//! own.
//!
//! Reference: proc(5), getrusage(2), clock_gettime(2).

use std::sync::{Mutex, PoisonError};

use link::clock;
use measure::proc::{AddressSpace, CountedSubject};
use region::Handle;
use region::engine::{self, EngineClass};
use serde_json::{Value, json};

/// The CPU time used until a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct UsageSnapshot {
    /// Nanoseconds since the first snapshot.
    at_ns: u64,
    /// CPU of the worker processes, those that have ended included.
    programs_ns: u64,
    /// CPU of the region's own threads: dispatching, commits.
    region_ns: u64,
    /// CPU of services by name and kind of engine.
    services: Vec<(String, EngineClass, u64)>,
    /// The region's process, then its workers'.
    spaces: Vec<ProcessUsage>,
    /// CPU of workers that have ended.
    ended_ns: u64,
    /// Time in user mode; the next field is that in the kernel.
    user_ns: u64,
    system_ns: u64,
    /// Involuntary context switches.
    displaced: u64,
    tasks: u64,
    commands: u64,
    /// The number of snapshots; the next field is their own CPU time.
    snapshots: u64,
    own_ns: u64,
}

/// The CPU time of one process until a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ProcessUsage {
    process: u32,
    cpu_ns: u64,
    /// Of threads that cannot be preempted (SCHED_FIFO at the highest priority).
    unpreemptable_ns: u64,
    /// Of threads with a higher priority than the default.
    promoted_ns: u64,
    displaced: u64,
}

/// The baseline, and the count and cost of all snapshots.
#[derive(Debug, Default)]
struct SnapshotHistory {
    baseline: Option<UsageSnapshot>,
    snapshots: u64,
    own_ns: u64,
}

static KEPT: Mutex<SnapshotHistory> = Mutex::new(SnapshotHistory {
    baseline: None,
    snapshots: 0,
    own_ns: 0,
});

/// The counters now.
pub fn actual(region: &Handle, at_ns: u64) -> Value {
    shown(region, &take(region, at_ns))
}

/// The use since the baseline, or since the start without one.
pub fn delta(region: &Handle, at_ns: u64) -> Value {
    let now = take(region, at_ns);
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let since = kept.baseline.clone().unwrap_or_default();
    drop(kept);
    shown(region, &now.since(&since))
}

/// Makes the counters now the baseline.
pub fn reset(region: &Handle, at_ns: u64) -> Value {
    let now = take(region, at_ns);
    let answer = shown(region, &now);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.baseline = Some(now);
    answer
}

fn take(region: &Handle, at_ns: u64) -> UsageSnapshot {
    let began = clock::thread_cpu_ns();
    let own = clock::read(libc::CLOCK_PROCESS_CPUTIME_ID);
    let pid = std::process::id();
    let found = CountedSubject::Process(pid)
        .address_spaces()
        .unwrap_or_default();
    let sum = |of: fn(&AddressSpace) -> u64| found.iter().map(of).sum::<u64>();
    let workers = found.iter().filter(|space| space.process != pid);
    let workers_ns: u64 = workers.map(|space| space.usage.cpu_ns).sum();
    let services: Vec<_> = engine::usage()
        .into_iter()
        .map(|s| (s.service.to_owned(), s.class, s.cpu_ns))
        .collect();
    let of_services: u64 = services.iter().map(|s| s.2).sum();
    let ended = super::metrics::ended_children_ns();
    let statistics = region.statistics();
    let mut snapshot = UsageSnapshot {
        at_ns,
        programs_ns: workers_ns + ended,
        region_ns: own.saturating_sub(of_services),
        services,
        user_ns: sum(|space| space.usage.user_ns),
        system_ns: sum(|space| space.usage.system_ns),
        displaced: sum(|space| space.usage.involuntary_switches),
        spaces: found.iter().map(ProcessUsage::of).collect(),
        ended_ns: ended,
        tasks: statistics.tasks_ok + statistics.tasks_abended,
        commands: statistics.work.commands,
        ..UsageSnapshot::default()
    };
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.snapshots += 1;
    kept.own_ns += clock::thread_cpu_ns().saturating_sub(began);
    (snapshot.snapshots, snapshot.own_ns) = (kept.snapshots, kept.own_ns);
    snapshot
}

impl ProcessUsage {
    fn of(found: &AddressSpace) -> ProcessUsage {
        ProcessUsage {
            process: found.process,
            cpu_ns: found.usage.cpu_ns,
            unpreemptable_ns: found.unpreemptable_ns,
            promoted_ns: found.promoted_ns,
            displaced: found.usage.involuntary_switches,
        }
    }

    fn since(&self, before: &ProcessUsage) -> ProcessUsage {
        ProcessUsage {
            process: self.process,
            cpu_ns: self.cpu_ns.saturating_sub(before.cpu_ns),
            unpreemptable_ns: self
                .unpreemptable_ns
                .saturating_sub(before.unpreemptable_ns),
            promoted_ns: self.promoted_ns.saturating_sub(before.promoted_ns),
            displaced: self.displaced.saturating_sub(before.displaced),
        }
    }
}

impl UsageSnapshot {
    fn since(&self, before: &UsageSnapshot) -> UsageSnapshot {
        let services = self.services.iter().map(|(name, class, ns)| {
            let same = |s: &&(String, EngineClass, u64)| s.0 == *name && s.1 == *class;
            let then = before.services.iter().find(same).map_or(0, |s| s.2);
            (name.clone(), *class, ns.saturating_sub(then))
        });
        let spaces = self.spaces.iter().map(|space| {
            let mut then = before.spaces.iter();
            match then.find(|then| then.process == space.process) {
                Some(then) => space.since(then),
                None => space.clone(),
            }
        });
        UsageSnapshot {
            spaces: spaces.collect(),
            ended_ns: self.ended_ns.saturating_sub(before.ended_ns),
            at_ns: self.at_ns.saturating_sub(before.at_ns),
            programs_ns: self.programs_ns.saturating_sub(before.programs_ns),
            region_ns: self.region_ns.saturating_sub(before.region_ns),
            services: services.collect(),
            user_ns: self.user_ns.saturating_sub(before.user_ns),
            system_ns: self.system_ns.saturating_sub(before.system_ns),
            displaced: self.displaced.saturating_sub(before.displaced),
            tasks: self.tasks.saturating_sub(before.tasks),
            commands: self.commands.saturating_sub(before.commands),
            snapshots: self.snapshots.saturating_sub(before.snapshots),
            own_ns: self.own_ns.saturating_sub(before.own_ns),
        }
    }

    fn of(&self, class: EngineClass) -> u64 {
        let services = self.services.iter().filter(|s| s.1 == class);
        let services: u64 = services.map(|s| s.2).sum();
        match class {
            EngineClass::General => services + self.programs_ns + self.region_ns,
            EngineClass::Offload => services,
        }
    }
}

fn shown(region: &Handle, snapshot: &UsageSnapshot) -> Value {
    let row =
        |engine: &str, work: &str, ns: u64| json!({"engine": engine, "work": work, "cpu_ns": ns});
    let mut rows = vec![
        row("general", "programs", snapshot.programs_ns),
        row("general", "region", snapshot.region_ns),
    ];
    for (service, class, ns) in &snapshot.services {
        let engine = match class {
            EngineClass::General => "general",
            EngineClass::Offload => "offload",
        };
        rows.push(row(engine, service, *ns));
    }
    let space = |(at, space): (usize, &ProcessUsage)| {
        json!({
            "process": space.process,
            "work": if at == 0 { "region" } else { "programs" },
            "cpu_ns": space.cpu_ns,
            "preemptable_ns": space.cpu_ns.saturating_sub(space.unpreemptable_ns),
            "unpreemptable_ns": space.unpreemptable_ns,
            "promoted_ns": space.promoted_ns,
            "displaced": space.displaced,
        })
    };
    let spaces: Vec<Value> = snapshot.spaces.iter().enumerate().map(space).collect();
    let eligible = snapshot.of(EngineClass::Offload);
    let on_general = if region.engines_are_apart() {
        0
    } else {
        eligible
    };
    json!({
        "at_ns": snapshot.at_ns,
        "rows": rows,
        "address_spaces": spaces,
        "ended_cpu_ns": snapshot.ended_ns,
        "general_cpu_ns": snapshot.of(EngineClass::General),
        "eligible_cpu_ns": eligible,
        "eligible_on_general_ns": on_general,
        "user_ns": snapshot.user_ns,
        "system_ns": snapshot.system_ns,
        "displaced": snapshot.displaced,
        "tasks": snapshot.tasks,
        "commands": snapshot.commands,
        "snapshots": snapshot.snapshots,
        "snapshot_cpu_ns": snapshot.own_ns,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_use_since_a_baseline_is_a_difference_by_address_space() {
        let space = |process, cpu_ns| ProcessUsage {
            process,
            cpu_ns,
            ..ProcessUsage::default()
        };
        let of = |spaces: &[ProcessUsage]| UsageSnapshot {
            spaces: spaces.to_vec(),
            ..UsageSnapshot::default()
        };
        // One worker has ended, and another one has started.
        let before = of(&[space(1, 10), space(2, 20)]);
        let now = of(&[space(1, 15), space(3, 4)]);
        assert_eq!(now.since(&before).spaces, [space(1, 5), space(3, 4)]);
    }

    #[test]
    fn the_use_since_a_baseline_is_a_difference_by_service() {
        let service = |ns| vec![("gateway".to_owned(), EngineClass::Offload, ns)];
        let before = UsageSnapshot {
            programs_ns: 100,
            region_ns: 10,
            services: service(5),
            ..UsageSnapshot::default()
        };
        let now = UsageSnapshot {
            programs_ns: 150,
            region_ns: 30,
            services: service(9),
            tasks: 2,
            ..UsageSnapshot::default()
        };
        let used = now.since(&before);
        assert_eq!(used.of(EngineClass::General), 70);
        assert_eq!(used.of(EngineClass::Offload), 4);
        assert_eq!(now.since(&UsageSnapshot::default()), now);
    }
}
