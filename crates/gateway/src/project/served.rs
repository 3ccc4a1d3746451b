//! The document that is handed out: the project's, and what the gateway adds
//! to it of its own accord.
//!
//! A client that is generated from a document expects the answers in the
//! document. The gateway itself answers a request that does not match, a body
//! that is too large, or a full region with problem documents, even if the
//! project's author did not describe them.

use super::operation::{ApiOperation, OperationHandler};
use crate::openapi::{Document, OpenapiVersion};
use crate::security::AvailableSchemes;
use serde_json::{Map, Value, json};

/// Name of the schema that is added to the document.
const SCHEMA: &str = "GatewayProblem";
/// Media type of a problem document.
///
/// Reference: RFC 9457, section 3.
const MEDIA: &str = "application/problem+json";
/// The answers that every operation may have.
const ALWAYS: [(&str, &str); 5] = [
    ("400", "The request does not match the API"),
    (
        "500",
        "The program ended abnormally, or no response mapping fits its answer",
    ),
    (
        "502",
        "The program returned data that its copybook does not allow",
    ),
    ("503", "The region is full; try again"),
    ("504", "The program took too long"),
];
/// Further answers of operations with a body.
const WITH_BODY: [(&str, &str); 3] = [
    ("408", "The rest of the body did not come in time"),
    ("413", "The body is too large"),
    ("415", "The body is not JSON in UTF-8"),
];

/// Further answers of operations that require authentication.
const GUARDED: [(&str, &str); 3] = [
    ("401", "The request does not identify its sender correctly"),
    ("403", "The sender of the request is not permitted"),
    ("429", "This client has sent more requests than it may"),
];

/// The document with its servers reduced to the base path, so that a page which
/// shows it sends requests to where it came from, and with the gateway's own
/// answers. The document keeps its author's version.
pub(super) fn document(
    document: &Document,
    operations: &[ApiOperation],
    means: AvailableSchemes,
) -> String {
    let base = document.base_path();
    let base = if base.is_empty() { "/" } else { &base };
    let mut json = document.author.clone();
    let form = match document.version {
        OpenapiVersion::V2 => Form {
            schemas: &["definitions"],
            responses: "#/responses/",
            known: json["responses"].clone(),
            media: false,
        },
        OpenapiVersion::V30 | OpenapiVersion::V31 => Form {
            schemas: &["components", "schemas"],
            responses: "#/components/responses/",
            known: json["components"]["responses"].clone(),
            media: true,
        },
    };
    for operation in operations {
        let method = operation.method.as_str().to_ascii_lowercase();
        let object = json
            .get_mut("paths")
            .and_then(|paths| paths.get_mut(&operation.path))
            .and_then(|path| path.get_mut(&method));
        let Some(object) = object else { continue };
        if let Some(produces) = object.get_mut("produces").and_then(Value::as_array_mut) {
            produces.push(json!(MEDIA));
        }
        let responses = object.get_mut("responses").and_then(Value::as_object_mut);
        let Some(responses) = responses else { continue };
        let with_body = operation.body.is_some().then_some(WITH_BODY);
        let guarded = means != AvailableSchemes::default() || operation.security.is_some();
        let guarded = guarded.then_some(GUARDED).into_iter().flatten();
        let more = with_body.into_iter().flatten().chain(guarded);
        for (status, why) in ALWAYS.into_iter().chain(more) {
            form.add(responses, status, why);
        }
        if matches!(operation.work, OperationHandler::Unsupported(_)) {
            form.add(responses, "501", "The operation is not implemented yet");
        }
    }
    if document.version == OpenapiVersion::V2
        && let Some(object) = json.as_object_mut()
    {
        // Without them a client uses the server that it has the document from.
        object.remove("host");
        object.remove("schemes");
        let produces = object
            .entry("produces")
            .or_insert_with(|| json!(["application/json"]));
        if let Some(produces) = produces.as_array_mut() {
            produces.push(json!(MEDIA));
        }
        object.insert("basePath".into(), json!(base));
    } else if let Some(object) = json.as_object_mut() {
        object.insert("servers".into(), json!([{ "url": base }]));
    }
    let mut place = &mut json;
    for name in form.schemas {
        let Some(object) = place.as_object_mut() else {
            return json.to_string();
        };
        place = object.entry(*name).or_insert_with(|| json!({}));
    }
    if let Some(schemas) = place.as_object_mut() {
        schemas.insert(SCHEMA.into(), schema());
    }
    json.to_string()
}

/// How a version writes responses.
struct Form<'a> {
    /// Names that lead to the schemas.
    schemas: &'a [&'a str],
    /// The prefix of a reference to a response.
    responses: &'a str,
    /// The responses that can be referred to.
    known: Value,
    /// A response has media types, not one schema.
    media: bool,
}

impl Form<'_> {
    /// Says of a status that it may come with a problem document.
    fn add(&self, responses: &mut Map<String, Value>, status: &str, why: &str) {
        let response = responses
            .entry(status)
            .or_insert_with(|| json!({ "description": why }));
        let named = response["$ref"].as_str();
        if let Some(name) = named.and_then(|r| r.strip_prefix(self.responses)) {
            // Other operations may use it for what their programs answer.
            *response = self.known[name].clone();
        }
        let Some(response) = response.as_object_mut() else {
            return;
        };
        let schema = json!({ "$ref": format!("#/{}/{SCHEMA}", self.schemas.join("/")) });
        if !self.media {
            response.entry("schema").or_insert(schema);
            return;
        }
        let content = response.entry("content").or_insert_with(|| json!({}));
        if let Some(content) = content.as_object_mut() {
            content
                .entry(MEDIA)
                .or_insert_with(|| json!({ "schema": schema }));
        }
    }
}

fn schema() -> Value {
    let text = || json!({ "type": "string" });
    json!({
        "type": "object",
        "description": "The gateway's own answers (RFC 9457).",
        "required": ["type", "title", "status"],
        "properties": {
            "type": text(),
            "title": text(),
            "status": { "type": "integer" },
            "detail": text(),
            "abendCode": text(),
            "program": text(),
            "errors": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["message"],
                    "properties": {
                        "message": text(),
                        "pointer": text(),
                        "parameter": text(),
                        "container": text(),
                        "field": text(),
                        "offset": { "type": "integer" },
                    },
                },
            },
        },
    })
}
