//! The bindings that TRANSFORM converts by, compiled when a program first asks.
//!
//! A name alone means the message that a service gets; with `.RESPONSE` behind
//! it, the message that it gives.

use std::collections::HashMap;
use std::rc::Rc;

use copybook::codepage::CodePage;
use copybook::{Codec, CodecOptions, Naming, ParseOptions};
use link::TransformEntry;
use soap::{Binding, Structure, XmlCodec, XmlOptions};

/// All bindings of the region.
#[derive(Default)]
pub struct Transforms {
    texts: HashMap<String, String>,
    compiled: HashMap<String, Option<Rc<Transform>>>,
}

/// A compiled binding.
pub struct Transform {
    /// The message it is named for.
    pub own: Message,
    /// The other one.
    pub other: Option<Message>,
}

/// A compiled message.
pub struct Message {
    /// Its record as XML.
    pub xml: XmlCodec,
    /// Its record as JSON.
    pub json: Codec,
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
    let binding = Binding::parse(text).ok()?;
    let request = message(&binding.request)?;
    let answer = binding.response.as_ref().and_then(message);
    match response {
        false => Some(Transform {
            own: request,
            other: answer,
        }),
        true => Some(Transform {
            own: answer?,
            other: Some(request),
        }),
    }
}

fn message(structure: &Structure) -> Option<Message> {
    let record = CodecOptions {
        code_page: CodePage::latin1(),
        naming: Naming::JsonSafe { lowercase: false },
        ..CodecOptions::default()
    };
    let layouts = copybook::parse(&structure.copybook, &ParseOptions::default()).ok()?;
    let json = Codec::build(layouts.first()?, &record).ok()?;
    let options = XmlOptions {
        record,
        ..XmlOptions::default()
    };
    let xml = XmlCodec::with_layouts(&layouts, &structure.root, &options).ok()?;
    Some(Message { xml, json })
}

/// What names the answer of a service.
const RESPONSE: &str = ".RESPONSE";
