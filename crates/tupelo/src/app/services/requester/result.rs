//! The result of a call, as the program gets it.

use fetch::FetchedResponse;
use gateway::RequesterResponse;
use link::{CallAnswer, CommandOperands};
use worker::baq::{emit_pairs, operand, outcome};

/// Most bytes of a message for a program.
const MESSAGE_BYTES: usize = 1024;

/// The result of a call.
#[derive(Debug)]
pub struct CallResult {
    /// One of [`outcome`].
    pub outcome: i64,
    /// The server's status; 0 if it sent none.
    pub status: u16,
    /// The error message.
    pub message: String,
    base: Vec<u8>,
    areas: Vec<(String, usize, Vec<u8>)>,
}

impl CallResult {
    /// The call was not made, or its answer cannot be passed to the program.
    pub fn refused(message: String) -> CallResult {
        CallResult {
            outcome: outcome::REFUSED,
            status: 0,
            message,
            base: Vec::new(),
            areas: Vec::new(),
        }
    }

    /// The server sent no answer.
    pub fn no_response(message: String) -> CallResult {
        CallResult {
            outcome: outcome::NO_RESPONSE,
            ..CallResult::refused(message)
        }
    }

    /// The result, with a message that names another server than the called one.
    pub fn of(self, server: &str) -> CallResult {
        CallResult {
            message: format!("{server}: {}", self.message),
            ..self
        }
    }

    /// The result of a call that the server answered with a status.
    pub fn with_status(self, status: u16) -> CallResult {
        CallResult { status, ..self }
    }

    /// The server answered. `plain` is a call whose answer needs no structure to be a
    /// success.
    pub fn answered(
        fetched: &FetchedResponse,
        returned: RequesterResponse,
        plain: bool,
    ) -> CallResult {
        let success = returned.mapped || (plain && (200..300).contains(&fetched.status));
        let outcome = if success {
            outcome::MAPPED
        } else {
            outcome::UNMAPPED
        };
        // A text is returned whole in addition to its data area.
        let message = if success && !returned.plain {
            String::new()
        } else {
            shown(fetched)
        };
        CallResult {
            outcome,
            status: fetched.status,
            message,
            base: returned.base,
            areas: returned.areas,
        }
    }

    /// The result as operands of the command's answer.
    pub fn answer(self) -> CallAnswer {
        let sizes: Vec<[u8; 4]> = self
            .areas
            .iter()
            .map(|(_, size, _)| (*size as u32).to_ne_bytes())
            .collect();
        let areas = self.areas.iter().map(|(n, _, b)| (n.as_bytes(), &b[..]));
        let areas = emit_pairs(areas);
        let each = self.areas.iter().zip(&sizes);
        let elements = emit_pairs(each.map(|((name, ..), size)| (name.as_bytes(), &size[..])));
        let operands = CommandOperands::default()
            .bytes(operand::BASE, self.base)
            .bytes(operand::AREAS, areas)
            .int(operand::OUTCOME, self.outcome)
            .int(operand::STATUS, self.status.into())
            .bytes(operand::MESSAGE, self.message)
            .bytes(operand::ELEMENTS, elements);
        CallAnswer {
            data: operands.emit(),
            ..CallAnswer::default()
        }
    }
}

/// The server's error message.
fn shown(fetched: &FetchedResponse) -> String {
    let text = String::from_utf8_lossy(&fetched.body);
    let mut end = text.len().min(MESSAGE_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    match text[..end].trim() {
        "" => format!("the server answers with status {}", fetched.status),
        text => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_ends_between_two_characters() {
        let body = "é".repeat(MESSAGE_BYTES).into_bytes();
        let fetched = |body| FetchedResponse {
            status: 500,
            body,
            ..FetchedResponse::default()
        };
        assert_eq!(shown(&fetched(body)).len(), MESSAGE_BYTES);
        let none = shown(&fetched(b" \n".to_vec()));
        assert_eq!(none, "the server answers with status 500");
    }
}
