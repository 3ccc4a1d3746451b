//! WS-Addressing in a pipeline: the properties of a request, the destination of its
//! answer, and the properties of a requester's message.
//!
//! Reference: W3C, Web Services Addressing 1.0, Core and SOAP Binding; CICS
//! Transaction Server, "Support for Web Services Addressing".

use std::fmt::Debug;
use std::sync::Arc;

use super::config::AddressingConfig as Config;
use super::machine::Pipeline;
use super::names;
use crate::addressing::{
    ANONYMOUS, AddressingError, AddressingHeaders, AddressingProperties, AddressingVersion,
    EndpointReference, NONE,
};
use crate::envelope::{Envelope, Fault};

/// Returns whether an answer may be sent to an address that a request names.
pub trait ReplyPolicy: Debug + Send + Sync {
    /// Whether the settings allow the address.
    fn allows(&self, address: &str) -> bool;
}

/// The addressing of a run.
#[derive(Debug, Clone, Default)]
pub struct RunAddressing {
    /// Of the request: as received by a provider, or as built by a requester's
    /// program.
    pub request: AddressingProperties,
    /// Of the response: as built by a provider's program, or as received by a
    /// requester.
    pub response: AddressingProperties,
    /// The message's own name, unless a program gives one.
    pub message_id: String,
    /// The action of a requester's request, unless its program gives one.
    pub request_action: String,
    /// The action of a provider's response, unless its program sets one. If it
    /// is empty, the request's action with `Response` appended.
    pub response_action: String,
    /// Addresses that answers may be sent to; without it, answers go to the
    /// requester only.
    pub replies: Option<Arc<dyn ReplyPolicy>>,
    /// Messages of this run have blocks, of this edition.
    active: Option<AddressingVersion>,
}

/// The destination of a provider's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerDestination {
    /// To the requester, on its connection.
    Connection,
    /// The none address: the answer is not sent.
    Nowhere,
    /// To another address.
    Elsewhere {
        /// The address.
        address: String,
        /// The program has chosen it, not the request.
        by_program: bool,
    },
}

impl Pipeline {
    /// Whether messages of this run have addressing blocks.
    pub fn has_addressing(&self) -> bool {
        self.addressing.active.is_some()
    }

    /// Sets the properties that a provider's program has built for its
    /// response.
    pub fn set_response_addressing(&mut self, response: AddressingProperties) {
        if let (None, Some(edition), false) = (
            self.addressing.active,
            self.terminal_edition(),
            response.is_empty(),
        ) {
            self.addressing.active = Some(edition);
        }
        self.addressing.response = response;
    }

    /// The namespace of the blocks of this run's messages.
    pub(super) fn addressing_namespace(&self) -> Option<&'static str> {
        self.addressing.active.map(AddressingVersion::namespace)
    }

    /// The destination of the provider's answer.
    pub fn destination(&self) -> AnswerDestination {
        if !self.has_addressing() {
            return AnswerDestination::Connection;
        }
        let is_fault = self.answered_fault().is_some();
        let own = &self.addressing;
        let built = own.response.to.as_ref();
        let built = built.filter(|to| !to.address.is_empty());
        let (to, by_program) = match (built, own.request.destination(is_fault)) {
            (Some(to), _) => (Some(to), true),
            (None, to) => (to, false),
        };
        match to.map(|to| to.address.as_str()) {
            None | Some(ANONYMOUS) => AnswerDestination::Connection,
            Some(NONE) => AnswerDestination::Nowhere,
            Some(address) => AnswerDestination::Elsewhere {
                address: address.to_owned(),
                by_program,
            },
        }
    }

    /// Whether a requester's answer is sent to another address, or not at all.
    pub fn is_answered_elsewhere(&self) -> bool {
        let reply_to = self.addressing.request.reply_to.as_ref();
        self.has_addressing() && reply_to.is_some_and(|to| to.address != ANONYMOUS)
    }

    /// Reads the addressing of a provider's request; marks its header blocks as
    /// understood.
    pub(super) fn take_request_addressing(
        &mut self,
        config: &Config,
        envelope: &Envelope<'_>,
    ) -> Result<Vec<(String, String)>, Fault> {
        let found =
            AddressingHeaders::parse(envelope, &config.editions).map_err(|(edition, wrong)| {
                self.addressing.active = Some(edition);
                wrong.fault(edition)
            })?;
        let Some(found) = found else {
            return Ok(Vec::new());
        };
        let edition = found.edition;
        self.addressing.active = Some(edition);
        let checked = found
            .check_request(found.properties.reply_to.is_some())
            .and_then(|()| self.check_destinations(&found.properties));
        if let Err(wrong) = checked {
            // The answer is sent to the requester, whatever ReplyTo
            // contains.
            self.addressing.request = AddressingProperties {
                message_id: found.properties.message_id,
                ..AddressingProperties::default()
            };
            return Err(wrong.fault(edition));
        }
        self.addressing.request = found.properties;
        Ok(understood(envelope, edition))
    }

    fn check_destinations(&self, request: &AddressingProperties) -> Result<(), AddressingError> {
        for (name, endpoint) in [
            ("ReplyTo", &request.reply_to),
            ("FaultTo", &request.fault_to),
        ] {
            let Some(address) = endpoint.as_ref().map(|to| to.address.as_str()) else {
                continue;
            };
            let allowed = || {
                let replies = self.addressing.replies.as_ref();
                replies.is_some_and(|replies| replies.allows(address))
            };
            if ![ANONYMOUS, NONE].contains(&address) && !allowed() {
                return Err(AddressingError::Elsewhere(name));
            }
        }
        Ok(())
    }

    /// The header blocks of a provider's response; `fault` if it is one.
    pub(super) fn response_blocks(&self, fault: Option<&Fault>) -> Vec<String> {
        let own = &self.addressing;
        let Some(edition) = own.active else {
            return Vec::new();
        };
        let mut made = own.request.answer(fault.is_some());
        made.message_id = filled(&own.message_id);
        made.action = Some(match fault {
            Some(fault) if about_addressing(fault) => edition.fault().to_owned(),
            Some(_) => edition.soap_fault().to_owned(),
            None => match (own.response_action.as_str(), &own.request.action) {
                ("", Some(action)) => format!("{action}Response"),
                ("", None) => String::new(),
                (action, _) => action.to_owned(),
            },
        });
        let mut built = own.response.clone();
        if fault.is_some() {
            // An action that the program has built is that of its answer.
            built.action = None;
        }
        made.replace_by(&built);
        made.blocks(edition)
    }

    /// The blocks of a requester's request.
    pub(super) fn request_blocks(&mut self, config: &Config) -> Vec<String> {
        let own = &self.addressing;
        if !config.always && own.request.is_empty() {
            return Vec::new();
        }
        let edition = config.editions.first().copied().unwrap_or_default();
        let mut made = AddressingProperties {
            to: Some(EndpointReference::of(self.text(names::URI))),
            reply_to: Some(EndpointReference::of(ANONYMOUS)),
            action: filled(&own.request_action),
            message_id: filled(&own.message_id),
            ..AddressingProperties::default()
        };
        made.replace_by(&own.request);
        self.addressing.active = Some(edition);
        self.addressing.request = made;
        self.addressing.request.blocks(edition)
    }

    /// Reads the addressing of a requester's response; marks its header blocks
    /// as understood.
    pub(super) fn take_response_addressing(
        &mut self,
        envelope: &Envelope<'_>,
    ) -> Result<Vec<(String, String)>, String> {
        let found = AddressingHeaders::parse(envelope, &AddressingVersion::ALL)
            .map_err(|(_, wrong)| wrong.to_string())?;
        let Some(found) = found else {
            return Ok(Vec::new());
        };
        let asked = self.addressing.request.message_id.as_deref();
        let replies = found.properties.relates_to.iter();
        let mut replies = replies.filter(|(_, kind)| kind.is_empty()).peekable();
        if let (Some(asked), true) = (asked, replies.peek().is_some())
            && replies.all(|(id, _)| id != asked)
        {
            return Err("its RelatesTo names another message".to_owned());
        }
        self.addressing.response = found.properties;
        Ok(understood(envelope, found.edition))
    }
}

/// The blocks of an edition, and those that are its destination's parameters.
fn understood(envelope: &Envelope<'_>, edition: AddressingVersion) -> Vec<(String, String)> {
    let own = envelope.headers.iter().filter(|h| {
        let known = h.namespace == edition.namespace() && PROPERTIES.contains(&&*h.name);
        known || h.is_parameter
    });
    own.map(|h| (h.namespace.clone(), h.name.clone())).collect()
}

/// The header blocks that say something here.
const PROPERTIES: [&str; 7] = [
    "To",
    "From",
    "ReplyTo",
    "FaultTo",
    "Action",
    "MessageID",
    "RelatesTo",
];

/// Whether a fault is about addressing: its code is one of that namespace.
fn about_addressing(fault: &Fault) -> bool {
    fault.subcodes.iter().any(|code| code.starts_with("wsa:"))
}

fn filled(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
