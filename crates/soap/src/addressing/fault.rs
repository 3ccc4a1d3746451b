//! Errors in the addressing of a message, and their faults.

use super::AddressingVersion;
use crate::envelope::{Fault, FaultCode};

/// Why a message's addressing cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressingError {
    /// A property that may be there once is there more often.
    #[error("the header block {0} occurs more than once")]
    Twice(&'static str),
    /// A header block is not as it must be.
    #[error("the header block {0} cannot be used: {1}")]
    Form(&'static str, String),
    /// A property that must be there is not.
    #[error("the header block {0} is missing")]
    Missing(&'static str),
    /// Answers go to the requester only.
    #[error(
        "the address of {0} is not that of the connection; answers are sent on the connection only"
    )]
    Elsewhere(&'static str),
}

impl AddressingError {
    /// The fault for the sender.
    pub fn fault(&self, edition: AddressingVersion) -> Fault {
        let (code, block) = match (self, edition) {
            (AddressingError::Twice(block), AddressingVersion::Recommendation) => {
                ("InvalidCardinality", block)
            }
            (AddressingError::Form(block, _), AddressingVersion::Recommendation) => {
                ("InvalidAddress", block)
            }
            (AddressingError::Missing(block), _) => ("MessageAddressingHeaderRequired", block),
            (AddressingError::Elsewhere(block), AddressingVersion::Recommendation) => {
                ("OnlyAnonymousAddressSupported", block)
            }
            (
                AddressingError::Twice(block) | AddressingError::Form(block, _),
                AddressingVersion::Submission,
            ) => ("InvalidMessageInformationHeader", block),
            (AddressingError::Elsewhere(block), AddressingVersion::Submission) => {
                ("DestinationUnreachable", block)
            }
        };
        let namespace = edition.namespace();
        let mut fault = Fault::new(FaultCode::Sender, self.to_string());
        // The recommendation has the code for these two around their own.
        if edition == AddressingVersion::Recommendation
            && !matches!(self, AddressingError::Missing(_))
        {
            fault
                .subcodes
                .push("wsa:InvalidAddressingHeader".to_owned());
        }
        fault.subcodes.push(format!("wsa:{code}"));
        fault.detail = Some(format!(
            "<wsa:ProblemHeaderQName xmlns:wsa=\"{namespace}\">wsa:{block}</wsa:ProblemHeaderQName>"
        ));
        fault
    }
}
