//! Errors; faults of the caller, the partner and the machine are separate.

use sna::conversation::code::ReturnCode;
use sna::wire::Sense;
use std::net::SocketAddr;
use thiserror::Error;

/// Why something did not work.
#[derive(Debug, Error)]
pub enum Error {
    /// A name, a mode or an address in the configuration is wrong.
    #[error("{what} `{text}`: {why}")]
    Config {
        /// Which key.
        what: &'static str,
        /// The text.
        text: String,
        /// The problem.
        why: String,
    },
    /// The partner's address is not known.
    #[error("unknown partner `{0}`: define it, or give its address")]
    UnknownPartner(String),
    /// A socket cannot be opened here.
    #[error("{0}")]
    Socket(String),
    /// The connection was refused, or it broke.
    #[error("{address}: {why}")]
    Connect {
        /// Where.
        address: SocketAddr,
        /// The system's error.
        why: std::io::Error,
    },
    /// The link could not be activated, or failed.
    #[error("the link to {partner} did not come up: {why}")]
    Link {
        /// Which partner.
        partner: String,
        /// Why.
        why: String,
    },
    /// A verb ended with this return code.
    #[error("{verb} ended with {code:?} ({}): {why}{}", code.value(), reported(*sense))]
    Verb {
        /// The verb.
        verb: &'static str,
        /// Its return code.
        code: ReturnCode,
        /// The reason that the node found, or the meaning of the code.
        why: String,
        /// The sense data of the partner's error description, if it sent one.
        sense: Option<Sense>,
    },
    /// The partner program did not keep to the transaction's protocol.
    #[error("the partner program answered {0}")]
    Partner(String),
    /// Files and other input and output.
    #[error("{0}: {1}")]
    Io(String, std::io::Error),
    /// The host is stopped.
    #[error("the host is stopped")]
    Stopped,
}

impl Error {
    /// The return code, when a verb gave one.
    pub fn code(&self) -> Option<ReturnCode> {
        match self {
            Error::Verb { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// The error of a verb that ended with a return code. The sense data are
    /// all that the node knows of the reason.
    pub(crate) fn verb(verb: &'static str, code: ReturnCode, sense: Option<Sense>) -> Error {
        let text = code.text();
        let (first, rest) = text.split_at(text.len().min(1));
        Error::Verb {
            verb,
            code,
            why: format!("{}{rest}", first.to_lowercase()),
            sense,
        }
    }

    /// The same error of a verb, with a more precise reason.
    pub(crate) fn because(mut self, reason: impl ToString) -> Error {
        if let Error::Verb { why, .. } = &mut self {
            *why = reason.to_string();
        }
        self
    }

    /// The sense data, when the partner sent an error description.
    pub fn sense(&self) -> Option<Sense> {
        match self {
            Error::Verb { sense, .. } => *sense,
            _ => None,
        }
    }

    pub(crate) fn config(what: &'static str, text: &str, why: impl ToString) -> Error {
        Error::Config {
            what,
            text: text.to_owned(),
            why: why.to_string(),
        }
    }
}

/// Sense data of a return code, as text.
fn reported(sense: Option<Sense>) -> String {
    sense.map_or_else(String::new, |sense| format!(", sense {:08X}", sense.0))
}
