//! Addressing properties from the header blocks of a message.

use super::endpoint::{XmlPart, alone, inner};
use super::{AddressingError, AddressingProperties, AddressingVersion, EndpointReference};
use crate::envelope::{Envelope, Header};
use crate::xml::{Limits, Reader, ReaderEvent};

/// The addressing headers of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressingHeaders {
    /// Which text its blocks follow.
    pub edition: AddressingVersion,
    /// Its properties.
    pub properties: AddressingProperties,
}

impl AddressingHeaders {
    /// The properties of a message: the header blocks for this receiver, of the
    /// first edition in `editions` that occurs. Returns `None` without such a
    /// block.
    ///
    /// # Errors
    ///
    /// The fault, with the edition.
    pub fn parse(
        envelope: &Envelope<'_>,
        editions: &[AddressingVersion],
    ) -> Result<Option<AddressingHeaders>, (AddressingVersion, AddressingError)> {
        let ours = || {
            envelope
                .headers
                .iter()
                .filter(|h| h.is_for_ultimate_receiver())
        };
        let has = |edition: &&AddressingVersion| ours().any(|h| h.namespace == edition.namespace());
        let Some(edition) = editions.iter().find(has).copied() else {
            return Ok(None);
        };
        let mut made = AddressingProperties::default();
        let mut parameters = String::new();
        for header in ours() {
            let own = header.namespace == edition.namespace();
            let part = part(envelope, header);
            let part = part.map_err(|why| (edition, AddressingError::Form("To", why)))?;
            if own {
                property(&mut made, &part).map_err(|wrong| (edition, wrong))?;
            } else if header.is_parameter {
                parameters += &alone(&part);
            }
        }
        if !parameters.is_empty() {
            let to = made
                .to
                .get_or_insert_with(|| EndpointReference::of(super::ANONYMOUS));
            to.parameters = parameters;
        }
        Ok(Some(AddressingHeaders {
            edition,
            properties: made,
        }))
    }

    /// Whether a request has all required properties.
    ///
    /// # Errors
    ///
    /// The property that is missing.
    pub fn check_request(&self, wants_answer: bool) -> Result<(), AddressingError> {
        let own = &self.properties;
        if own.action.is_none() {
            return Err(AddressingError::Missing("Action"));
        }
        // The submission requires To, and ReplyTo where an answer is expected;
        // the recommendation leaves both optional.
        if self.edition == AddressingVersion::Submission {
            if own.to.is_none() {
                return Err(AddressingError::Missing("To"));
            }
            if wants_answer && own.message_id.is_none() {
                return Err(AddressingError::Missing("MessageID"));
            }
        }
        Ok(())
    }
}

/// A header block with the namespace declarations in scope.
fn part<'a>(envelope: &Envelope<'a>, header: &Header) -> Result<XmlPart<'a>, String> {
    let text = &envelope.text[header.span.clone()];
    let mut reader = Reader::new(text, Limits::default()).map_err(|e| e.to_string())?;
    let attributes = match reader.next_event().map_err(|e| e.to_string())? {
        ReaderEvent::Start(start) => start.attributes()?,
        _ => Vec::new(),
    };
    Ok(XmlPart {
        namespace: header.namespace.clone(),
        name: header.name.clone(),
        text,
        around: envelope.header_scopes.clone(),
        attributes,
    })
}

/// Takes a block of the edition into the properties.
fn property(made: &mut AddressingProperties, part: &XmlPart<'_>) -> Result<(), AddressingError> {
    let written = |block: &'static str| {
        inner(part.text, &part.around).map_err(|e| AddressingError::Form(block, e))
    };
    let endpoint = |block: &'static str| {
        EndpointReference::within(part.text, &part.around)
            .map_err(|e| AddressingError::Form(block, e))
    };
    fn once<T>(
        place: &mut Option<T>,
        block: &'static str,
        value: T,
    ) -> Result<(), AddressingError> {
        match place.replace(value) {
            None => Ok(()),
            Some(_) => Err(AddressingError::Twice(block)),
        }
    }
    match part.name.as_str() {
        "To" => {
            let mut to = EndpointReference::of(written("To")?);
            if to.address == AddressingVersion::Submission.anonymous() {
                to.address = super::ANONYMOUS.to_owned();
            }
            once(&mut made.to, "To", to)
        }
        "From" => once(&mut made.from, "From", endpoint("From")?),
        "ReplyTo" => once(&mut made.reply_to, "ReplyTo", endpoint("ReplyTo")?),
        "FaultTo" => once(&mut made.fault_to, "FaultTo", endpoint("FaultTo")?),
        "Action" => match written("Action")? {
            action if action.is_empty() => {
                Err(AddressingError::Form("Action", "it is empty".into()))
            }
            action => once(&mut made.action, "Action", action),
        },
        "MessageID" => once(&mut made.message_id, "MessageID", written("MessageID")?),
        "RelatesTo" => {
            let kind = part
                .attributes
                .iter()
                .find(|(key, _)| key == "RelationshipType");
            let kind = kind.map_or("", |(_, value)| value.as_str());
            let kind = match kind {
                super::REPLY | "wsa:Reply" => "",
                other => other,
            };
            if made.relates_to.len() >= MOST_RELATED {
                return Err(AddressingError::Twice("RelatesTo"));
            }
            made.relates_to
                .push((written("RelatesTo")?, kind.to_owned()));
            Ok(())
        }
        // Others of the namespace say nothing about the way of a message.
        _ => Ok(()),
    }
}

/// The maximum number of related messages.
const MOST_RELATED: usize = 64;
