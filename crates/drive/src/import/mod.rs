//! Scenarios from other tools' recordings: HTTP archives of browsers and simple
//! JMeter plans. Features without a counterpart are named in a note, never dropped
//! silently.

mod har;
mod jmx;
mod write;

pub use har::har;
pub use jmx::jmx;
pub(crate) use write::{literal, plain, quoted};

use thiserror::Error;

/// An imported scenario.
#[derive(Clone, Debug)]
pub struct ImportedScenario {
    /// The scenario file.
    pub scenario: String,
    /// Features that could not be imported, and settings to check.
    pub notes: Vec<String>,
}

/// Why a file cannot be imported.
#[derive(Debug, Error)]
pub enum ImportError {
    /// Not JSON, or not an HTTP archive.
    #[error("not an HTTP archive: {0}")]
    Har(String),
    /// Not XML, or not a JMeter plan.
    #[error("not a JMeter plan: {0}")]
    Jmx(String),
    /// It contains no request.
    #[error("the file holds no HTTP request")]
    Empty,
    /// It has HTTP requests, but none could be imported.
    #[error("{}", none_taken(*requests, notes))]
    NoneTaken {
        /// How many requests the file has.
        requests: usize,
        /// The reasons why requests were left out.
        notes: Vec<String>,
    },
}

fn none_taken(requests: usize, notes: &[String]) -> String {
    let mut text = if requests == 1 {
        "its HTTP request could not be imported".to_owned()
    } else {
        format!("none of its {requests} HTTP requests could be imported")
    };
    for note in notes {
        text += &format!("\n  {note}");
    }
    text
}
