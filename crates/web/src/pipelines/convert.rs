//! Between the message of a pipeline and the record of a program: what DFHPITP
//! does for providers, and INVOKE SERVICE for requesters.
//!
//! JSON may be the record's object itself, or an object whose one member has
//! the name of the message, as CICS makes it; answers have that form.
//!
//! Reference: CICS Transaction Server, "High-level language and XML schema
//! mapping"; "JSON web services".

use link::ChannelData;
use soap::MessageCodec;
use soap::codec::RecordMessage;
use soap::pipeline::{ChannelContainers, names};
use soap::xml::NamespaceScopes;

/// The record and further containers of a message. The error is for the sender
/// of the message.
pub fn record(
    conversion: &MessageCodec,
    json: bool,
    containers: &ChannelContainers,
    name: &str,
) -> Result<RecordMessage, String> {
    let text = containers.get(name).map_or(&[][..], Vec::as_slice);
    let text = std::str::from_utf8(text).map_err(|_| "the message is not in UTF-8")?;
    if json {
        let codec = &conversion.json;
        let (_, root) = conversion.xml.root();
        let text = unwrapped(text, root).unwrap_or(text);
        let mut record = vec![0; codec.max_len()];
        let length = codec.encode(text.as_bytes(), &mut record);
        record.truncate(length.map_err(|e| e.to_string())?);
        return Ok(RecordMessage {
            record,
            containers: Vec::new(),
        });
    }
    let declarations = containers.get(names::XMLNS).map(Vec::as_slice);
    let declarations = String::from_utf8_lossy(declarations.unwrap_or_default());
    let scopes = NamespaceScopes::from_attributes(&declarations)?;
    conversion
        .xml
        .encode(text, scopes)
        .map_err(|e| e.to_string())
}

/// The message of a record; arrays that are in containers are found in
/// `channel`.
pub fn message(
    conversion: &MessageCodec,
    json: bool,
    record: &[u8],
    channel: &ChannelData,
) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(record.len() * 2);
    if json {
        let (_, root) = conversion.xml.root();
        out.extend_from_slice(format!("{{\"{root}\":").as_bytes());
        object(conversion, record, &mut out)?;
        out.push(b'}');
        return Ok(out);
    }
    let find = |wanted: &str| {
        let mut all = channel.containers.iter();
        let found = all.find(|c| c.name.as_str().trim_end() == wanted);
        found.map(|c| c.bytes.as_slice())
    };
    let decoded = conversion.xml.decode_with(record, &find, &mut out);
    decoded.map_err(|e| e.to_string())?;
    Ok(out)
}

/// The record's object of JSON alone.
pub fn object(conversion: &MessageCodec, record: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    let codec = &conversion.json;
    let length = codec.record_len(record).unwrap_or(record.len());
    let record = &record[..length.min(record.len())];
    codec.decode(record, out).map_err(|e| e.to_string())
}

/// The content of the one member `root` of an object. The reader of the content
/// finds errors in it.
fn unwrapped<'t>(text: &'t str, root: &str) -> Option<&'t str> {
    let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    let inner = inner.trim_start().strip_prefix('"')?;
    let inner = inner.strip_prefix(root)?.strip_prefix('"')?;
    let inner = inner.trim_start().strip_prefix(':')?.trim();
    inner.starts_with('{').then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_member_with_the_messages_name_is_taken_off() {
        let text = " { \"op\" : {\"a\":1} } ";
        assert_eq!(unwrapped(text, "op"), Some("{\"a\":1}"));
        assert_eq!(unwrapped("{\"a\":1}", "op"), None);
        assert_eq!(unwrapped("{\"op\":1}", "op"), None);
        assert_eq!(unwrapped("{\"op", "op"), None);
    }
}
