//! The administration port's answers to pages with terminals.
//!
//! | | |
//! |---|---|
//! | `POST /terminals/open?model=N` | opens a session; returns its name |
//! | `GET /terminals/SESSION/screen?after=N` | the screen image, once its number differs from N |
//! | `POST /terminals/SESSION/keys?KEYS` | presses keys: a JSON array, percent-encoded |
//! | `POST /terminals/SESSION/close` | closes the session |
//!
//! The name of a session works like a key: pages need it, in addition to the port's
//! users and roles.

use std::sync::Arc;

use gateway::{OperatedLater, OperatorResult};
use serde_json::{Value, json};
use terminal::{BrowserError, BrowserTerminals};

use super::operate::{decoded, fault};

/// The answer to a path. Returns `None` if the path is not one of these.
pub fn answer(
    terminals: &Arc<BrowserTerminals>,
    path: &str,
    query: &str,
    change: bool,
) -> Option<OperatedLater> {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let option = |name: &str| {
        let mut parts = query.split('&').filter_map(|part| part.split_once('='));
        parts.find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    let terminals = terminals.clone();
    Some(match (parts.as_slice(), change) {
        (["terminals", "open"], true) => {
            let model = option("model").map_or(Ok(2), str::parse);
            let opened = match model {
                Ok(model @ 2..=5) => terminals.open(model),
                _ => Err(BrowserError::Malformed),
            };
            at_once(opened.map(|session| json!({ "session": session })))
        }
        (["terminals", session, "screen"], false) => {
            let (session, after) = ((*session).to_owned(), option("after"));
            let Ok(after) = after.map(str::parse).transpose() else {
                return Some(at_once(Err(BrowserError::Malformed)));
            };
            Box::pin(async move { operated(terminals.picture(&session, after).await) })
        }
        (["terminals", session, "keys"], true) => {
            let keys = decoded(query).and_then(|keys| String::from_utf8(keys).ok());
            let pressed = match keys {
                Some(keys) => terminals.press(session, &keys),
                None => Err(BrowserError::Malformed),
            };
            at_once(pressed.map(|()| json!({})))
        }
        (["terminals", session, "close"], true) => {
            at_once(terminals.close(session).map(|()| json!({})))
        }
        _ => return None,
    })
}

fn at_once(answer: Result<Value, BrowserError>) -> OperatedLater {
    Box::pin(std::future::ready(operated(answer)))
}

fn operated(answer: Result<Value, BrowserError>) -> OperatorResult {
    match answer {
        Ok(json) => OperatorResult {
            status: 200,
            json: json.to_string(),
        },
        Err(why @ BrowserError::Gone) => fault(404, &why.to_string()),
        Err(why @ BrowserError::TooMany) => fault(503, &why.to_string()),
        Err(why @ BrowserError::Malformed) => fault(400, &why.to_string()),
    }
}
