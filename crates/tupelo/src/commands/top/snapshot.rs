//! The pages of `tupelo top --actual` and `--delta`: CPU by kind of engine.

use serde_json::Value;

use crate::app::counted;
use crate::operator::cell;
use crate::table::Table;

/// The page of a snapshot.
pub fn page(snapshot: &Value) -> Vec<String> {
    let number = |key: &str| snapshot[key].as_u64().unwrap_or(0);
    let tasks = number("tasks");
    let mut table = Table::new(&["Engine", "Work", ">CPU ms", ">µs a task"]);
    let mut row = |engine: String, work: String, ns: u64| {
        let each = match tasks {
            0 => "-".to_owned(),
            tasks => format!("{:.1}", ns as f64 / tasks as f64 / 1e3),
        };
        table.row([engine, work, ms(ns), each]);
    };
    for part in snapshot["rows"].as_array().into_iter().flatten() {
        let ns = part["cpu_ns"].as_u64().unwrap_or(0);
        row(cell(&part["engine"]), cell(&part["work"]), ns);
    }
    row("general".into(), "in all".into(), number("general_cpu_ns"));
    row(
        "offload".into(),
        "in all, eligible".into(),
        number("eligible_cpu_ns"),
    );
    let mut lines: Vec<String> = table.to_string().lines().map(str::to_owned).collect();
    lines.push(String::new());
    lines.extend(
        address_spaces(snapshot)
            .to_string()
            .lines()
            .map(str::to_owned),
    );
    lines.push(String::new());
    lines.push(format!(
        "eligible for offload and ran on general engines: {} ms",
        ms(number("eligible_on_general_ns"))
    ));
    lines.push(format!(
        "user mode {} ms, kernel mode {} ms, preempted {} times",
        ms(number("user_ns")),
        ms(number("system_ns")),
        number("displaced")
    ));
    lines.push(format!(
        "{}, {} in {:.1} s",
        counted(tasks as usize, "task"),
        counted(number("commands") as usize, "EXEC CICS command"),
        number("at_ns") as f64 / 1e9
    ));
    lines.push(format!(
        "{} took {} ms of CPU",
        counted(number("snapshots") as usize, "snapshot"),
        ms(number("snapshot_cpu_ns"))
    ));
    lines
}

/// The region's process and its workers'.
fn address_spaces(snapshot: &Value) -> Table {
    let mut table = Table::new(&[
        "Address space",
        ">Process",
        ">CPU ms",
        ">Preemptable",
        ">Not",
        ">Promoted",
        ">Displaced",
    ]);
    for space in snapshot["address_spaces"].as_array().into_iter().flatten() {
        let time = |key: &str| ms(space[key].as_u64().unwrap_or(0));
        table.row([
            cell(&space["work"]),
            cell(&space["process"]),
            time("cpu_ns"),
            time("preemptable_ns"),
            time("unpreemptable_ns"),
            time("promoted_ns"),
            cell(&space["displaced"]),
        ]);
    }
    if let Some(ns @ 1..) = snapshot["ended_cpu_ns"].as_u64() {
        let none = || "-".to_owned();
        table.row([
            "programs, ended".into(),
            none(),
            ms(ns),
            none(),
            none(),
            none(),
            none(),
        ]);
    }
    table
}

fn ms(ns: u64) -> String {
    format!("{:.3}", ns as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn cpu_is_shown_by_engine_and_by_task() {
        let page = page(&json!({
            "rows": [
                {"engine": "general", "work": "programs", "cpu_ns": 3_000_000},
                {"engine": "offload", "work": "gateway", "cpu_ns": 1_000_000},
            ],
            "address_spaces": [{
                "work": "programs", "process": 4711, "cpu_ns": 3_000_000, "preemptable_ns": 2_500_000,
                "unpreemptable_ns": 500_000, "promoted_ns": 250_000, "displaced": 7,
            }],
            "ended_cpu_ns": 9_000,
            "general_cpu_ns": 3_000_000,
            "eligible_cpu_ns": 1_000_000,
            "eligible_on_general_ns": 1_000_000,
            "tasks": 100,
            "commands": 300,
            "at_ns": 2_000_000_000u64,
        }));
        let text = page.join("\n");
        assert!(text.contains("programs") && text.contains("30.0"), "{text}");
        assert!(text.contains("ran on general engines: 1.000 ms"), "{text}");
        let words = |line: &str| {
            line.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let space = page.iter().find(|line| line.contains("4711")).unwrap();
        assert_eq!(
            words(space),
            ["programs", "4711", "3.000", "2.500", "0.500", "0.250", "7"]
        );
        assert!(text.contains("programs, ended"), "{text}");
        assert!(
            text.contains("100 tasks, 300 EXEC CICS commands in 2.0 s"),
            "{text}"
        );
    }

    proptest! {
        #[test]
        fn any_answer_of_a_region_can_be_shown(text in "[\\[\\]{}\":,a-z0-9]{0,80}") {
            page(&serde_json::from_str(&text).unwrap_or(Value::Null));
        }
    }
}
