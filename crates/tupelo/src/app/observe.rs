//! What the administration port answers to those who watch: the trace.
//!
//! | | |
//! |---|---|
//! | `GET /trace?task=N&transaction=ID&domain=NAME&last=N` | the trace's newest entries, by time |

use gateway::Operated;
use region::{Handle, TraceFilter};
use serde_json::json;

/// Entries that are given when nobody says how many.
const LAST: usize = 200;

/// The answer to a path; `None` when it is not one of these.
pub fn answer(region: &Handle, path: &str, query: &str, change: bool) -> Option<Operated> {
    if path.trim_end_matches('/') != "/trace" || change {
        return None;
    }
    Some(match filter(query) {
        Ok(filter) => Operated {
            status: 200,
            json: json!(region.trace(&filter)).to_string(),
        },
        Err(why) => Operated {
            status: 400,
            json: json!({ "error": why }).to_string(),
        },
    })
}

/// What a query wants to see.
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
