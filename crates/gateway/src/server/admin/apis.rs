//! APIs as an operator handles them: list, stop, start, redeploy.
//!
//! | | |
//! |---|---|
//! | `GET /apis`, `GET /apis/NAME` | all, or one, with state and operations |
//! | `POST /apis/NAME/stop`, `POST /apis/NAME/start` | its callers get 503, or no longer |
//! | the same with `?operation=ID` | one operation, by operationId or `METHOD /path` |
//! | `POST /apis/NAME/redeploy` | its project is read again and put in force |

use super::super::{ApiRoutes, GatewayShared, LoadError, documents, switch};
use crate::backend::ProgramBackend;
use crate::project::operation::{ApiOperation, LoadedApi};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// A status and its message.
pub(super) type StatusMessage = (u16, Value);

/// The state of one API.
pub(super) fn one(routes: &ApiRoutes, name: &str) -> Option<Value> {
    let api = routes.apis.iter().find(|api| api.name == name)?;
    Some(documents::one(routes, api))
}

/// Stops an API or one of its operations, or starts it again.
pub(super) fn switched(routes: &ApiRoutes, name: &str, query: &str, stop: bool) -> StatusMessage {
    let Some(api) = routes.apis.iter().find(|api| api.name == name) else {
        return absent(name);
    };
    let wanted = query.split('&').find_map(|p| p.strip_prefix("operation="));
    let wanted = wanted.map(|w| {
        let text = w.replace('+', " ");
        percent_encoding::percent_decode_str(&text)
            .decode_utf8_lossy()
            .into_owned()
    });
    let operation = match &wanted {
        Some(wanted) => match operation(api, wanted) {
            Some(operation) => Some(operation),
            None => {
                let why = format!(
                    "{name} has no operation {wanted:?}: give its operationId, or METHOD /path"
                );
                return (404, json!({ "error": why }));
            }
        },
        None => None,
    };
    let state = if stop { "stopped" } else { "started" };
    if let Some(switch) = routes.stopped.get(&switch(name, operation)) {
        switch.store(stop, Relaxed);
    }
    let mut said = json!({ "name": name, "state": state });
    match operation {
        Some(operation) => {
            let called = format!("{} {}", operation.method, operation.path);
            tracing::info!("the operation {called} of {name} is {state}");
            said["operation"] = called.into();
        }
        None => tracing::info!("the API {name} is {state}"),
    }
    (200, said)
}

/// An operation by its id, or by its method and path with or without the base
/// path.
fn operation<'a>(api: &'a LoadedApi, wanted: &str) -> Option<&'a ApiOperation> {
    let called = |o: &ApiOperation| {
        let short = format!("{} {}", o.method, o.path);
        let whole = format!("{} {}{}", o.method, api.base_path, o.path);
        wanted == short || wanted == whole
    };
    let mut all = api.operations.iter();
    all.find(|o| (!o.id.is_empty() && o.id == wanted) || called(o))
}

/// Reads the project of an API again. If the project has no errors it replaces the one in
/// force; requests under way end under the old one.
pub(super) async fn redeployed<B: ProgramBackend>(
    shared: &Arc<GatewayShared<B>>,
    name: &str,
) -> StatusMessage {
    let Some(loader) = shared.config.loader.clone() else {
        let why = "this server cannot read projects again";
        return (409, json!({ "error": why }));
    };
    let wanted = name.to_owned();
    let loaded = tokio::task::spawn_blocking(move || (loader.0)(&wanted)).await;
    let api = match loaded {
        Ok(Ok(api)) => api,
        Ok(Err(LoadError::Absent)) => return absent(name),
        Ok(Err(LoadError::Wrong(faults))) => {
            let why = format!("{name} is not redeployed: its project has errors");
            return (422, json!({ "error": why, "faults": faults }));
        }
        Err(_) => {
            let why = format!("{name} is not redeployed: its project could not be read");
            return (500, json!({ "error": why }));
        }
    };
    let mut taken = None;
    shared.install(|before| {
        taken = before
            .iter()
            .filter(|other| other.name != name)
            .find_map(|other| overlap(&api, other));
        if taken.is_some() {
            return before.to_vec();
        }
        let mut apis: Vec<Arc<LoadedApi>> = before
            .iter()
            .filter(|other| other.name != name)
            .cloned()
            .collect();
        apis.push(api);
        apis.sort_by(|a, b| a.name.cmp(&b.name));
        apis
    });
    if let Some(why) = taken {
        return (409, json!({ "error": why }));
    }
    let mut unserved = shared
        .unserved
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    unserved.retain(|u| u.api != name);
    tracing::info!("the API {name} is redeployed");
    (200, json!({ "name": name, "state": "redeployed" }))
}

/// A path that two APIs both serve.
fn overlap(api: &LoadedApi, other: &LoadedApi) -> Option<String> {
    let mut own = api.operations();
    own.find_map(|(method, path, _)| {
        let same = other.operations().any(|(m, p, _)| m == method && p == path);
        same.then(|| format!("{method} {path} is also served by the API {}", other.name))
    })
}

fn absent(name: &str) -> StatusMessage {
    (404, json!({ "error": format!("no API {name}") }))
}
