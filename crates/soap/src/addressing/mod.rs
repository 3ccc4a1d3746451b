//! WS-Addressing: the destination of a message, the message it answers, and the
//! destination of answers.
//!
//! [`AddressingProperties`] are the addressing properties of one message, read from its
//! header blocks and written as such; [`EndpointReference`] is an endpoint reference.
//! Both are kept as the recommendation has them and turned into the older
//! submission where a message is of that [`AddressingVersion`].
//!
//! Reference: W3C, Web Services Addressing 1.0 Core and SOAP Binding; the member
//! submission of August 2004; CICS Transaction Server, "Support for Web Services
//! Addressing".

mod endpoint;
mod fault;
mod read;
mod write;

pub use endpoint::EndpointReference;
pub use fault::AddressingError;
pub use read::AddressingHeaders;

/// The specification that the header blocks follow, distinguished by their
/// namespace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AddressingVersion {
    /// The recommendation.
    #[default]
    Recommendation,
    /// The member submission of 2004.
    Submission,
}

impl AddressingVersion {
    /// Both.
    pub const ALL: [AddressingVersion; 2] = [
        AddressingVersion::Recommendation,
        AddressingVersion::Submission,
    ];

    /// The namespace of its elements.
    pub const fn namespace(self) -> &'static str {
        match self {
            AddressingVersion::Recommendation => "http://www.w3.org/2005/08/addressing",
            AddressingVersion::Submission => "http://schemas.xmlsoap.org/ws/2004/08/addressing",
        }
    }

    /// The edition of a namespace.
    pub fn of(namespace: &str) -> Option<AddressingVersion> {
        let mut all = AddressingVersion::ALL.into_iter();
        all.find(|edition| edition.namespace() == namespace)
    }

    /// The anonymous address: the other end of the connection.
    pub const fn anonymous(self) -> &'static str {
        match self {
            AddressingVersion::Recommendation => ANONYMOUS,
            AddressingVersion::Submission => {
                "http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous"
            }
        }
    }

    /// The relationship type of a reply.
    pub const fn reply(self) -> &'static str {
        match self {
            AddressingVersion::Recommendation => REPLY,
            AddressingVersion::Submission => "wsa:Reply",
        }
    }

    /// The action of faults about addressing.
    pub const fn fault(self) -> &'static str {
        match self {
            AddressingVersion::Recommendation => "http://www.w3.org/2005/08/addressing/fault",
            AddressingVersion::Submission => {
                "http://schemas.xmlsoap.org/ws/2004/08/addressing/fault"
            }
        }
    }

    /// The action of faults without their own action.
    pub const fn soap_fault(self) -> &'static str {
        match self {
            AddressingVersion::Recommendation => "http://www.w3.org/2005/08/addressing/soap/fault",
            AddressingVersion::Submission => AddressingVersion::Submission.fault(),
        }
    }
}

/// The anonymous address: the other end of the connection.
pub const ANONYMOUS: &str = "http://www.w3.org/2005/08/addressing/anonymous";
/// The none address: messages to it are discarded.
pub const NONE: &str = "http://www.w3.org/2005/08/addressing/none";
/// The usual relation of an answer to its request.
pub const REPLY: &str = "http://www.w3.org/2005/08/addressing/reply";

/// The addressing properties of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressingProperties {
    /// Its destination, with reference parameters.
    pub to: Option<EndpointReference>,
    /// The sender.
    pub from: Option<EndpointReference>,
    /// The destination of the answer.
    pub reply_to: Option<EndpointReference>,
    /// The destination of a fault.
    pub fault_to: Option<EndpointReference>,
    /// The action.
    pub action: Option<String>,
    /// Its own name.
    pub message_id: Option<String>,
    /// Messages that it is related to, and how; an empty relation is a reply.
    pub relates_to: Vec<(String, String)>,
}

impl AddressingProperties {
    /// Whether there are no addressing header blocks.
    pub fn is_empty(&self) -> bool {
        *self == AddressingProperties::default()
    }

    /// Replaces the properties that `other` has.
    pub fn replace_by(&mut self, other: &AddressingProperties) {
        let take = |own: &mut Option<EndpointReference>, other: &Option<EndpointReference>| {
            let Some(other) = other else {
                return;
            };
            let mut taken = other.clone();
            if taken.address.is_empty() {
                // Parameters alone were given, for the address that there is.
                let address = own.take().map(|own| own.address);
                taken.address = address.unwrap_or_else(|| ANONYMOUS.to_owned());
            }
            *own = Some(taken);
        };
        take(&mut self.to, &other.to);
        take(&mut self.from, &other.from);
        take(&mut self.reply_to, &other.reply_to);
        take(&mut self.fault_to, &other.fault_to);
        if other.action.is_some() {
            self.action.clone_from(&other.action);
        }
        if other.message_id.is_some() {
            self.message_id.clone_from(&other.message_id);
        }
        if !other.relates_to.is_empty() {
            self.relates_to.clone_from(&other.relates_to);
        }
    }

    /// The properties of the answer to a request with these: destination and
    /// RelatesTo. Action and name are the answerer's.
    #[must_use]
    pub fn answer(&self, is_fault: bool) -> AddressingProperties {
        let to = self.destination(is_fault).cloned();
        AddressingProperties {
            to: Some(to.unwrap_or_else(|| EndpointReference::of(ANONYMOUS))),
            relates_to: self
                .message_id
                .iter()
                .map(|id| (id.clone(), String::new()))
                .collect(),
            ..AddressingProperties::default()
        }
    }

    /// The destination of the answer or fault. `None` for the requester.
    pub fn destination(&self, is_fault: bool) -> Option<&EndpointReference> {
        let own = self.fault_to.as_ref().filter(|_| is_fault);
        own.or(self.reply_to.as_ref())
    }
}
