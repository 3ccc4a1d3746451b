//! What can go wrong, the caller's, the partner's and the machine's faults apart.

use sna::conversation::code::ReturnCode;
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
        /// What was written.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// The partner's address is not known.
    #[error("no partner is called `{0}`, and no address was given for it")]
    UnknownPartner(String),
    /// A socket cannot be opened here.
    #[error("{0}")]
    Socket(String),
    /// Nobody listens there, or the connection broke.
    #[error("{address}: {why}")]
    Connect {
        /// Where.
        address: SocketAddr,
        /// What the system says.
        why: std::io::Error,
    },
    /// The link did not come up, or broke.
    #[error("the link to {partner} did not come up: {why}")]
    Link {
        /// Which partner.
        partner: String,
        /// Why.
        why: String,
    },
    /// A verb ended with this return code.
    #[error("{verb} ended with {code:?} ({}): {why}", code.value())]
    Verb {
        /// The verb.
        verb: &'static str,
        /// Its return code.
        code: ReturnCode,
        /// What the node knows of the reason, or what the code means.
        why: String,
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

    /// A verb that ended with a code, of whose reason the node knows no more.
    pub(crate) fn verb(verb: &'static str, code: ReturnCode) -> Error {
        let text = code.text();
        let (first, rest) = text.split_at(text.len().min(1));
        let why = format!("{}{rest}", first.to_lowercase());
        Error::Verb { verb, code, why }
    }

    pub(crate) fn config(what: &'static str, text: &str, why: impl ToString) -> Error {
        Error::Config {
            what,
            text: text.to_owned(),
            why: why.to_string(),
        }
    }
}
