//! The bindings that TRANSFORM converts by, compiled when a program first asks.
//!
//! A name alone means the message that a service gets; with `.RESPONSE` behind
//! it, the message that it gives.

use std::collections::HashMap;
use std::rc::Rc;

use copybook::codepage::CodePage;
use link::TransformEntry;
use soap::{ServiceBinding, MessageCodec, MessageCodecs};

/// All bindings of the region.
#[derive(Default)]
pub struct Transforms {
    texts: HashMap<String, String>,
    compiled: HashMap<String, Option<Rc<Transform>>>,
}

/// A compiled binding.
pub struct Transform {
    /// The message it is named for.
    pub own: MessageCodec,
    /// The other one.
    pub other: Option<MessageCodec>,
}

impl Transforms {
    /// The bindings of a configuration.
    pub fn new(entries: &[TransformEntry]) -> Transforms {
        let pairs = entries.iter().map(|e| (e.name.clone(), e.binding.clone()));
        Transforms {
            texts: pairs.collect(),
            compiled: HashMap::new(),
        }
    }

    /// The binding of a name; `Err` when there is none, `Ok(None)` when it
    /// cannot be used.
    pub fn find(&mut self, name: &str) -> Result<Option<Rc<Transform>>, ()> {
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

fn compile(text: &str, response: bool) -> Option<Transform> {
    let binding = ServiceBinding::parse(text).ok()?;
    let made = MessageCodecs::build(&binding, CodePage::latin1()).ok()?;
    match response {
        false => Some(Transform {
            own: made.request,
            other: made.response,
        }),
        true => Some(Transform {
            own: made.response?,
            other: Some(made.request),
        }),
    }
}

/// What names the answer of a service.
const RESPONSE: &str = ".RESPONSE";
