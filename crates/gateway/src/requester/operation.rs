//! One operation of an API that programs call: its structures, the request
//! that they make, and what a response becomes.

use super::CallInterface;
use super::fitting::{SchemaFitting, StructureSide};
use super::schema::flat;
use crate::json::{JsonKind, JsonTape, TapeValue, write_string};
use crate::openapi::{Document, OperationObject, json_content};
use crate::project::structure::{BASE, DirectionStructures, Limits, PatchStyle, derive_in};
use copybook::CodePage;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};
use std::sync::OnceLock;

/// The characters that need no escape in a URL.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');
/// The statuses that a response's class is tried for.
const CODE: &str = "responseCode";

/// A request to a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutboundRequest {
    /// Method.
    pub method: String,
    /// Path and query, to be appended to the server's address.
    pub path: String,
    /// Headers that are parameters.
    pub headers: Vec<(String, String)>,
    /// Body as JSON; `None` if the operation has none.
    pub body: Option<Vec<u8>>,
    /// Media type of the body.
    pub media: String,
}

/// The part of a response that a program receives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequesterResponse {
    /// The structure that names the data areas.
    pub base: Vec<u8>,
    /// Data areas: name, bytes of one element, elements.
    pub areas: Vec<(String, usize, Vec<u8>)>,
    /// The document describes a response of this status.
    pub mapped: bool,
    /// A text: its data area may have only its beginning.
    pub plain: bool,
}

/// An operation.
#[derive(Debug)]
pub(super) struct RequesterOperation {
    pub path: String,
    pub method: String,
    media: String,
    /// Places and names of parameters: member of the structure, name.
    parameters: Vec<(Place, String)>,
    request: Result<Value, String>,
    response: Result<Value, String>,
    /// Members of the response's structure that are plain text on the wire.
    plain: Vec<String>,
    /// Statuses that are described, and have no body.
    bodiless: Vec<String>,
    /// Parts of its schemas without a field, with reasons: of the request, of
    /// the response.
    left_out: [Vec<String>; 2],
    limits: Limits,
    page: CodePage,
    /// Of requests and responses of the host API, then of the stub: made when
    /// the first program calls.
    made: [OnceLock<Result<DirectionStructures, String>>; 4],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Path,
    Query,
    Header,
    Cookie,
}

impl Place {
    /// The member of a request's structure, by the way of calling.
    fn member(self, calling: CallInterface) -> &'static str {
        match (self, calling) {
            (Place::Path, CallInterface::HostApi) => "requestPathParameters",
            (Place::Query, CallInterface::HostApi) => "requestQueryParameters",
            (Place::Header, CallInterface::HostApi) => "requestHeaders",
            (Place::Cookie, CallInterface::HostApi) => "requestCookies",
            (Place::Path, CallInterface::Stub) => "ReqPathParameters",
            (Place::Query, CallInterface::Stub) => "ReqQueryParameters",
            (Place::Header, CallInterface::Stub) => "ReqHeaders",
            (Place::Cookie, CallInterface::Stub) => "ReqCookies",
        }
    }

    fn by_name(name: &str) -> Option<Place> {
        Some(match name {
            "path" => Place::Path,
            "query" => Place::Query,
            "header" => Place::Header,
            "cookie" => Place::Cookie,
            _ => return None,
        })
    }
}

/// The places in the order of a structure.
const PLACES: [Place; 4] = [Place::Header, Place::Path, Place::Query, Place::Cookie];

fn body_member(calling: CallInterface) -> &'static str {
    match calling {
        CallInterface::HostApi => "requestBody",
        CallInterface::Stub => "ReqBody",
    }
}

impl RequesterOperation {
    pub fn new(
        document: &Document,
        object: &OperationObject<'_>,
        limits: Limits,
        page: CodePage,
    ) -> RequesterOperation {
        let parameters = object.parameters.iter().filter_map(|p| {
            let place = Place::by_name(p.get("in")?.as_str()?)?;
            Some((place, p.get("name")?.as_str()?.to_owned()))
        });
        let body = object
            .object
            .get("requestBody")
            .map(|b| document.resolve(b));
        let content = body.and_then(|b| b.get("content"));
        let body = content.and_then(json_body);
        let media = body.map(|(name, _)| name);
        let schema = match patching(media.unwrap_or_default()) {
            // A list of operations has a form of its own.
            Some(PatchStyle::Operations) => patched(document, object),
            _ => body.and_then(|(_, media)| media.get("schema")),
        };
        let (mut plain, mut bodiless) = (Vec::new(), bodiless(document, object));
        let [mut of_request, mut of_response] = [Vec::new(), Vec::new()];
        let fitting = SchemaFitting {
            side: StructureSide::Request,
            limits,
            left_out: &mut of_request,
        };
        let request = request_parts(document, object, schema, fitting);
        let fitting = SchemaFitting {
            side: StructureSide::Response,
            limits,
            left_out: &mut of_response,
        };
        let response = response_parts(document, object, (&mut plain, &mut bodiless), fitting);
        RequesterOperation {
            path: object.path.to_owned(),
            method: object.method.to_ascii_uppercase(),
            media: media.unwrap_or_default().to_owned(),
            parameters: parameters.collect(),
            request,
            response,
            plain,
            bodiless,
            left_out: [of_request, of_response],
            limits,
            page,
            made: Default::default(),
        }
    }

    /// Media type of its body, or a blank.
    pub fn media(&self) -> &str {
        if self.media.is_empty() {
            " "
        } else {
            &self.media
        }
    }

    /// The parts of the request's or response's schemas without a field, each
    /// with its reason.
    pub fn left_out(&self, request: bool) -> &[String] {
        &self.left_out[usize::from(!request)]
    }

    /// Schema of the request's structure.
    fn request_schema(&self, calling: CallInterface) -> Result<Value, String> {
        let parts = self.request.as_ref().map_err(Clone::clone)?;
        match patching(&self.media) {
            Some(_) if calling == CallInterface::Stub => {
                return Err(format!(
                    "a body of {} needs a program that calls by the host API",
                    self.media
                ));
            }
            Some(PatchStyle::Operations) if parts["requestBody"]["type"] != json!("object") => {
                return Err(format!(
                    "a body of {} changes an object that no response of success, here or of GET, describes",
                    self.media
                ));
            }
            None if self.media.contains("patch") => {
                return Err(format!(
                    "a body of {} has structures of its own, which have no rule",
                    self.media
                ));
            }
            _ => {}
        }
        let mut properties = Map::new();
        for place in PLACES {
            let own = &parts[place.member(CallInterface::HostApi)];
            if own.is_object() {
                properties.insert(place.member(calling).into(), own.clone());
            }
        }
        if parts["requestBody"].is_object() {
            properties.insert(body_member(calling).into(), parts["requestBody"].clone());
        }
        let names: Vec<String> = properties.keys().cloned().collect();
        Ok(json!({"type": "object", "properties": properties, "required": names}))
    }

    /// Schema of the response's structure.
    fn response_schema(&self, calling: CallInterface) -> Result<Value, String> {
        let parts = self.response.as_ref().map_err(Clone::clone)?;
        let none = Map::new();
        let all = parts.as_object().unwrap_or(&none);
        match calling {
            CallInterface::HostApi => Ok(json!({"type": "object", "properties": all})),
            CallInterface::Stub => {
                let key = of_success(all);
                let properties = match key {
                    Some(key) => json!({"RespBody": all[key.as_str()]}),
                    None => json!({}),
                };
                let required: Vec<&str> = key.map(|_| "RespBody").into_iter().collect();
                Ok(json!({"type": "object", "properties": properties, "required": required}))
            }
        }
    }

    /// The structures of the request and those of the response, with the text
    /// of their copybooks.
    pub fn structures(
        &self,
        calling: CallInterface,
        request: bool,
        name: &str,
    ) -> Result<(DirectionStructures, String), String> {
        let schema = if request {
            self.request_schema(calling)?
        } else {
            self.response_schema(calling)?
        };
        let how = patching(&self.media).filter(|_| request);
        let patched = how.map(|how| (body_member(calling), how));
        let made = derive_in(calling.manner(), &schema, name, self.limits, patched)?;
        Ok((made.0, made.1.text))
    }

    /// The structures as calls use them.
    fn called(
        &self,
        calling: CallInterface,
        request: bool,
    ) -> Result<&DirectionStructures, String> {
        let side = usize::from(!request);
        let place = match calling {
            CallInterface::HostApi => side,
            CallInterface::Stub => 2 + side,
        };
        let make = || self.structures(calling, request, "R")?.0.in_page(self.page);
        let made = self.made[place].get_or_init(make);
        made.as_ref().map_err(Clone::clone)
    }

    pub fn request(
        &self,
        calling: CallInterface,
        base: &[u8],
        areas: &[(String, Vec<u8>)],
    ) -> Result<OutboundRequest, String> {
        let structures = self.called(calling, true)?;
        let container = |name: &str| match name {
            BASE => Some(base),
            name => {
                let mut all = areas.iter();
                all.find(|(known, _)| known == name)
                    .map(|(_, bytes)| bytes.as_slice())
            }
        };
        let mut text = Vec::new();
        structures
            .read(&container, &mut text)
            .map_err(|fault| reported(&fault))?;
        let mut tape = JsonTape::default();
        let json = tape
            .parse(&text)
            .map_err(|_| "the request does not form valid JSON".to_owned())?;
        let mut out = OutboundRequest {
            method: self.method.clone(),
            media: self.media.clone(),
            body: json
                .get(body_member(calling))
                .map(|b| b.raw().as_bytes().to_vec()),
            ..OutboundRequest::default()
        };
        let mut path = self.path.clone();
        let (mut query, mut cookies) = (Vec::new(), Vec::new());
        for (place, name) in &self.parameters {
            let value = json.get(place.member(calling)).and_then(|p| p.get(name));
            let values = values(value);
            match place {
                Place::Path => {
                    let value = values.join(",");
                    if value.is_empty() {
                        return Err(format!("the path parameter {name} is empty"));
                    }
                    let value = utf8_percent_encode(&value, ENCODED).to_string();
                    path = path.replace(&format!("{{{name}}}"), &value);
                }
                Place::Query => {
                    let name = utf8_percent_encode(name, ENCODED);
                    let pair = |v: &String| format!("{name}={}", utf8_percent_encode(v, ENCODED));
                    query.extend(values.iter().map(pair));
                }
                Place::Header if !values.is_empty() => {
                    out.headers.push((name.clone(), values.join(",")));
                }
                Place::Cookie => cookies.extend(values.iter().map(|v| format!("{name}={v}"))),
                Place::Header => {}
            }
        }
        if !cookies.is_empty() {
            out.headers.push(("Cookie".into(), cookies.join("; ")));
        }
        out.path = if query.is_empty() {
            path
        } else {
            format!("{path}?{}", query.join("&"))
        };
        Ok(out)
    }

    pub fn response(
        &self,
        calling: CallInterface,
        status: u16,
        body: &[u8],
    ) -> Result<RequesterResponse, String> {
        let structures = self.called(calling, false)?;
        let parts = self.response.as_ref().map_err(Clone::clone)?;
        let keys = [
            format!("{CODE}{status}"),
            format!("{CODE}{}XX", status / 100),
            format!("{CODE}default"),
        ];
        let described =
            |key: &&String| parts.get(key.as_str()).is_some() || self.bodiless.contains(key);
        let described = keys.iter().find(described);
        let found = described.filter(|key| parts.get(key.as_str()).is_some());
        let bodiless = described.is_some() && found.is_none();
        let key = match calling {
            CallInterface::HostApi => found.map(String::as_str),
            CallInterface::Stub => found
                .filter(|_| (200..300).contains(&status))
                .map(|_| "RespBody"),
        };
        let blank = body.iter().all(u8::is_ascii_whitespace);
        // 204 and 205 have no body, even if the document describes one; an
        // error without its body is reported to the program by its status.
        let good = (200..300).contains(&status);
        let key = key.filter(|_| good || !blank);
        if calling == CallInterface::Stub && good && !bodiless {
            let all = parts.as_object();
            let own = all.and_then(|all| all.get(of_success(all)?));
            if own.is_some() && own != found.and_then(|found| parts.get(found.as_str())) {
                return Err(format!(
                    "the response has status {status}, for which the structure is not made"
                ));
            }
        }
        let plain = found.filter(|found| self.plain.contains(found));
        let may_be_null = |found: &String| parts[found.as_str()]["nullable"] == json!(true);
        let null = body.trim_ascii() == b"null" && plain.is_none();
        let none = blank || null && !found.is_some_and(may_be_null);
        if none && key.is_some() && ![204, 205].contains(&status) {
            return Err(format!(
                "the response with status {status} has no body, but the document describes one"
            ));
        }
        let mut quoted = Vec::new();
        let body = match plain {
            Some(found) => {
                let most = parts[found.as_str()]["maxLength"].as_u64();
                let most = most.unwrap_or(self.limits.characters) as usize;
                let text: String = String::from_utf8_lossy(body).chars().take(most).collect();
                write_string(&text, &mut quoted);
                &quoted
            }
            None => body,
        };
        let no_json = || format!("the body of the response with status {status} is not JSON");
        let text = match key.filter(|_| !blank) {
            // By itself, or it could close the object that it is put into.
            Some(_) if JsonTape::default().parse(body).is_err() => return Err(no_json()),
            Some(key) => [format!("{{\"{key}\":").as_bytes(), body, b"}"].concat(),
            None => b"{}".to_vec(),
        };
        let mut tape = JsonTape::default();
        let json = tape.parse(&text).map_err(|_| no_json())?;
        let json = key.filter(|_| !none).map(|_| json);
        let made = structures.write_unchecked(json).map_err(|faults| {
            let all: Vec<String> = faults.iter().map(reported).collect();
            format!(
                "the response does not fit its structure: {}",
                all.join("; ")
            )
        })?;
        let mut areas = made.into_iter();
        let (_, base, _) = areas.next().unwrap_or_default();
        let areas = areas.map(|(name, bytes, size)| (name, size, bytes));
        Ok(RequesterResponse {
            areas: areas.collect(),
            base,
            mapped: key.is_some() || bodiless,
            plain: plain.is_some(),
        })
    }
}

/// The response that the stub's one structure is for: that of success.
fn of_success(all: &Map<String, Value>) -> Option<&String> {
    let good = |key: &&String| key[CODE.len()..].starts_with('2');
    let default = || all.keys().find(|key| key.ends_with("default"));
    all.keys().find(good).or_else(default)
}

fn reported(fault: &crate::problem::Fault) -> String {
    let place = fault.pointer.clone().or_else(|| fault.field.clone());
    match place.filter(|p| !p.is_empty()) {
        Some(place) => format!("{place}: {}", fault.message),
        None => fault.message.clone(),
    }
}

/// The texts of a parameter: none, one, or those of an array.
fn values(value: Option<TapeValue<'_>>) -> Vec<String> {
    let Some(value) = value else {
        return Vec::new();
    };
    match value.kind() {
        JsonKind::Array => value
            .items()
            .map(|item| item.plain().into_owned())
            .collect(),
        JsonKind::Null => Vec::new(),
        _ => vec![value.plain().into_owned()],
    }
}

/// The media type of a JSON body, and its description: the first whose
/// structures have rules, or else the first.
fn json_body(content: &Value) -> Option<(&str, &Value)> {
    let all = content.as_object()?.iter();
    let all = all.map(|(name, media)| (name.as_str(), media));
    let json = all.filter(|(name, _)| name.contains("json") || *name == "*/*");
    let mut json = json.map(|(name, media)| match name {
        "*/*" => ("application/json", media),
        name => (name, media),
    });
    let known = |(name, _): &(&str, &Value)| {
        patching(name) == Some(PatchStyle::Merge) || !name.contains("patch")
    };
    json.clone().find(known).or_else(|| json.next())
}

/// The kind of patch of a media type.
fn patching(media: &str) -> Option<PatchStyle> {
    let end = |end: &str| media.ends_with(end);
    match (end("merge-patch+json"), end("json-patch+json")) {
        (true, _) => Some(PatchStyle::Merge),
        (_, true) => Some(PatchStyle::Operations),
        _ => None,
    }
}

/// The schema of what a list of operations changes: what the operation answers
/// with, or else what GET gives at its path.
fn patched<'d>(document: &'d Document, object: &OperationObject<'_>) -> Option<&'d Value> {
    let path = document.json.pointer("/paths")?.get(object.path)?;
    let schema = |method: &str| {
        let responses = path.get(method)?.get("responses")?.as_object()?;
        let good = responses.iter().filter(|(s, _)| s.starts_with('2'));
        let contents = good.filter_map(|(_, r)| document.resolve(r).get("content"));
        contents.filter_map(json_content).next()
    };
    schema(object.method).or_else(|| schema("get"))
}

/// The statuses that are described without a body, by their names in the
/// structure.
fn bodiless(document: &Document, object: &OperationObject<'_>) -> Vec<String> {
    let responses = object.object.get("responses").and_then(Value::as_object);
    let all = responses.into_iter().flatten();
    let without = all.filter(|(_, response)| {
        let content = document.resolve(response).get("content");
        content.and_then(Value::as_object).is_none_or(Map::is_empty)
    });
    without
        .map(|(status, _)| format!("{CODE}{status}"))
        .collect()
}

/// The parts of a request, each an object schema except the body.
fn request_parts(
    document: &Document,
    object: &OperationObject<'_>,
    body: Option<&Value>,
    mut fitting: SchemaFitting<'_>,
) -> Result<Value, String> {
    let mut parts = Map::new();
    for parameter in &object.parameters {
        let text = |key: &str| parameter.get(key).and_then(Value::as_str);
        let (Some(place), Some(name)) = (text("in").and_then(Place::by_name), text("name")) else {
            return Err("a parameter has no name or no place".into());
        };
        let schema = parameter
            .get("schema")
            .cloned()
            .unwrap_or(json!({"type": "string"}));
        let member = place.member(CallInterface::HostApi);
        let needed = place == Place::Path || parameter.get("required") == Some(&json!(true));
        let at = format!("/{member}/{name}");
        let schema = flat(document, &schema)?;
        let Some(schema) = fitting.fit_needed(schema, &at, needed)? else {
            continue;
        };
        let part = parts
            .entry(member)
            .or_insert_with(|| json!({"type": "object", "properties": {}, "required": []}));
        part["properties"][name] = schema;
        if needed && let Some(required) = part["required"].as_array_mut() {
            required.push(json!(name));
        }
    }
    if let Some(schema) = body {
        let (schema, needed) = (flat(document, schema)?, needs_body(document, object));
        if let Some(schema) = fitting.fit_needed(schema, "/requestBody", needed)? {
            parts.insert("requestBody".into(), schema);
        }
    }
    Ok(Value::Object(parts))
}

/// Whether a request must have a body.
fn needs_body(document: &Document, object: &OperationObject<'_>) -> bool {
    let body = object.object.get("requestBody");
    body.is_some_and(|body| document.resolve(body).get("required") == Some(&json!(true)))
}

/// The responses with a body, by their names in the structure; the names of
/// those whose body is plain text go to `plain`, of those without fields to
/// `bodiless`.
fn response_parts(
    document: &Document,
    object: &OperationObject<'_>,
    (plain, bodiless): (&mut Vec<String>, &mut Vec<String>),
    mut fitting: SchemaFitting<'_>,
) -> Result<Value, String> {
    let mut parts = Map::new();
    let responses = object.object.get("responses").and_then(Value::as_object);
    for (status, response) in responses.into_iter().flatten() {
        let Some(content) = document.resolve(response).get("content") else {
            continue;
        };
        let name = format!("{CODE}{status}");
        if let Some(schema) = json_content(content) {
            match fitting.fit(flat(document, schema)?, &format!("/{name}"))? {
                Some(schema) => {
                    parts.insert(name, schema);
                }
                None => bodiless.push(name),
            }
        } else if let Some(schema) = content.get("text/plain").and_then(|t| t.get("schema")) {
            let schema = flat(document, schema)?;
            if schema.get("type") == Some(&json!("string")) {
                parts.insert(name.clone(), schema);
                plain.push(name);
            }
        }
    }
    Ok(Value::Object(parts))
}
