//! The keywords of OpenAPI 2.0 (Swagger), where they differ from those of 3.0.
//!
//! Reference: OpenAPI 2.0, "Specification".

use super::keywords::KeywordChild::{List, Map, One, Value as Plain};
use super::keywords::{
    FORMAT, KeywordRow, KeywordSupport, ObjectKind, Table, by_value as checked, is_json, row,
    served, shown, warned,
};
use serde_json::Value;

const SECURITY: &str =
    "enforced; a requirement that no scheme of the gateway can enforce is an error";
const MEDIA: &str = "JSON is served; other media types are a warning";
const COLLECTION: &str = "csv and multi are served; others are a warning";

/// Every keyword of the objects that 3.0 has otherwise.
pub(super) const TABLE: Table = &[
    (
        ObjectKind::Document,
        "Swagger Object",
        &[
            checked("swagger", "2.0 is supported; other versions are errors"),
            row("info", KeywordSupport::Shown, One(ObjectKind::Info)),
            shown("host"),
            served("basePath", Plain),
            shown("schemes"),
            checked("consumes", MEDIA),
            checked("produces", MEDIA),
            served("paths", Map(ObjectKind::PathItem)),
            served("definitions", Map(ObjectKind::Schema)),
            served("parameters", Map(ObjectKind::Parameter)),
            served("responses", Map(ObjectKind::Response)),
            row(
                "securityDefinitions",
                KeywordSupport::Shown,
                Map(ObjectKind::SecurityScheme),
            ),
            checked("security", SECURITY),
            row("tags", KeywordSupport::Shown, List(ObjectKind::Tag)),
            row(
                "externalDocs",
                KeywordSupport::Shown,
                One(ObjectKind::ExternalDocs),
            ),
        ],
    ),
    (
        ObjectKind::PathItem,
        "Path Item Object",
        &[
            served("$ref", Plain),
            served("get", One(ObjectKind::Operation)),
            served("put", One(ObjectKind::Operation)),
            served("post", One(ObjectKind::Operation)),
            served("delete", One(ObjectKind::Operation)),
            served("options", One(ObjectKind::Operation)),
            served("head", One(ObjectKind::Operation)),
            served("patch", One(ObjectKind::Operation)),
            served("parameters", List(ObjectKind::Parameter)),
        ],
    ),
    (
        ObjectKind::Operation,
        "Operation Object",
        &[
            shown("tags"),
            shown("summary"),
            shown("description"),
            row(
                "externalDocs",
                KeywordSupport::Shown,
                One(ObjectKind::ExternalDocs),
            ),
            shown("operationId"),
            checked("consumes", MEDIA),
            checked("produces", MEDIA),
            served("parameters", List(ObjectKind::Parameter)),
            served("responses", Map(ObjectKind::Response)),
            warned("schemes", "the operation is served as its gateway listens"),
            shown("deprecated"),
            checked("security", SECURITY),
        ],
    ),
    (
        ObjectKind::Parameter,
        "Parameter Object",
        &[
            served("name", Plain),
            checked(
                "in",
                "path, query, header and body; formData is a warning, and answered with 415",
            ),
            shown("description"),
            served("required", Plain),
            served("schema", One(ObjectKind::Schema)),
            checked("type", "file is a warning"),
            checked("format", FORMAT),
            served("allowEmptyValue", Plain),
            row("items", KeywordSupport::Served, One(ObjectKind::Items)),
            checked("collectionFormat", COLLECTION),
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
    (ObjectKind::Items, "Items Object", ITEMS),
    (
        ObjectKind::Response,
        "Response Object",
        &[
            shown("description"),
            served("schema", One(ObjectKind::Schema)),
            row("headers", KeywordSupport::Shown, Map(ObjectKind::Header)),
            shown("examples"),
        ],
    ),
    (ObjectKind::Header, "Header Object", HEADER),
    (
        ObjectKind::Schema,
        "Schema Object",
        &[
            served("$ref", Plain),
            checked("format", FORMAT),
            shown("title"),
            shown("description"),
            served("default", Plain),
            served("multipleOf", Plain),
            served("maximum", Plain),
            checked("exclusiveMaximum", BOUND),
            served("minimum", Plain),
            checked("exclusiveMinimum", BOUND),
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
            checked("type", "one type is served"),
            row("items", KeywordSupport::Served, One(ObjectKind::Schema)),
            served("allOf", List(ObjectKind::Schema)),
            served("properties", Map(ObjectKind::Schema)),
            row(
                "additionalProperties",
                KeywordSupport::Served,
                One(ObjectKind::Schema),
            ),
            warned("discriminator", "the subtypes are not looked for"),
            served("readOnly", Plain),
            row(
                "xml",
                KeywordSupport::Warning("bodies are JSON"),
                One(ObjectKind::Xml),
            ),
            row(
                "externalDocs",
                KeywordSupport::Shown,
                One(ObjectKind::ExternalDocs),
            ),
            shown("example"),
        ],
    ),
    (
        ObjectKind::SecurityScheme,
        "Security Scheme Object",
        &[
            checked(
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

const ITEMS: &[KeywordRow] = &[
    served("type", Plain),
    checked("format", FORMAT),
    row(
        "items",
        KeywordSupport::Warning("lists of lists are not distinguished"),
        One(ObjectKind::Items),
    ),
    checked("collectionFormat", COLLECTION),
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

const HEADER: &[KeywordRow] = &[
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
pub(super) fn by_value(
    kind: ObjectKind,
    keyword: &str,
    value: &Value,
    warn: &mut dyn FnMut(String),
) {
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
        (ObjectKind::Parameter, "in") if text == "formData" => {
            warn("formData: bodies are JSON, and a form is answered with 415".into());
        }
        (ObjectKind::Parameter, "type") if text == "file" => {
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
