//! Task lists: this project's monitoring records, and tables like those a
//! performance monitor prints.
//!
//! A table's line is, in this order: a date or none, the time of the task's
//! end, the transaction, the task number, a terminal or none, response time
//! and CPU time in seconds. Commas and blanks both separate. Lines of another
//! shape (headings, rules) are skipped and counted.

use serde_json::Value;

use super::UnreadLine;
use super::time::{TimeOfDay, parse_time};

/// One task that ended.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Task {
    /// Task number.
    pub number: u64,
    /// Transaction.
    pub transid: String,
    /// Its end time, as precise as in the list.
    pub ended: Option<TimeOfDay>,
    /// The terminal, if it had one.
    pub terminal: Option<String>,
    /// Response time in seconds.
    pub response_s: f64,
    /// CPU time in seconds.
    pub cpu_s: Option<f64>,
}

/// A list of tasks, and its unreadable lines.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct TaskList {
    /// The tasks in the order of the list.
    pub tasks: Vec<Task>,
    /// Lines that looked like tasks and were not understood.
    pub unread: Vec<UnreadLine>,
}

/// Reads a list in either form; each line decides for itself.
pub fn parse_tasks(text: &str) -> TaskList {
    let mut list = TaskList::default();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        let result = if line.starts_with('{') {
            record(line)
        } else {
            row(line)
        };
        match result {
            Ok(task) => list.tasks.extend(task),
            Err(why) => list.unread.push(UnreadLine {
                line: index + 1,
                why,
            }),
        }
    }
    list
}

/// A monitoring record: one JSON object.
fn record(line: &str) -> Result<Option<Task>, String> {
    let value: Value = serde_json::from_str(line).map_err(|e| format!("not JSON: {e}"))?;
    let number = |key: &str| value[key].as_u64();
    let (Some(task), Some(response)) = (number("task"), number("response_ns")) else {
        return Err("a record without task and response_ns".to_owned());
    };
    let ended = number("start_unix_ns").and_then(|start| start.checked_add(response));
    Ok(Some(Task {
        number: task,
        transid: value["transid"]
            .as_str()
            .unwrap_or_default()
            .trim()
            .to_owned(),
        ended: ended.map(|ns| TimeOfDay::of_unix_ns(ns, 0)),
        terminal: None,
        response_s: response as f64 / 1e9,
        cpu_s: number("general_cpu_ns").map(|ns| ns as f64 / 1e9),
    }))
}

/// A row of a table. Returns `None` for other lines.
fn row(line: &str) -> Result<Option<Task>, String> {
    let mut words = line
        .split(|c: char| c.is_whitespace() || c == ',' || c == '|')
        .filter(|w| !w.is_empty())
        .peekable();
    words.next_if(|w| w.contains(['/', '-']) && w.bytes().any(|b| b.is_ascii_digit()));
    let Some(ended) = words.next_if(|w| parse_time(w).is_some()) else {
        return Ok(None);
    };
    let transid = words.next().ok_or("a time without a transaction")?;
    let number = words
        .next()
        .and_then(|w| w.trim_start_matches('#').parse().ok());
    let number: u64 = number.ok_or_else(|| format!("no task number after {transid}"))?;
    let rest: Vec<&str> = words.collect();
    let seconds = |word: &&&str| {
        word.contains('.') && word.parse::<f64>().is_ok_and(|v| v.is_finite() && v >= 0.0)
    };
    let figures: Vec<f64> = rest
        .iter()
        .filter(seconds)
        .filter_map(|w| w.parse().ok())
        .collect();
    let response_s = *figures
        .first()
        .ok_or_else(|| format!("no response time for task {number}"))?;
    Ok(Some(Task {
        number,
        transid: transid.to_owned(),
        ended: parse_time(ended),
        terminal: rest
            .first()
            .filter(|w| !seconds(w))
            .map(|w| (*w).to_owned()),
        response_s,
        cpu_s: figures.get(1).copied(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_monitors_table_is_read_with_and_without_terminal() {
        let text = "DATE  TIME(end) TRANID TASK# TERMID RESP CPU\n\
                    10/27 11:15:39 CWXN 233 0.0049 0.0020\n\
                    10/27 11:15:40 FXC1 232 X934 1.0082 0.0349\n\
                    11:15:41,ABCD,7,0.5\n\
                    11:15:42 ABCD seven 0.5\n";
        let list = parse_tasks(text);
        let brief: Vec<_> = list
            .tasks
            .iter()
            .map(|t| {
                (
                    t.number,
                    t.transid.as_str(),
                    t.terminal.as_deref(),
                    t.response_s,
                    t.cpu_s,
                )
            })
            .collect();
        assert_eq!(
            brief,
            [
                (233, "CWXN", None, 0.0049, Some(0.0020)),
                (232, "FXC1", Some("X934"), 1.0082, Some(0.0349)),
                (7, "ABCD", None, 0.5, None),
            ]
        );
        assert_eq!(list.unread.len(), 1);
        assert_eq!(list.unread[0].line, 5);
    }

    #[test]
    fn monitoring_records_are_read() {
        let line = r#"{"task":12,"transid":"ACCT","start_unix_ns":86400500000000,"response_ns":250000000,"general_cpu_ns":1000}"#;
        let list = parse_tasks(line);
        assert_eq!(list.tasks[0].ended.unwrap().to_string(), "00:00:00.750000");
        assert_eq!(list.tasks[0].response_s, 0.25);
        assert_eq!(parse_tasks("{\"task\":1}\n{").unread.len(), 2);
    }
}
