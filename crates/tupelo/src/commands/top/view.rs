//! The page of `tupelo top`, from one sample and the previous one.

use serde_json::Value;

use super::TaskOrder;
use crate::operator::cell;
use crate::table::Table;

/// Most lines of the parts that can be long; tasks are last and may have more.
const MOST_ROWS: usize = 8;
const MOST_TASKS: usize = 500;

/// A page; rates need a previous sample.
pub fn page(before: Option<&Value>, now: &Value, sort: TaskOrder) -> Vec<String> {
    let mut lines = head(before, now);
    let resources = &now["resources"];
    part(&mut lines, classes(&resources["classes"]));
    part(&mut lines, files(&resources["files"]));
    part(&mut lines, queues(&resources["queues"]));
    lines.push(String::new());
    lines.extend(tasks(&now["tasks"], sort));
    lines
}

/// Tasks, rates, CPU and waits.
fn head(before: Option<&Value>, now: &Value) -> Vec<String> {
    let rate = SampleDelta { before, now };
    let of = |name: &str| format!("/statistics/{name}");
    let per_s = |name: &str| shown(rate.per_s(&of(name)), "/s");
    let gauge = |name: &str| now["statistics"][name].as_u64().unwrap_or(0);
    let cpu = |name: &str| shown(rate.per_s(name).map(|ns| ns / 1e7), " %");
    let waited = |name: &str| {
        let ns = rate.per_s(&of(&format!("work/{name}")));
        shown(ns.map(|ns| ns / 1e6), "")
    };
    vec![
        format!(
            "tasks    {} of {} active, {} waiting, {} workers, {} ended {}, {} abended {}",
            gauge("active"),
            cell(&now["resources"]["max_tasks"]),
            gauge("waiting"),
            gauge("workers"),
            gauge("tasks_ok"),
            per_s("tasks_ok"),
            gauge("tasks_abended"),
            per_s("tasks_abended"),
        ),
        format!(
            "engines  general {}  offload {}   (of one CPU)",
            cpu("/general_cpu_ns"),
            cpu("/offload_cpu_ns"),
        ),
        format!(
            "rates    commands {}  files {}  calls {}  commits {}  back-outs {}  locks {}",
            per_s("work/commands"),
            per_s("work/file_commands"),
            per_s("work/region_calls"),
            per_s("commits"),
            per_s("backouts"),
            per_s("lock_waits"),
        ),
        format!(
            "waits    admission {}  dispatch {}  qr {}  commit {}   (ms a second, of tasks that ended)",
            waited("admission_wait_ns"),
            waited("dispatch_wait_ns"),
            waited("qr_wait_ns"),
            waited("commit_wait_ns"),
        ),
        format!(
            "         lock {}  queue {}  delay {}  child {}  event {}  syncpoint {}",
            waited("waits/lock_wait_ns"),
            waited("waits/queue_wait_ns"),
            waited("waits/delay_wait_ns"),
            waited("waits/child_wait_ns"),
            waited("waits/event_wait_ns"),
            waited("waits/syncpoint_wait_ns"),
        ),
    ]
}

/// The difference of two samples.
struct SampleDelta<'s> {
    before: Option<&'s Value>,
    now: &'s Value,
}

impl SampleDelta<'_> {
    /// The rise of a counter per second. Returns `None` without a previous sample, and after a
    /// restart of the region.
    fn per_s(&self, pointer: &str) -> Option<f64> {
        let number = |sample: &Value, pointer| sample.pointer(pointer)?.as_u64();
        let rise = |pointer| number(self.now, pointer)?.checked_sub(number(self.before?, pointer)?);
        let ns = rise("/at_ns").filter(|ns| *ns > 0)?;
        Some(rise(pointer)? as f64 * 1e9 / ns as f64)
    }
}

fn shown(value: Option<f64>, unit: &str) -> String {
    match value {
        Some(value) if value >= 100.0 => format!("{value:.0}{unit}"),
        Some(value) => format!("{value:.1}{unit}"),
        None => format!("-{unit}"),
    }
}

/// Adds a part after an empty line, unless the part is empty.
fn part(lines: &mut Vec<String>, table: Option<Vec<String>>) {
    if let Some(table) = table {
        lines.push(String::new());
        lines.extend(table);
    }
}

fn rows(list: &Value) -> Option<impl Iterator<Item = &Value>> {
    let list = list.as_array().filter(|list| !list.is_empty())?;
    Some(list.iter().take(MOST_ROWS))
}

/// A table as lines, and the number of omitted rows.
fn listed(table: &Table, list: &Value) -> Vec<String> {
    let mut lines: Vec<String> = table.to_string().lines().map(str::to_owned).collect();
    let all = list.as_array().map_or(0, Vec::len);
    if all > MOST_ROWS {
        lines.push(format!("and {} more", all - MOST_ROWS));
    }
    lines
}

fn classes(list: &Value) -> Option<Vec<String>> {
    let mut table = Table::new(&["Class", ">Active", ">Most", ">Queued"]);
    for class in rows(list)? {
        table.row(["class", "active", "max_active", "queued"].map(|key| cell(&class[key])));
    }
    Some(listed(&table, list))
}

fn files(list: &Value) -> Option<Vec<String>> {
    let mut table = Table::new(&["File", "Status", ">Locked records"]);
    for file in rows(list)? {
        let status = match (file["enabled"] == true, file["open"] == true) {
            (true, true) => "open",
            (true, false) => "closed",
            (false, _) => "disabled",
        };
        table.row([cell(&file["file"]), status.to_owned(), cell(&file["locks"])]);
    }
    Some(listed(&table, list))
}

fn queues(list: &Value) -> Option<Vec<String>> {
    let mut table = Table::new(&["Queue", "Kind", ">Items", "Recoverable"]);
    for queue in rows(list)? {
        let recoverable = if queue["recoverable"] == true { "yes" } else { "no" };
        table.row([
            cell(&queue["queue"]),
            cell(&queue["kind"]),
            cell(&queue["items"]),
            recoverable.to_owned(),
        ]);
    }
    Some(listed(&table, list))
}

fn tasks(list: &Value, sort: TaskOrder) -> Vec<String> {
    let mut tasks: Vec<&Value> = list.as_array().into_iter().flatten().collect();
    let number = |task: &Value, key: &str| task[key].as_u64().unwrap_or(0);
    let most_first = |tasks: &mut Vec<&Value>, key: &str| {
        tasks.sort_by_key(|task| std::cmp::Reverse(number(task, key)));
    };
    match sort {
        TaskOrder::Age => most_first(&mut tasks, "age_ms"),
        TaskOrder::Wait => most_first(&mut tasks, "suspended_ms"),
        TaskOrder::Priority => most_first(&mut tasks, "priority"),
        TaskOrder::Transaction => tasks.sort_by_key(|task| cell(&task["transid"])),
        TaskOrder::Task => tasks.sort_by_key(|task| number(task, "task")),
    }
    let mark = |column: TaskOrder, title: &str| {
        if column == sort { format!("{title}*") } else { title.to_owned() }
    };
    let heading = [
        mark(TaskOrder::Task, ">Task"),
        mark(TaskOrder::Transaction, "Tran"),
        "Program".to_owned(),
        "User".to_owned(),
        "Class".to_owned(),
        mark(TaskOrder::Priority, ">Prty"),
        "Status".to_owned(),
        "Waits for".to_owned(),
        String::new(),
        mark(TaskOrder::Wait, ">ms"),
        mark(TaskOrder::Age, ">Age ms"),
    ];
    let heading: Vec<&str> = heading.iter().map(String::as_str).collect();
    let mut table = Table::new(&heading);
    let keys = [
        "task",
        "transid",
        "program",
        "userid",
        "class",
        "priority",
        "status",
        "suspend_type",
        "suspend_value",
        "suspended_ms",
        "age_ms",
    ];
    for task in tasks.iter().take(MOST_TASKS) {
        table.row(keys.map(|key| cell(&task[key])));
    }
    table.to_string().lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn sample(at_s: u64, ended: u64, cpu_ms: u64) -> Value {
        json!({
            "at_ns": at_s * 1_000_000_000,
            "general_cpu_ns": cpu_ms * 1_000_000,
            "offload_cpu_ns": null,
            "statistics": {"tasks_ok": ended, "active": 2, "work": {"commands": ended * 3, "waits": {"lock_wait_ns": ended * 1_000_000}}},
            "resources": {
                "max_tasks": 100,
                "classes": [{"class": "SLOW", "active": 1, "max_active": 2, "queued": 3}],
                "files": [{"file": "ACCTS", "enabled": true, "open": false, "locks": 0}],
                "queues": [],
            },
            "tasks": [
                {"task": 1, "transid": "AAAA", "age_ms": 5, "suspended_ms": 4},
                {"task": 2, "transid": "BBBB", "age_ms": 9, "suspended_ms": 0},
            ],
        })
    }

    #[test]
    fn rates_are_differences_a_second() {
        let page = page(Some(&sample(10, 100, 500)), &sample(12, 150, 1500), TaskOrder::Age);
        assert!(page[0].starts_with("tasks    2 of 100 active"), "{}", page[0]);
        assert!(page[0].contains("150 ended 25.0/s"), "{}", page[0]);
        assert!(page[1].contains("general 50.0 %  offload - %"), "{}", page[1]);
        assert!(page[2].contains("commands 75.0/s"), "{}", page[2]);
        assert!(page[4].contains("lock 25.0 "), "{}", page[4]);
    }

    #[test]
    fn without_a_previous_sample_there_are_no_rates() {
        let again = sample(1, 0, 0);
        for before in [None, Some(&sample(10, 100, 500))] {
            assert!(page(before, &again, TaskOrder::Age)[2].contains("commands -/s"));
        }
    }

    #[test]
    fn tasks_are_sorted_by_the_chosen_column_and_empty_parts_are_omitted() {
        let first = |sort| {
            let page = page(None, &sample(1, 1, 1), sort);
            let at = page.iter().position(|l| l.contains("Prty")).expect("a heading");
            page[at + 1].trim_start().chars().next()
        };
        assert_eq!(first(TaskOrder::Age), Some('2'));
        assert_eq!(first(TaskOrder::Wait), Some('1'));
        let page = page(None, &sample(1, 1, 1), TaskOrder::Age).join("\n");
        assert!(page.contains("SLOW") && page.contains("closed") && page.contains("Age ms*"));
        assert!(!page.contains("Recoverable"), "{page}");
    }

    proptest! {
        #[test]
        fn any_answer_of_a_region_can_be_shown(text in "[\\[\\]{}\":,a-z0-9]{0,80}") {
            let value = serde_json::from_str(&text).unwrap_or(Value::Null);
            page(Some(&value), &value, TaskOrder::Wait);
        }
    }
}
