//! The administration port's answers about the trace.
//!
//! | | |
//! |---|---|
//! | `POST /trace/start?name=NAME&mib=N&...`, with the same filters | starts writing the trace to a file |
//! | `POST /trace/stop` | stops writing the trace |
//! | `GET /trace/file` | the state of the trace file |
//! | `GET /trace/counts` | commands by transaction and command |
//! | `POST /trace/counts` | the same counts, which are then reset |
//! | `GET /trace?task=N&transaction=ID&domain=NAME&last=N` | the newest entries of the trace, by time |

use std::time::{SystemTime, UNIX_EPOCH};

use gateway::OperatorResult;
use region::{Handle, TraceFilter};
use serde_json::{Value, json};

/// The default size of a trace file in MiB; the next line is the largest.
const MIB: u64 = 256;
const MAX_MIB: u64 = 65_536;
/// The default number of entries.
const LAST: usize = 200;

/// The answer to a path. Returns `None` if the path is not one of these.
pub fn answer(region: &Handle, path: &str, query: &str, change: bool) -> Option<OperatorResult> {
    let given = match (path.trim_end_matches('/'), change) {
        ("/trace", false) => filter(query)
            .map(|filter| json!(region.trace(&filter)))
            .map_err(|why| (400, why)),
        ("/trace/counts", reset) => Ok(json!(region.command_counts(reset))),
        ("/trace/file", false) => Ok(json!(region.trace_status())),
        ("/trace/start", true) => start(region, query),
        ("/trace/stop", true) => match region.trace_stop() {
            Some(status) => Ok(json!(status)),
            None => Err((409, "no trace is being written".to_owned())),
        },
        _ => return None,
    };
    Some(match given {
        Ok(value) => OperatorResult {
            status: 200,
            json: value.to_string(),
        },
        Err((status, why)) => OperatorResult {
            status,
            json: json!({ "error": why }).to_string(),
        },
    })
}

/// Begins to write the trace to a file; an error has its HTTP status.
fn start(region: &Handle, query: &str) -> Result<Value, (u16, String)> {
    let (name, filter, mib) = wanted(query).map_err(|why| (400, why))?;
    match region.trace_start(&name, filter, mib << 20) {
        Ok(status) => Ok(json!(status)),
        Err(error) => Err((
            409,
            format!("the trace cannot be written to {name}: {error}"),
        )),
    }
}

/// Name, filter and size in MiB of a trace file, from a query.
fn wanted(query: &str) -> Result<(String, TraceFilter, u64), String> {
    let mut rest = Vec::new();
    let (mut name, mut mib) = (None, MIB);
    for part in query.split('&') {
        match part.split_once('=') {
            Some(("name", value)) => name = Some(value.to_owned()),
            Some(("mib", value)) => {
                let known = value.parse().ok().filter(|n| (1..=MAX_MIB).contains(n));
                mib = known.ok_or(format!("mib={value}: expected 1 to {MAX_MIB}"))?;
            }
            _ => rest.push(part),
        }
    }
    let name = name.unwrap_or_else(default_name);
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_".contains(&b);
    if name.is_empty() || name.len() > 64 || !name.bytes().all(plain) {
        return Err(format!("name={name}: letters, digits, - and _ only"));
    }
    let filter = TraceFilter {
        last: None,
        ..filter(&rest.join("&"))?
    };
    Ok((name, filter, mib))
}

fn default_name() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    format!("trace-{}", since.map_or(0, |d| d.as_secs()))
}

/// The filter of a query.
fn filter(query: &str) -> Result<TraceFilter, String> {
    let mut filter = TraceFilter {
        last: Some(LAST),
        ..TraceFilter::default()
    };
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let wrong = |what: &str| format!("{key}={value}: {what}");
        match key {
            "task" => filter.task = Some(value.parse().map_err(|_| wrong("not a task number"))?),
            "transaction" => {
                let id = value
                    .parse()
                    .map_err(|_| wrong("not a transaction identifier"))?;
                filter.transid = Some(id);
            }
            "domain" => filter.domain = Some(value.to_owned()),
            "last" => filter.last = Some(value.parse().map_err(|_| wrong("not a number"))?),
            _ => {
                return Err(format!(
                    "{key}: not one of task, transaction, domain and last"
                ));
            }
        }
    }
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_names_what_is_wanted() {
        let wanted = filter("task=12&domain=files&transaction=ACCT&last=5").unwrap();
        assert_eq!((wanted.task, wanted.last), (Some(12), Some(5)));
        assert_eq!(wanted.domain.as_deref(), Some("files"));
        assert_eq!(
            wanted.transid.map(|t| t.to_string()).as_deref(),
            Some("ACCT")
        );
        assert_eq!(filter("").unwrap().last, Some(LAST));
    }

    #[test]
    fn a_mistake_in_a_query_is_named() {
        assert!(filter("task=x").unwrap_err().contains("task number"));
        assert!(
            filter("transaction=TOOLONG")
                .unwrap_err()
                .contains("transaction")
        );
        assert!(filter("colour=red").unwrap_err().contains("colour"));
    }
}
