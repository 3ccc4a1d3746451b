//! The keywords of OpenAPI 2.0 (Swagger), where they differ from those of 3.0.
//!
//! Reference: OpenAPI 2.0, "Specification".

use super::keywords::Below::{List, Map, One, Value as Plain};
use super::keywords::{
    FORMAT, Object, Row, Table, Treatment, by_value as told, is_json, row, served, shown, warned,
};
use serde_json::Value;

const SECURITY: &str =
    "enforced; a requirement that no scheme of the gateway can enforce is an error";
const MEDIA: &str = "JSON is served; other media types are a warning";
const COLLECTION: &str = "csv and multi are served; others are a warning";

/// Every keyword of the objects that 3.0 has otherwise.
pub(super) const TABLE: Table = &[
    (
        Object::Document,
        "Swagger Object",
        &[
            told("swagger", "2.0 is supported; other versions are errors"),
            row("info", Treatment::Shown, One(Object::Info)),
            shown("host"),
            served("basePath", Plain),
            shown("schemes"),
            told("consumes", MEDIA),
            told("produces", MEDIA),
            served("paths", Map(Object::PathItem)),
            served("definitions", Map(Object::Schema)),
            served("parameters", Map(Object::Parameter)),
            served("responses", Map(Object::Response)),
            row(
                "securityDefinitions",
                Treatment::Shown,
                Map(Object::SecurityScheme),
            ),
            told("security", SECURITY),
            row("tags", Treatment::Shown, List(Object::Tag)),
            row("externalDocs", Treatment::Shown, One(Object::ExternalDocs)),
        ],
    ),
    (
        Object::PathItem,
        "Path Item Object",
        &[
            served("$ref", Plain),
            served("get", One(Object::Operation)),
            served("put", One(Object::Operation)),
            served("post", One(Object::Operation)),
            served("delete", One(Object::Operation)),
            served("options", One(Object::Operation)),
            served("head", One(Object::Operation)),
            served("patch", One(Object::Operation)),
            served("parameters", List(Object::Parameter)),
        ],
    ),
    (
        Object::Operation,
        "Operation Object",
        &[
            shown("tags"),
            shown("summary"),
            shown("description"),
            row("externalDocs", Treatment::Shown, One(Object::ExternalDocs)),
            shown("operationId"),
            told("consumes", MEDIA),
            told("produces", MEDIA),
            served("parameters", List(Object::Parameter)),
            served("responses", Map(Object::Response)),
            warned("schemes", "the operation is served as its gateway listens"),
            shown("deprecated"),
            told("security", SECURITY),
        ],
    ),
    (
        Object::Parameter,
        "Parameter Object",
        &[
            served("name", Plain),
            told(
                "in",
                "path, query, header and body; formData is a warning, and answered with 415",
            ),
            shown("description"),
            served("required", Plain),
            served("schema", One(Object::Schema)),
            told("type", "file is a warning"),
            told("format", FORMAT),
            served("allowEmptyValue", Plain),
            row("items", Treatment::Served, One(Object::Items)),
            told("collectionFormat", COLLECTION),
            served("default", Plain),
            served("maximum", Plain),
            served("exclusiveMaximum", Plain),
            served("minimum", Plain),
            served("exclusiveMinimum", Plain),
            served("maxLength", Plain),
            served("minLength", Plain),
            served("pattern", Plain),
            served("maxItems", Plain),
            served("minItems", Plain),
            served("uniqueItems", Plain),
            served("enum", Plain),
            served("multipleOf", Plain),
        ],
    ),
    (Object::Items, "Items Object", ITEMS),
    (
        Object::Response,
        "Response Object",
        &[
            shown("description"),
            served("schema", One(Object::Schema)),
            row("headers", Treatment::Shown, Map(Object::Header)),
            shown("examples"),
        ],
    ),
    (Object::Header, "Header Object", HEADER),
    (
        Object::Schema,
        "Schema Object",
        &[
            served("$ref", Plain),
            told("format", FORMAT),
            shown("title"),
            shown("description"),
            served("default", Plain),
            served("multipleOf", Plain),
            served("maximum", Plain),
            told("exclusiveMaximum", BOUND),
            served("minimum", Plain),
            told("exclusiveMinimum", BOUND),
            served("maxLength", Plain),
            served("minLength", Plain),
            served("pattern", Plain),
            served("maxItems", Plain),
            served("minItems", Plain),
            served("uniqueItems", Plain),
            served("maxProperties", Plain),
            served("minProperties", Plain),
            served("required", Plain),
            served("enum", Plain),
            told("type", "one type is served"),
            row("items", Treatment::Served, One(Object::Schema)),
            served("allOf", List(Object::Schema)),
            served("properties", Map(Object::Schema)),
            row(
                "additionalProperties",
                Treatment::Served,
                One(Object::Schema),
            ),
            warned("discriminator", "the subtypes are not looked for"),
            served("readOnly", Plain),
            row(
                "xml",
                Treatment::Warning("bodies are JSON"),
                One(Object::Xml),
            ),
            row("externalDocs", Treatment::Shown, One(Object::ExternalDocs)),
            shown("example"),
        ],
    ),
    (
        Object::SecurityScheme,
        "Security Scheme Object",
        &[
            told(
                "type",
                "basic, apiKey and oauth2; where one is required that cannot be enforced, that is an error",
            ),
            shown("description"),
            served("name", Plain),
            served("in", Plain),
            shown("flow"),
            shown("authorizationUrl"),
            shown("tokenUrl"),
            shown("scopes"),
        ],
    ),
];

const BOUND: &str = "true or false";

const ITEMS: &[Row] = &[
    served("type", Plain),
    told("format", FORMAT),
    row(
        "items",
        Treatment::Warning("lists of lists are not distinguished"),
        One(Object::Items),
    ),
    told("collectionFormat", COLLECTION),
    shown("default"),
    served("maximum", Plain),
    served("exclusiveMaximum", Plain),
    served("minimum", Plain),
    served("exclusiveMinimum", Plain),
    served("maxLength", Plain),
    served("minLength", Plain),
    served("pattern", Plain),
    served("maxItems", Plain),
    served("minItems", Plain),
    served("uniqueItems", Plain),
    served("enum", Plain),
    served("multipleOf", Plain),
];

const HEADER: &[Row] = &[
    shown("description"),
    shown("type"),
    shown("format"),
    shown("items"),
    shown("collectionFormat"),
    shown("default"),
    shown("maximum"),
    shown("exclusiveMaximum"),
    shown("minimum"),
    shown("exclusiveMinimum"),
    shown("maxLength"),
    shown("minLength"),
    shown("pattern"),
    shown("maxItems"),
    shown("minItems"),
    shown("uniqueItems"),
    shown("enum"),
    shown("multipleOf"),
];

/// Keywords with unsupported values; `warn` receives the message for each of
/// these.
pub(super) fn by_value(kind: Object, keyword: &str, value: &Value, warn: &mut dyn FnMut(String)) {
    let text = value.as_str().unwrap_or_default();
    match (kind, keyword) {
        (_, "consumes" | "produces") => {
            let names = value
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str);
            for name in names.filter(|name| !is_json(name)) {
                warn(format!(
                    "{name}: bodies are JSON; other media types are not mapped"
                ));
            }
        }
        (Object::Parameter, "in") if text == "formData" => {
            warn("formData: bodies are JSON, and a form is answered with 415".into());
        }
        (Object::Parameter, "type") if text == "file" => {
            warn("file: bodies are JSON, and files are not supported".into());
        }
        (_, "collectionFormat") if !["csv", "multi"].contains(&text) => {
            warn(format!(
                "collectionFormat {text}: lists are read as csv or multi only"
            ));
        }
        _ => {}
    }
}
