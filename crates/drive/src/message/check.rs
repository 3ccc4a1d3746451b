//! Checks of an answer, and the values captured from it.

use memchr::memmem;
use regex::bytes::Regex;
use std::sync::Arc;

/// A condition that an answer must satisfy.
#[derive(Clone, Debug)]
pub enum AnswerCheck {
    /// The status is one of these inclusive ranges.
    Status(Arc<[(u16, u16)]>),
    /// The body contains these bytes.
    Contains(Arc<[u8]>),
    /// The body matches.
    Matches(Regex),
    /// The size of the body is within these bounds, both included.
    Size(u64, u64),
}

/// A value captured for later steps.
#[derive(Clone, Debug)]
pub struct ValueCapture {
    /// The client's slot that holds it.
    pub slot: usize,
    /// The source of the value.
    pub from: CaptureFrom,
}

/// The source of a captured value.
#[derive(Clone, Debug)]
pub enum CaptureFrom {
    /// A JSON Pointer (RFC 6901) into the body.
    Json(String),
    /// A header's value.
    Header(String),
    /// The first group of a match in the body, or the whole match.
    Regex(Regex),
}

impl AnswerCheck {
    /// Whether the check needs the body's bytes.
    pub fn needs_body(&self) -> bool {
        matches!(self, AnswerCheck::Contains(_) | AnswerCheck::Matches(_))
    }

    /// Whether an answer passes.
    pub fn passes(&self, status: u16, body: &[u8], body_bytes: u64) -> bool {
        match self {
            AnswerCheck::Status(ranges) => ranges.iter().any(|(a, b)| (*a..=*b).contains(&status)),
            AnswerCheck::Contains(needle) => memmem::find(body, needle).is_some(),
            AnswerCheck::Matches(regex) => regex.is_match(body),
            AnswerCheck::Size(low, high) => (*low..=*high).contains(&body_bytes),
        }
    }
}

impl CaptureFrom {
    /// Stores the value in `slot`. Returns `false` if the answer does not have
    /// it.
    pub fn take(
        &self,
        header: impl Fn(&str) -> Option<Vec<u8>>,
        body: &[u8],
        slot: &mut Vec<u8>,
    ) -> bool {
        let found = match self {
            CaptureFrom::Json(pointer) => serde_json::from_slice::<serde_json::Value>(body)
                .ok()
                .and_then(|json| {
                    let value = json.pointer(pointer)?;
                    Some(match value {
                        serde_json::Value::String(text) => text.clone().into_bytes(),
                        other => other.to_string().into_bytes(),
                    })
                }),
            CaptureFrom::Header(name) => header(name),
            CaptureFrom::Regex(regex) => regex.captures(body).and_then(|groups| {
                let group = groups.get(1).or_else(|| groups.get(0))?;
                Some(group.as_bytes().to_vec())
            }),
        };
        slot.clear();
        match found {
            Some(value) => {
                slot.extend_from_slice(&value);
                true
            }
            None => false,
        }
    }
}
