//! The client's answer when its request or the program's answer failed: one
//! problem document for each case.
//!
//! Reference: RFC 9457.

use super::conn::ConnectionTimer;
use super::serve::Server;
use super::trail::is_health;
use crate::backend::ProgramBackend;
use crate::json::JsonError;
use crate::mapping::context::{MappingFailure, MappingReply};
use crate::mapping::request::EncodeFailure;
use crate::problem::{Fault, ProblemDocument};
use crate::project::asset::ProgramAsset;
use crate::web::WebAbend;
use http::StatusCode;
use region::{Abend, CallFailure, ContainerName, NotStarted, PutError, TransId};

/// Seconds after which a refused client should try again.
const RETRY_AFTER_S: u32 = 1;

impl<B: ProgramBackend> Server<B> {
    /// Why a connection that came while all were at work has no answer but on
    /// health, as long as all places are taken.
    pub(super) fn beyond_limit(
        &self,
        timer: &ConnectionTimer,
        path: &str,
    ) -> Option<ProblemDocument> {
        let full = || self.connections.count() > self.shared.connections_a_door;
        if !timer.is_restricted.get() || is_health(path) || !full() {
            return None;
        }
        let detail = "All connections of this server are in use";
        Some(ProblemDocument {
            retry_after: Some(RETRY_AFTER_S),
            ..ProblemDocument::new(StatusCode::SERVICE_UNAVAILABLE, "Server busy", detail)
        })
    }
}

/// A body that is not JSON, with the place.
#[cold]
pub(super) fn malformed(body: &[u8], error: &JsonError) -> ProblemDocument {
    let before = &body[..error.offset.min(body.len())];
    let line = before.iter().filter(|b| **b == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|b| **b != b'\n').count() + 1;
    let detail = format!(
        "Line {line}, column {column} of the body: {}",
        error.message
    );
    ProblemDocument::new(StatusCode::BAD_REQUEST, "The body is not JSON", detail)
}

/// A body with an object that has a name twice: clients and programs would
/// not agree on which of the two counts.
///
/// Reference: RFC 8259, section 4.
#[cold]
pub(super) fn repeated(name: &str) -> ProblemDocument {
    let detail = format!("An object of the body contains the name {name:?} more than once");
    ProblemDocument::new(StatusCode::BAD_REQUEST, "A name occurs twice", detail)
}

/// A task that the region does not take.
#[cold]
pub(super) fn refused(refusal: NotStarted) -> ProblemDocument {
    let why = refusal.to_string();
    if refusal.is_temporary() {
        let title = "The region is busy";
        return ProblemDocument {
            retry_after: Some(RETRY_AFTER_S),
            ..ProblemDocument::new(StatusCode::SERVICE_UNAVAILABLE, title, why)
        };
    }
    match refusal {
        NotStarted::Unreachable(_) => {
            let title = "The region cannot be reached";
            ProblemDocument::new(StatusCode::BAD_GATEWAY, title, why)
        }
        _ => {
            let title = "The program cannot be run";
            ProblemDocument::new(StatusCode::INTERNAL_SERVER_ERROR, title, why)
        }
    }
}

/// An admitted task without a reply.
#[cold]
pub(super) fn not_run(failed: CallFailure) -> ProblemDocument {
    match failed {
        CallFailure::NotStarted(refusal) => refused(refusal),
        CallFailure::TooLarge(_) => not_put(PutError::TooLarge),
        CallFailure::Lost(why) => {
            let title = "The answer of the region was lost";
            let detail = format!("{why}; the program may have run");
            ProblemDocument::new(StatusCode::BAD_GATEWAY, title, detail)
        }
    }
}

/// A request that does not fit into the program's fields.
#[cold]
pub(super) fn not_put(error: PutError<EncodeFailure>) -> ProblemDocument {
    match error {
        PutError::TooLarge => {
            let detail = "The request is larger than the region's area for it";
            ProblemDocument::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "The request is too large",
                detail,
            )
        }
        PutError::Name(why) => wrong_mapping(why.to_string()),
        PutError::Form(why) => wrong_mapping(why),
        PutError::Fill(EncodeFailure::Faults(faults)) => ProblemDocument::invalid(faults),
        PutError::Fill(EncodeFailure::Expression(source, why)) => {
            let title = "An expression of the request's mapping failed";
            ProblemDocument::new(StatusCode::BAD_REQUEST, title, format!("{why}: {source}"))
        }
    }
}

fn wrong_mapping(why: String) -> ProblemDocument {
    let title = "The mapping is wrong";
    ProblemDocument::new(StatusCode::INTERNAL_SERVER_ERROR, title, why)
}

/// Data of the program that its copybook does not allow.
#[cold]
pub(super) fn bad_data(fault: Fault) -> ProblemDocument {
    let title = "The program's answer does not match its description";
    let detail = fault.message.clone();
    let problem = ProblemDocument::new(StatusCode::BAD_GATEWAY, title, detail);
    ProblemDocument {
        errors: vec![fault],
        ..problem
    }
}

/// An answer that cannot be mapped.
#[cold]
pub(super) fn failed(failure: MappingFailure, reply: &MappingReply<'_>) -> ProblemDocument {
    match failure {
        MappingFailure::Data(mut fault) => {
            let record = fault.field.as_deref().and_then(|f| f.split('.').next());
            let area = reply
                .interface
                .areas
                .iter()
                .find(|a| record == Some(a.layout().name()));
            fault.container = area.map(|a| a.name.clone());
            bad_data(*fault)
        }
        MappingFailure::Expression(source, why) => {
            let title = "An expression of the response's mapping failed";
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            ProblemDocument::new(status, title, format!("{why}: {source}"))
        }
        MappingFailure::Missing(pointer) => {
            let message = format!("{pointer} is required and has no value");
            bad_data(Fault {
                pointer: Some(pointer),
                message,
                ..Fault::default()
            })
        }
    }
}

/// The ended task of a program, for messages about its output.
pub(super) struct ProgramOutput<'a> {
    /// Its number, where that is known.
    pub task: Option<u64>,
    /// Its transaction.
    pub transid: TransId,
    /// The names of its containers.
    pub containers: &'a dyn Fn() -> Vec<ContainerName>,
}

impl ProgramOutput<'_> {
    /// Logs a problem with the program's answer, and returns it.
    #[cold]
    pub fn logged(&self, asset: &ProgramAsset, problem: ProblemDocument) -> ProblemDocument {
        let field = problem.errors.iter().find_map(|e| e.field.as_deref());
        let field = field.map_or(String::new(), |field| format!("{field}: "));
        self.log(&format!("{}: {field}{}", asset.program, problem.detail));
        problem
    }

    fn log(&self, detail: &str) {
        let (task, transid) = (self.task, self.transid.as_str());
        tracing::error!(target: "gateway::answer", task, transid, "{detail}");
    }
}

/// Containers that a response reads and the program did not put.
#[cold]
pub(super) fn absent_containers(
    asset: &ProgramAsset,
    absent: &[&str],
    left: &ProgramOutput<'_>,
) -> ProblemDocument {
    let title = "The program returned no such container";
    let program = &asset.program;
    let detail = format!(
        "{program} ended without {}; {}",
        listed(absent),
        present(&(left.containers)())
    );
    left.log(&detail);
    let errors = absent.iter().map(|name| Fault {
        container: Some((*name).to_owned()),
        message: format!("the container {name} is missing"),
        ..Fault::default()
    });
    ProblemDocument {
        errors: errors.collect(),
        ..ProblemDocument::new(StatusCode::INTERNAL_SERVER_ERROR, title, detail)
    }
}

/// An answer that fits no condition.
#[cold]
pub(super) fn unmapped(
    asset: &ProgramAsset,
    reply: &MappingReply<'_>,
    left: &ProgramOutput<'_>,
) -> ProblemDocument {
    let mut detail =
        "No condition of response_mapping.yaml matches what the program returned".to_owned();
    let areas = reply.interface.areas.iter().zip(reply.bytes);
    let absent: Vec<&str> = areas
        .filter(|(_, bytes)| bytes.is_none())
        .map(|(area, _)| area.name.as_str())
        .collect();
    if !absent.is_empty() {
        let what = listed(&absent);
        detail += &format!(
            "; {} ended without {what}, and {}",
            asset.program,
            present(&(left.containers)())
        );
    }
    left.log(&format!("{}: {detail}", asset.program));
    let title = "The program's answer is not mapped";
    ProblemDocument::new(StatusCode::INTERNAL_SERVER_ERROR, title, detail)
}

fn listed(names: &[&str]) -> String {
    match names {
        [one] => format!("the container {one}"),
        many => format!("the containers {}", many.join(", ")),
    }
}

fn present(there: &[ContainerName]) -> String {
    let mut names: Vec<&str> = there.iter().map(ContainerName::as_str).collect();
    names.sort_unstable();
    match names.as_slice() {
        [] => "the channel has no container".to_owned(),
        some => format!("there is {}", some.join(", ")),
    }
}

/// A program that ended abnormally, with its code and line.
#[cold]
pub(super) fn abended(abend: &Abend, asset: &ProgramAsset) -> ProblemDocument {
    let reported = WebAbend {
        code: abend.code().into_owned(),
        place: abend.program.to_string(),
        line: abend.line,
        message: abend.message.clone(),
    };
    abended_in(reported, asset.program.as_str())
}

/// As above for a task that was begun with this program or script.
#[cold]
pub(super) fn abended_in(abend: WebAbend, first: &str) -> ProblemDocument {
    let WebAbend {
        code,
        mut place,
        line,
        message,
    } = abend;
    if place.is_empty() {
        first.clone_into(&mut place);
    }
    let line = if line > 0 {
        format!(" line {line}")
    } else {
        String::new()
    };
    let message = without_folders(&message);
    let detail = format!("Abend {code} in {place}{line}: {message}");
    // A region purges a task whose deadline has passed.
    let (status, title) = match code.as_str() {
        "AEXY" => (StatusCode::GATEWAY_TIMEOUT, "The program took too long"),
        _ => (
            StatusCode::INTERNAL_SERVER_ERROR,
            "The program ended abnormally",
        ),
    };
    ProblemDocument {
        abend: Some(Box::new((code, place))),
        ..ProblemDocument::new(status, title, detail)
    }
}

/// A text in which files of the server have their names only: where they lie is
/// not for clients.
fn without_folders(text: &str) -> String {
    let ends = |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | ':' | ',' | ')' | '(');
    let mut out = String::with_capacity(text.len());
    for word in text.split_inclusive(ends) {
        let (path, end) = match word.char_indices().next_back() {
            Some((at, last)) if ends(last) => word.split_at(at),
            _ => (word, ""),
        };
        let below_root = path
            .strip_prefix('/')
            .and_then(|rest| rest.rsplit_once('/'));
        out.push_str(below_root.map_or(path, |(_, name)| name));
        out.push_str(end);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_does_not_learn_where_files_of_the_server_lie() {
        let message = "cannot load /srv/bank/.tupelo/modules/A.so: '/lib/x y' (/a/b/c.so) 1/2 /now";
        let shown = "cannot load A.so: 'x y' (c.so) 1/2 /now";
        assert_eq!(without_folders(message), shown);
    }

    #[test]
    fn a_task_that_was_purged_took_too_long() {
        let status = |code: &str| {
            let abend = WebAbend {
                code: code.into(),
                place: "P".into(),
                line: 0,
                message: "it ended".into(),
            };
            abended_in(abend, "P").status
        };
        assert_eq!(status("AEXY"), StatusCode::GATEWAY_TIMEOUT);
        assert_eq!(status("ASRA"), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
