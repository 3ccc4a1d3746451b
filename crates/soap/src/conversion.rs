//! A binding compiled: its messages as codecs of XML and of JSON.
//!
//! A service's runner compiles its binding once and shares the codecs.

use copybook::codepage::CodePage;
use copybook::{CodecOptions, NamingStyle, ParseOptions, RecordCodec};

use crate::binding::{MessageLayout, ServiceBinding};
use crate::codec::{XmlCodec, XmlError, XmlOptions};

/// A message: its record as XML and as JSON.
#[derive(Debug, Clone)]
pub struct MessageCodec {
    /// Its record as XML.
    pub xml: XmlCodec,
    /// Its record as JSON.
    pub json: RecordCodec,
}

impl MessageCodec {
    /// Compiles a message whose record has its characters in `page`.
    ///
    /// # Errors
    /// Why it cannot be converted.
    pub fn build(structure: &MessageLayout, page: CodePage) -> Result<MessageCodec, XmlError> {
        let record = CodecOptions {
            code_page: page,
            naming: NamingStyle::JsonSafe { lowercase: false },
            ..CodecOptions::default()
        };
        let wrong = |e: &dyn std::fmt::Display| XmlError::Copybook(e.to_string());
        let layouts = copybook::parse(&structure.copybook, &ParseOptions::default());
        let layouts = layouts.map_err(|e| wrong(&e))?;
        let Some(first) = layouts.first() else {
            return Err(wrong(&"the copybook has no record"));
        };
        let json = RecordCodec::build(first, &record).map_err(|e| wrong(&e))?;
        let options = XmlOptions {
            record,
            ..XmlOptions::default()
        };
        let xml = XmlCodec::with_layouts(&layouts, &structure.root, &options)?;
        Ok(MessageCodec { xml, json })
    }
}

/// Both messages of a binding.
#[derive(Debug, Clone)]
pub struct MessageCodecs {
    /// The request's codec.
    pub request: MessageCodec,
    /// The response's codec; a one-way operation has none.
    pub response: Option<MessageCodec>,
}

impl MessageCodecs {
    /// Compiles a binding.
    ///
    /// # Errors
    /// Why one of its messages cannot be converted.
    pub fn build(binding: &ServiceBinding, page: CodePage) -> Result<MessageCodecs, XmlError> {
        let response = binding.response.as_ref();
        let response = response.map(|structure| MessageCodec::build(structure, page));
        Ok(MessageCodecs {
            request: MessageCodec::build(&binding.request, page)?,
            response: response.transpose()?,
        })
    }
}
