//! Scenarios from what others recorded: a browser's HTTP archive and simple
//! JMeter plans. What has no place here is named in a note, never dropped in
//! silence.

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
    /// What could not be taken over, and what to look at.
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
    /// Nothing in it can be driven.
    #[error("the file holds no HTTP request")]
    Empty,
    /// It has HTTP requests, and none of them could be taken over.
    #[error("{}", none_taken(*requests, notes))]
    NoneTaken {
        /// How many requests the file has.
        requests: usize,
        /// Why each of them was left out.
        notes: Vec<String>,
    },
}

fn none_taken(requests: usize, notes: &[String]) -> String {
    let mut text = if requests == 1 {
        "its HTTP request could not be taken over".to_owned()
    } else {
        format!("none of its {requests} HTTP requests could be taken over")
    };
    for note in notes {
        text += &format!("\n  {note}");
    }
    text
}
