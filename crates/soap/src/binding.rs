//! The binding file of a web service: the data that a region needs to run it, made
//! from copybooks or from a service description.
//!
//! It is JSON with a version. The records are COBOL source, parsed when the file is
//! loaded, so the layout is the same as in programs. A mapping assigns elements to
//! items.

use serde::{Deserialize, Serialize};

/// The value of `version` in files of this form.
pub const VERSION: u32 = 1;
/// Rules for names and types that files of this form follow.
pub const MAPPING_LEVEL: &str = "1";

/// A web service's operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceBinding {
    /// [`VERSION`].
    pub version: u32,
    /// [`MAPPING_LEVEL`].
    pub mapping_level: String,
    /// Name of the service in its description.
    pub service: String,
    /// Name of the operation.
    pub operation: String,
    /// The SOAPAction that clients send; empty for none.
    #[serde(default)]
    pub action: String,
    /// The actions of its messages, for WS-Addressing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub addressing: Option<MessageActions>,
    /// The program that a provider links to; a requester has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The interface of the program.
    pub interface: ProgramInterface,
    /// The HTTP methods of a RESTful JSON service; empty for POST only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<String>,
    /// Path of the provider, or the requester's endpoint.
    #[serde(default)]
    pub uri: String,
    /// The message that a provider gets.
    pub request: MessageLayout,
    /// The answer; a one-way operation has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<MessageLayout>,
}

/// The WS-Addressing actions of messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageActions {
    /// Of the request.
    pub request: String,
    /// Of the response; a one-way operation has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
}

/// The interface of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum ProgramInterface {
    /// In a COMMAREA, which holds the answer afterwards.
    Commarea,
    /// In a container of the channel `DFHWS-DATA`'s kind.
    Channel {
        /// The container with the record, both ways.
        container: String,
    },
}

/// A message: its records and its elements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageLayout {
    /// COBOL source: the main record first, then records in containers.
    pub copybook: String,
    /// The element of the message.
    pub root: Node,
}

/// An element or attribute, and the item that holds it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Local name; empty for the text of the element around it.
    pub name: String,
    /// Namespace; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// An attribute of the element around it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub attribute: bool,
    /// Fewest occurrences.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub min: u32,
    /// Maximum number of occurrences. `None` for no limit.
    #[serde(default = "some_one", skip_serializing_if = "is_some_one")]
    pub max: Option<u32>,
    /// Its item: the place in source order, the record being 0.
    pub field: u32,
    /// The item that counts its occurrences.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// The index of the copybook's record, if its occurrences are in a separate
    /// container. Then `field` is the name of the container.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<u32>,
    /// The form of the item's text.
    #[serde(default, skip_serializing_if = "TextForm::is_item")]
    pub form: TextForm,
    /// The child elements.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Node>,
}

/// The form of an element's text in an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextForm {
    /// By the item's picture; a group is the elements within.
    #[default]
    Item,
    /// X'00' is false, X'01' is true.
    Boolean,
    /// The bytes as hexadecimal digits.
    Hex,
    /// The bytes in base64.
    Base64,
}

impl TextForm {
    fn is_item(&self) -> bool {
        *self == TextForm::Item
    }
}

/// Why a file is not a binding.
#[derive(Debug, thiserror::Error)]
pub enum BindingError {
    /// It is not the JSON of a binding.
    #[error("the binding file cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// It is of another version.
    #[error(
        "the binding file has version {0}, but this program reads version {VERSION}; generate it \
         again from its description"
    )]
    Version(u64),
}

impl ServiceBinding {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Why it is not a binding.
    pub fn parse(text: &str) -> Result<ServiceBinding, BindingError> {
        let value: serde_json::Value = serde_json::from_str(text)?;
        if let Some(version) = value.get("version").and_then(serde_json::Value::as_u64)
            && version != u64::from(VERSION)
        {
            return Err(BindingError::Version(version));
        }
        Ok(serde_json::from_value(value)?)
    }

    /// The file's text.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

fn one() -> u32 {
    1
}

fn some_one() -> Option<u32> {
    Some(1)
}

fn is_one(n: &u32) -> bool {
    *n == 1
}

fn is_some_one(n: &Option<u32>) -> bool {
    *n == Some(1)
}

fn is_false(b: &bool) -> bool {
    !*b
}
