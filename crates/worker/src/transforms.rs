//! The bindings that TRANSFORM converts by, compiled when a program first asks.
//!
//! A name alone means the message that a service gets; a name with `.RESPONSE`
//! after it means the message that the service returns.

use std::collections::HashMap;
use std::rc::Rc;

use copybook::codepage::CodePage;
use link::TransformEntry;
use soap::{MessageCodec, MessageCodecs, ServiceBinding};

/// All bindings of the region.
#[derive(Default)]
pub struct TransformTable {
    texts: HashMap<String, String>,
    compiled: HashMap<String, Option<Rc<CompiledTransform>>>,
}

/// A compiled binding.
pub struct CompiledTransform {
    /// The message it is named for.
    pub own: MessageCodec,
    /// The other one.
    pub other: Option<MessageCodec>,
}

impl TransformTable {
    /// The bindings of a configuration.
    pub fn new(entries: &[TransformEntry]) -> TransformTable {
        let pairs = entries.iter().map(|e| (e.name.clone(), e.binding.clone()));
        TransformTable {
            texts: pairs.collect(),
            compiled: HashMap::new(),
        }
    }

    /// The binding of a name. Returns `Err` if no binding has this name, `Ok(None)`
    /// if it cannot be used.
    pub fn find(&mut self, name: &str) -> Result<Option<Rc<CompiledTransform>>, ()> {
        if let Some(known) = self.compiled.get(name) {
            return Ok(known.clone());
        }
        let (stem, response) = match name.strip_suffix(RESPONSE) {
            Some(stem) => (stem, true),
            None => (name, false),
        };
        let text = self.texts.get(stem).ok_or(())?;
        let made = compile(text, response).map(Rc::new);
        self.compiled.insert(name.to_owned(), made.clone());
        Ok(made)
    }
}

fn compile(text: &str, response: bool) -> Option<CompiledTransform> {
    let binding = ServiceBinding::parse(text).ok()?;
    let made = MessageCodecs::build(&binding, CodePage::latin1()).ok()?;
    if response {
        Some(CompiledTransform {
            own: made.response?,
            other: Some(made.request),
        })
    } else {
        Some(CompiledTransform {
            own: made.request,
            other: made.response,
        })
    }
}

/// The suffix for the response of a service.
const RESPONSE: &str = ".RESPONSE";
