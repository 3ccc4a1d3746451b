//! TRANSFORM: records to XML and JSON and back, by the region's bindings.
//!
//! Reference: CICS API reference, TRANSFORM DATATOXML, XMLTODATA, DATATOJSON and
//! JSONTODATA. The reason of a failed conversion is a line of the region's log,
//! and for JSON also the container DFHJSON-ERRORMSG.

use std::rc::Rc;

use cics::command::commands::{
    transform_datatojson as to_json, transform_datatoxml as to_xml,
    transform_jsontodata as from_json, transform_xmltodata as from_xml,
};
use cics::resp::Condition;
use link::program_link::valid_name;
use link::{ContainerName, ContainerType};
use soap::xml::{self, Limits, NamespaceScopes, Reader, ReaderEvent, XSI};

use super::containers::{channel_of, container};
use super::convert::convert;
use crate::channel::{ChannelId, PutMode};
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::print;
use crate::transforms::CompiledTransform;
use crate::worker::Worker;

pub fn data_to_json(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let channel = channel(w, call, to_json::CHANNEL)?;
    let transform = transform(w, call, to_json::TRANSFORMER)?;
    let record = record(w, channel, &container(call, to_json::INCONTAINER))?;
    let name = output(call, to_json::OUTCONTAINER, "DFHJSON-JSON")?;
    let mut out = Vec::new();
    // The record may be longer than its layout, as an area that is reused is.
    let codec = &transform.own.json;
    let length = codec
        .record_len(&record)
        .unwrap_or(record.len())
        .min(record.len());
    match codec.decode(&record[..length], &mut out) {
        Ok(()) => put(w, channel, &name, &out, (ContainerType::Char, UTF8)),
        Err(error) => refused_json(w, channel, &error.to_string()),
    }
}

pub fn json_to_data(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let channel = channel(w, call, from_json::CHANNEL)?;
    let transform = transform(w, call, from_json::TRANSFORMER)?;
    let text = text(w, channel, &container(call, from_json::INCONTAINER))?;
    let name = output(call, from_json::OUTCONTAINER, "DFHJSON-DATA")?;
    let codec = &transform.own.json;
    let mut area = vec![0; codec.max_len()];
    match codec.encode(text.as_bytes(), &mut area) {
        Ok(length) => put(w, channel, &name, &area[..length], (ContainerType::Bit, 0)),
        Err(error) => refused_json(w, channel, &error.to_string()),
    }
}

pub fn data_to_xml(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let channel = channel(w, call, to_xml::CHANNEL)?;
    let transform = transform(w, call, to_xml::XMLTRANSFORM)?;
    let record = record(w, channel, &container(call, to_xml::DATCONTAINER))?;
    let name = output(call, to_xml::XMLCONTAINER, "")?;
    let all = super::containers::export(w, channel).containers;
    let find = |wanted: &str| {
        let found = all.iter().find(|c| shown(c.name.as_bytes()) == wanted);
        found.map(|c| c.bytes.as_slice())
    };
    let codec = &transform.own.xml;
    let mut out = Vec::new();
    if let Err(error) = codec.decode_with(&record, &find, &mut out) {
        return refused("DATATOXML", &error.to_string());
    }
    let (namespace, local) = codec.root();
    store_name(call, (to_xml::ELEMNAME, to_xml::ELEMNAMELEN), local, 1)?;
    store_name(call, (to_xml::ELEMNS, to_xml::ELEMNSLEN), namespace, 2)?;
    store_name(call, (to_xml::TYPENAME, to_xml::TYPENAMELEN), "", 3)?;
    store_name(call, (to_xml::TYPENS, to_xml::TYPENSLEN), "", 4)?;
    put(w, channel, &name, &out, (ContainerType::Char, UTF8))
}

pub fn xml_to_data(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let channel = channel(w, call, from_xml::CHANNEL)?;
    let transform = if call.has(from_xml::XMLTRANSFORM) {
        Some(transform(w, call, from_xml::XMLTRANSFORM)?)
    } else {
        None
    };
    let text = text(w, channel, &container(call, from_xml::XMLCONTAINER))?;
    let scopes = if call.has(from_xml::NSCONTAINER) {
        let around = self::text(w, channel, &container(call, from_xml::NSCONTAINER))?;
        match NamespaceScopes::from_attributes(&around) {
            Ok(scopes) => scopes,
            Err(error) => return refused("XMLTODATA", &error),
        }
    } else {
        NamespaceScopes::new()
    };
    let root = match read_root(&text, &scopes) {
        Ok(root) => root,
        Err(error) => return refused("XMLTODATA", &error),
    };
    store_name(
        call,
        (from_xml::ELEMNAME, from_xml::ELEMNAMELEN),
        &root.element.1,
        1,
    )?;
    store_name(
        call,
        (from_xml::ELEMNS, from_xml::ELEMNSLEN),
        &root.element.0,
        2,
    )?;
    store_name(
        call,
        (from_xml::TYPENAME, from_xml::TYPENAMELEN),
        &root.kind.1,
        3,
    )?;
    store_name(
        call,
        (from_xml::TYPENS, from_xml::TYPENSLEN),
        &root.kind.0,
        4,
    )?;
    let Some(transform) = transform else {
        return Ok(());
    };
    let name = output(call, from_xml::DATCONTAINER, "")?;
    let other = transform.other.as_ref();
    let is_root = |xml: &soap::XmlCodec| xml.root() == (&*root.element.0, &*root.element.1);
    let codec = match other.filter(|other| is_root(&other.xml)) {
        Some(other) => &other.xml,
        None => &transform.own.xml,
    };
    let message = match codec.encode(&text, scopes) {
        Ok(message) => message,
        Err(error) => return refused("XMLTODATA", &error.to_string()),
    };
    for (name, data) in &message.containers {
        let name = ContainerName::from_bytes(padded(name));
        put(w, channel, &name, data, (ContainerType::Bit, 0))?;
    }
    put(w, channel, &name, &message.record, (ContainerType::Bit, 0))
}

/// The XML's first element: its name and `xsi:type`, namespaces first.
struct RootElement {
    element: (String, String),
    kind: (String, String),
}

fn read_root(text: &str, around: &NamespaceScopes) -> Result<RootElement, String> {
    let mut reader = Reader::new(text, Limits::default()).map_err(|e| e.to_string())?;
    let ReaderEvent::Start(start) = reader.next_event().map_err(|e| e.to_string())? else {
        return Err("there is no element".into());
    };
    let mut scopes = around.clone();
    let attributes = start.attributes()?;
    scopes.open(&attributes)?;
    let resolved = |name: &[u8]| {
        let (prefix, local) = xml::split(name);
        let local = String::from_utf8_lossy(local).into_owned();
        let namespace = scopes.resolve(prefix);
        namespace
            .map(|ns| (ns.to_owned(), local))
            .ok_or("a prefix is not declared")
    };
    let mut kind = (String::new(), String::new());
    for (key, value) in &attributes {
        let (prefix, local) = xml::split(key.as_bytes());
        if local == b"type" && scopes.resolve(prefix) == Some(XSI) {
            kind = resolved(value.trim().as_bytes())?;
        }
    }
    Ok(RootElement {
        element: resolved(start.name())?,
        kind,
    })
}

fn channel(w: &Worker, call: &CommandCall<'_>, option: u8) -> Result<ChannelId, CommandStop> {
    match call.name::<16>(option) {
        Some(name) if !valid_name(&name) => condition(Condition::ChannelErr, 1),
        _ => channel_of(w, call, option),
    }
}

fn transform(
    w: &mut Worker,
    call: &CommandCall<'_>,
    option: u8,
) -> Result<Rc<CompiledTransform>, CommandStop> {
    let name = call.name::<32>(option).unwrap_or([b' '; 32]);
    match w.transforms.find(&shown(&name)) {
        Ok(Some(transform)) => Ok(transform),
        Ok(None) => condition(Condition::InvReq, 1),
        Err(()) => condition(Condition::NotFnd, 1),
    }
}

/// A container's contents, type and code page.
fn contents(
    w: &mut Worker,
    channel: ChannelId,
    name: &ContainerName,
) -> Result<(Vec<u8>, ContainerType, u16), CommandStop> {
    let Some(entry) = w.task.channels.get(channel, name) else {
        return condition(Condition::ContainerErr, 3);
    };
    let base = w.services.arena().base;
    // SAFETY: the container's bytes in the arena, which no command changes
    // before they are copied.
    let bytes = unsafe { std::slice::from_raw_parts(base.add(entry.offset), entry.bytes) };
    Ok((bytes.to_vec(), entry.kind, entry.ccsid))
}

/// A record: a container of type BIT.
fn record(
    w: &mut Worker,
    channel: ChannelId,
    name: &ContainerName,
) -> Result<Vec<u8>, CommandStop> {
    match contents(w, channel, name)? {
        (bytes, ContainerType::Bit, _) => Ok(bytes),
        _ => condition(Condition::InvReq, 8),
    }
}

/// Text: a container of type CHAR, or of type BIT in UTF-8 or the region's page.
fn text(w: &mut Worker, channel: ChannelId, name: &ContainerName) -> Result<String, CommandStop> {
    let (bytes, kind, ccsid) = contents(w, channel, name)?;
    let bytes = match kind {
        ContainerType::Bit if std::str::from_utf8(&bytes).is_ok() => bytes,
        ContainerType::Bit => convert(&bytes, 0, UTF8)?.into_owned(),
        ContainerType::Char => convert(&bytes, ccsid, UTF8)?.into_owned(),
    };
    String::from_utf8(bytes).or_else(|_| condition(Condition::InvReq, 6))
}

/// The container that is made, by its option or its usual name.
fn output(call: &CommandCall<'_>, option: u8, usual: &str) -> Result<ContainerName, CommandStop> {
    if !call.has(option) {
        return Ok(ContainerName::from_bytes(padded(usual)));
    }
    let name = container(call, option);
    if valid_name(name.as_bytes()) {
        Ok(name)
    } else {
        condition(Condition::ContainerErr, 18)
    }
}

/// Puts a container, replacing one of the same name.
fn put(
    w: &mut Worker,
    channel: ChannelId,
    name: &ContainerName,
    data: &[u8],
    kind: (ContainerType, u16),
) -> CommandResult {
    if let Some(entry) = w.task.channels.take(channel, name) {
        w.services.arena().heap.free(entry.offset, entry.bytes);
    }
    let arena = w.services.arena();
    match w
        .task
        .channels
        .put(channel, name, data, PutMode::Replace, kind, arena)
    {
        Ok(()) => Ok(()),
        Err(_) => condition(Condition::NoStg, 0),
    }
}

/// Stores a name and its length; one longer than its area is an error.
fn store_name(
    call: &CommandCall<'_>,
    (area, length): (u8, u8),
    text: &str,
    resp2: u32,
) -> CommandResult {
    let Some(into) = call.arg(area) else {
        return Ok(());
    };
    let room = call.int(length).and_then(|n| usize::try_from(n).ok());
    let room = room.unwrap_or(0).min(into.size());
    into.set_bytes(&text.as_bytes()[..text.len().min(room)], room);
    call.set_int(length, text.len() as i64);
    if text.len() > room {
        condition(Condition::LengErr, resp2)
    } else {
        Ok(())
    }
}

fn refused(what: &str, why: &str) -> CommandResult {
    // The text becomes a line of the region's log.
    print::line(1, &format!("TRANSFORM {what}: {why}"));
    condition(Condition::InvReq, 6)
}

fn refused_json(w: &mut Worker, channel: ChannelId, why: &str) -> CommandResult {
    let name = ContainerName::from_bytes(padded("DFHJSON-ERRORMSG"));
    put(
        w,
        channel,
        &name,
        why.as_bytes(),
        (ContainerType::Char, UTF8),
    )?;
    condition(Condition::InvReq, 6)
}

fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).trim_end().to_owned()
}

fn padded(name: &str) -> [u8; 16] {
    let mut padded = [b' '; 16];
    let length = name.len().min(16);
    padded[..length].copy_from_slice(&name.as_bytes()[..length]);
    padded
}

/// CCSID of UTF-8.
const UTF8: u16 = 1208;
