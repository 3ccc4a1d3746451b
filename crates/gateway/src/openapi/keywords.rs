//! Every keyword of an OpenAPI document, and its support by the gateway.
//!
//! Clients rely on what a document declares. A declaration that the gateway
//! does not implement is reported when the project is loaded: by a warning, or
//! by an error if serving the API would be unsafe. The table below is the only
//! list of keywords; the walk over a document and the reference page come from
//! it.
//!
//! If versions differ, a row has a mark for it; a document of version 2.0 has a table of
//! its own.
//!
//! Reference: OpenAPI 3.0.3 and 3.1.0, "Specification"; JSON Schema 2020-12.
//!
//! Invariant: no keyword is passed over. One that is in no row is a warning.

use super::references::{self, DanglingReference};
use super::{Document, OpenapiVersion, pointer, roles, shapes, swagger_keywords};
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::validate::format;
use base::{nearest, suggestion, suggestion_or_all};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::fmt::Write;

/// The kinds of objects that a document is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectKind {
    Document,
    Info,
    Contact,
    License,
    Server,
    ServerVariable,
    Components,
    PathItem,
    Operation,
    ExternalDocs,
    Parameter,
    RequestBody,
    MediaType,
    Encoding,
    Response,
    Example,
    Link,
    Header,
    Tag,
    Schema,
    Discriminator,
    Xml,
    SecurityScheme,
    OAuthFlows,
    OAuthFlow,
    /// Of version 2.0: what an array that is not a schema consists of.
    Items,
}

/// The children of a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeywordChild {
    /// A plain value, or something that is not looked into.
    Value,
    /// An object of that kind.
    One(ObjectKind),
    /// A map from names to objects of that kind.
    Map(ObjectKind),
    /// A list of objects of that kind.
    List(ObjectKind),
}

/// The support for a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeywordSupport {
    /// The gateway implements it.
    Served,
    /// Informs clients and requires nothing of the gateway.
    Shown,
    /// The gateway does not implement it; with the consequence.
    Warning(&'static str),
    /// An API that has it is not served; why.
    Refused(&'static str),
    /// Some of its values are not supported; the walk distinguishes them.
    ByValue(&'static str),
}

/// The versions that have a keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VersionRange {
    /// All that the table is for.
    All,
    /// 3.1, not 3.0.
    From31,
    /// In 3.0, not in 3.1; with the keyword that replaces it.
    Until30(&'static str),
}

pub(super) struct KeywordRow {
    pub keyword: &'static str,
    pub treatment: KeywordSupport,
    pub below: KeywordChild,
    pub within: VersionRange,
}

pub(super) const fn row(
    keyword: &'static str,
    treatment: KeywordSupport,
    below: KeywordChild,
) -> KeywordRow {
    KeywordRow {
        keyword,
        treatment,
        below,
        within: VersionRange::All,
    }
}

pub(super) const fn served(keyword: &'static str, below: KeywordChild) -> KeywordRow {
    row(keyword, KeywordSupport::Served, below)
}

pub(super) const fn shown(keyword: &'static str) -> KeywordRow {
    row(keyword, KeywordSupport::Shown, KeywordChild::Value)
}

pub(super) const fn warned(keyword: &'static str, why: &'static str) -> KeywordRow {
    row(keyword, KeywordSupport::Warning(why), KeywordChild::Value)
}

pub(super) const fn by_value(keyword: &'static str, what: &'static str) -> KeywordRow {
    row(keyword, KeywordSupport::ByValue(what), KeywordChild::Value)
}

/// A keyword of OpenAPI 3.1, which a 3.0 document does not have.
const fn new(row: KeywordRow) -> KeywordRow {
    KeywordRow {
        within: VersionRange::From31,
        ..row
    }
}

use KeywordChild::{List, Map as MapOf, One, Value as Plain};

/// The objects that a table is of: kind, title in the specification, rows.
pub(super) type Table = &'static [(ObjectKind, &'static str, &'static [KeywordRow])];

/// Every keyword of every object, in the order of the specification.
const TABLE: Table = &[
    (
        ObjectKind::Document,
        "OpenAPI Object",
        &[
            by_value(
                "openapi",
                "3.0 and 3.1 are supported; other versions are errors",
            ),
            row("info", KeywordSupport::Shown, One(ObjectKind::Info)),
            new(by_value("jsonSchemaDialect", DIALECT)),
            row(
                "servers",
                KeywordSupport::ByValue(
                    "the path of the first is the base path; more are a warning",
                ),
                List(ObjectKind::Server),
            ),
            served("paths", MapOf(ObjectKind::PathItem)),
            new(row(
                "webhooks",
                KeywordSupport::Refused("they are never called: remove them from the document"),
                Plain,
            )),
            served("components", One(ObjectKind::Components)),
            by_value("security", SECURITY),
            row("tags", KeywordSupport::Shown, List(ObjectKind::Tag)),
            row(
                "externalDocs",
                KeywordSupport::Shown,
                One(ObjectKind::ExternalDocs),
            ),
        ],
    ),
    (
        ObjectKind::Info,
        "Info Object",
        &[
            shown("title"),
            new(shown("summary")),
            shown("description"),
            shown("termsOfService"),
            row("contact", KeywordSupport::Shown, One(ObjectKind::Contact)),
            row("license", KeywordSupport::Shown, One(ObjectKind::License)),
            shown("version"),
        ],
    ),
    (
        ObjectKind::Contact,
        "Contact Object",
        &[shown("name"), shown("url"), shown("email")],
    ),
    (
        ObjectKind::License,
        "License Object",
        &[shown("name"), new(shown("identifier")), shown("url")],
    ),
    (
        ObjectKind::Server,
        "Server Object",
        &[
            by_value(
                "url",
                "its path is the base path; a query, dots and braces are a warning",
            ),
            shown("description"),
            row(
                "variables",
                KeywordSupport::Warning("variables are not put into the URL: write its path out"),
                MapOf(ObjectKind::ServerVariable),
            ),
        ],
    ),
    (
        ObjectKind::ServerVariable,
        "Server Variable Object",
        &[shown("enum"), shown("default"), shown("description")],
    ),
    (
        ObjectKind::Components,
        "Components Object",
        &[
            served("schemas", MapOf(ObjectKind::Schema)),
            served("responses", MapOf(ObjectKind::Response)),
            served("parameters", MapOf(ObjectKind::Parameter)),
            row(
                "examples",
                KeywordSupport::Shown,
                MapOf(ObjectKind::Example),
            ),
            served("requestBodies", MapOf(ObjectKind::RequestBody)),
            row("headers", KeywordSupport::Shown, MapOf(ObjectKind::Header)),
            row(
                "securitySchemes",
                KeywordSupport::Shown,
                MapOf(ObjectKind::SecurityScheme),
            ),
            row("links", KeywordSupport::Shown, MapOf(ObjectKind::Link)),
            warned("callbacks", CALLBACKS),
            new(served("pathItems", MapOf(ObjectKind::PathItem))),
        ],
    ),
    (
        ObjectKind::PathItem,
        "Path Item Object",
        &[
            served("$ref", Plain),
            shown("summary"),
            shown("description"),
            served("get", One(ObjectKind::Operation)),
            served("put", One(ObjectKind::Operation)),
            served("post", One(ObjectKind::Operation)),
            served("delete", One(ObjectKind::Operation)),
            served("options", One(ObjectKind::Operation)),
            served("head", One(ObjectKind::Operation)),
            served("patch", One(ObjectKind::Operation)),
            served("trace", One(ObjectKind::Operation)),
            warned("servers", SERVERS),
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
            served("parameters", List(ObjectKind::Parameter)),
            served("requestBody", One(ObjectKind::RequestBody)),
            served("responses", MapOf(ObjectKind::Response)),
            warned("callbacks", CALLBACKS),
            shown("deprecated"),
            by_value("security", SECURITY),
            warned("servers", SERVERS),
        ],
    ),
    (
        ObjectKind::ExternalDocs,
        "External Documentation Object",
        &[shown("description"), shown("url")],
    ),
    (
        ObjectKind::Parameter,
        "Parameter Object",
        &[
            served("name", Plain),
            served("in", Plain),
            shown("description"),
            served("required", Plain),
            shown("deprecated"),
            served("allowEmptyValue", Plain),
            by_value(
                "style",
                "simple in path and header, form in query and cookie; others are a warning",
            ),
            served("explode", Plain),
            served("allowReserved", Plain),
            served("schema", One(ObjectKind::Schema)),
            shown("example"),
            row(
                "examples",
                KeywordSupport::Shown,
                MapOf(ObjectKind::Example),
            ),
            row(
                "content",
                KeywordSupport::Warning(
                    "the parameter is taken as text, and its content is not checked",
                ),
                MapOf(ObjectKind::MediaType),
            ),
        ],
    ),
    (
        ObjectKind::RequestBody,
        "Request Body Object",
        &[
            shown("description"),
            row(
                "content",
                KeywordSupport::ByValue("JSON is served; other media types are a warning"),
                MapOf(ObjectKind::MediaType),
            ),
            served("required", Plain),
        ],
    ),
    (
        ObjectKind::MediaType,
        "Media Type Object",
        &[
            served("schema", One(ObjectKind::Schema)),
            shown("example"),
            row(
                "examples",
                KeywordSupport::Shown,
                MapOf(ObjectKind::Example),
            ),
            row(
                "encoding",
                KeywordSupport::Warning("bodies are JSON, and no part of one has an encoding"),
                MapOf(ObjectKind::Encoding),
            ),
        ],
    ),
    (
        ObjectKind::Encoding,
        "Encoding Object",
        &[
            shown("contentType"),
            row("headers", KeywordSupport::Shown, MapOf(ObjectKind::Header)),
            shown("style"),
            shown("explode"),
            shown("allowReserved"),
        ],
    ),
    (
        ObjectKind::Response,
        "Response Object",
        &[
            shown("description"),
            row("headers", KeywordSupport::Shown, MapOf(ObjectKind::Header)),
            row(
                "content",
                KeywordSupport::ByValue("JSON is served; other media types are a warning"),
                MapOf(ObjectKind::MediaType),
            ),
            row(
                "links",
                KeywordSupport::Warning(
                    "links are shown to clients and are not followed or checked",
                ),
                MapOf(ObjectKind::Link),
            ),
        ],
    ),
    (
        ObjectKind::Example,
        "Example Object",
        &[
            shown("summary"),
            shown("description"),
            shown("value"),
            shown("externalValue"),
        ],
    ),
    (
        ObjectKind::Link,
        "Link Object",
        &[
            shown("operationRef"),
            shown("operationId"),
            shown("parameters"),
            shown("requestBody"),
            shown("description"),
            shown("server"),
        ],
    ),
    (
        ObjectKind::Header,
        "Header Object",
        &[
            shown("description"),
            shown("required"),
            shown("deprecated"),
            shown("style"),
            shown("explode"),
            row("schema", KeywordSupport::Shown, One(ObjectKind::Schema)),
            shown("example"),
            row(
                "examples",
                KeywordSupport::Shown,
                MapOf(ObjectKind::Example),
            ),
            row(
                "content",
                KeywordSupport::Shown,
                MapOf(ObjectKind::MediaType),
            ),
        ],
    ),
    (
        ObjectKind::Tag,
        "Tag Object",
        &[
            shown("name"),
            shown("description"),
            row(
                "externalDocs",
                KeywordSupport::Shown,
                One(ObjectKind::ExternalDocs),
            ),
        ],
    ),
    (
        ObjectKind::Schema,
        "Schema Object",
        &[
            served("$ref", Plain),
            shown("title"),
            served("multipleOf", Plain),
            served("maximum", Plain),
            by_value("exclusiveMaximum", BOUND),
            served("minimum", Plain),
            by_value("exclusiveMinimum", BOUND),
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
            by_value("type", "a list of types came with 3.1"),
            served("not", One(ObjectKind::Schema)),
            served("allOf", List(ObjectKind::Schema)),
            served("oneOf", List(ObjectKind::Schema)),
            served("anyOf", List(ObjectKind::Schema)),
            served("items", One(ObjectKind::Schema)),
            served("properties", MapOf(ObjectKind::Schema)),
            served("additionalProperties", One(ObjectKind::Schema)),
            shown("description"),
            by_value("format", FORMAT),
            served("default", Plain),
            KeywordRow {
                within: VersionRange::Until30("use a list of types that contains \"null\""),
                ..served("nullable", Plain)
            },
            served("discriminator", One(ObjectKind::Discriminator)),
            served("readOnly", Plain),
            warned(
                "writeOnly",
                "a response has what its mapping writes, this property too",
            ),
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
            shown("deprecated"),
            new(by_value("$schema", DIALECT)),
            new(warned("$id", IDS)),
            new(warned("$anchor", IDS)),
            new(warned("$dynamicRef", IDS)),
            new(warned("$dynamicAnchor", IDS)),
            new(warned("$vocabulary", "keywords are those of this table")),
            new(shown("$comment")),
            new(served("$defs", MapOf(ObjectKind::Schema))),
            new(served("const", Plain)),
            new(served("if", One(ObjectKind::Schema))),
            new(served("then", One(ObjectKind::Schema))),
            new(served("else", One(ObjectKind::Schema))),
            new(served("dependentSchemas", MapOf(ObjectKind::Schema))),
            new(served("dependentRequired", Plain)),
            new(served("prefixItems", List(ObjectKind::Schema))),
            new(served("contains", One(ObjectKind::Schema))),
            new(served("minContains", Plain)),
            new(served("maxContains", Plain)),
            new(served("patternProperties", MapOf(ObjectKind::Schema))),
            new(served("propertyNames", One(ObjectKind::Schema))),
            new(warned("unevaluatedItems", UNEVALUATED)),
            new(warned("unevaluatedProperties", UNEVALUATED)),
            new(shown("contentEncoding")),
            new(shown("contentMediaType")),
            new(row(
                "contentSchema",
                KeywordSupport::Shown,
                One(ObjectKind::Schema),
            )),
            new(shown("examples")),
        ],
    ),
    (
        ObjectKind::Discriminator,
        "Discriminator Object",
        &[shown("propertyName"), shown("mapping")],
    ),
    (
        ObjectKind::Xml,
        "XML Object",
        &[
            shown("name"),
            shown("namespace"),
            shown("prefix"),
            shown("attribute"),
            shown("wrapped"),
        ],
    ),
    (
        ObjectKind::SecurityScheme,
        "Security Scheme Object",
        &[
            by_value(
                "type",
                "http, apiKey, oauth2, openIdConnect and mutualTLS; where one is required that \
                 cannot be enforced, that is an error",
            ),
            shown("description"),
            served("name", Plain),
            served("in", Plain),
            by_value(
                "scheme",
                "basic and bearer; others are an error where they are required",
            ),
            shown("bearerFormat"),
            row("flows", KeywordSupport::Shown, One(ObjectKind::OAuthFlows)),
            shown("openIdConnectUrl"),
        ],
    ),
    (
        ObjectKind::OAuthFlows,
        "OAuth Flows Object",
        &[
            row(
                "implicit",
                KeywordSupport::Shown,
                One(ObjectKind::OAuthFlow),
            ),
            row(
                "password",
                KeywordSupport::Shown,
                One(ObjectKind::OAuthFlow),
            ),
            row(
                "clientCredentials",
                KeywordSupport::Shown,
                One(ObjectKind::OAuthFlow),
            ),
            row(
                "authorizationCode",
                KeywordSupport::Shown,
                One(ObjectKind::OAuthFlow),
            ),
        ],
    ),
    (
        ObjectKind::OAuthFlow,
        "OAuth Flow Object",
        &[
            shown("authorizationUrl"),
            shown("tokenUrl"),
            shown("refreshUrl"),
            shown("scopes"),
        ],
    ),
];

/// Pairs of keywords of schemas: the first must not be greater than the second.
const BOUNDS: [(&str, &str); 4] = [
    ("minimum", "maximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
    ("minProperties", "maxProperties"),
];

const SECURITY: &str =
    "enforced; a requirement that no scheme of the gateway can enforce is an error";
/// The support for formats, for the rows of all versions.
pub(super) const FORMAT: &str = "date, date-time, uuid, ipv4, ipv6, email, byte, int32 and int64 \
    are checked; another that is more than a hint is a warning";
const SERVERS: &str = "only the document's own servers count";
const CALLBACKS: &str = "callbacks are never called";
const BOUND: &str = "true or false in a 3.0 document, a number in a 3.1 document";
const DIALECT: &str =
    "the base dialect of OpenAPI 3.1 and JSON Schema 2020-12; another is a warning";
const IDS: &str = "references are followed within the document by their JSON pointers only";
const UNEVALUATED: &str = "it is ignored: use additionalProperties or items";
/// Dialects of schemas that are served.
const DIALECTS: [&str; 2] = [
    "https://spec.openapis.org/oas/3.1/dialect/base",
    "https://json-schema.org/draft/2020-12/schema",
];

/// Reports every keyword of a document that is not supported.
pub(crate) fn check(document: &Document, out: &mut ProjectDiagnostics) {
    let mut walk = Walk {
        document,
        out,
        path: Vec::new(),
        followed: HashSet::new(),
        waiting: Vec::new(),
    };
    walk.object(ObjectKind::Document, &document.author);
    while let Some((kind, pointer)) = walk.waiting.pop() {
        walk.elsewhere(kind, &pointer);
    }
}

/// The rows of a kind of object, with its title. Rows that version 2.0 shares
/// with its successors are in their table.
fn rows(
    version: OpenapiVersion,
    kind: ObjectKind,
) -> Option<(&'static str, &'static [KeywordRow])> {
    let own = match version {
        OpenapiVersion::V2 => swagger_keywords::TABLE,
        OpenapiVersion::V30 | OpenapiVersion::V31 => &[],
    };
    let mut all = own.iter().chain(TABLE);
    let (_, title, rows) = all.find(|(object, ..)| *object == kind)?;
    Some((title, rows))
}

/// The keywords as a reference page in Markdown.
pub fn reference_page() -> String {
    let mut page = String::from(
        "# OpenAPI keywords\n\nWhat the gateway does with each keyword of an OpenAPI document. \
         *served*: it is implemented. *shown*: it informs clients and requires nothing of \
         the gateway. *warning* and *error* are reported by `tupelo check` and `tupelo \
         serve`; a document with an error is not served. A keyword that is not listed is \
         a warning, unless it begins with `x-`. Of these, `x-ibm-zcon-roles-allowed` at \
         the root and in operations is enforced. A value of another form than OpenAPI \
         gives it is a warning. This page is made by `tupelo reference openapi`.\n",
    );
    page += "\nA document of version 2.0 (Swagger) is served as it is; objects that it shares \
        with 3.0, such as the Info Object, are listed with 3.0.\n\n# OpenAPI 3.0 and 3.1\n";
    write_table(TABLE, &mut page);
    page += "\n# OpenAPI 2.0\n";
    write_table(swagger_keywords::TABLE, &mut page);
    page += "\n# Keys of a project's own files\n\nThe same for the files next to the document.\n";
    page += &crate::project::keys::reference();
    page
}

fn write_table(table: Table, page: &mut String) {
    for (_, title, rows) in table {
        let _ = write!(page, "\n## {title}\n\n| keyword | | |\n|---|---|---|\n");
        for row in *rows {
            let (word, why) = match row.treatment {
                KeywordSupport::Served => ("served", ""),
                KeywordSupport::Shown => ("shown", ""),
                KeywordSupport::Warning(why) => ("warning", why),
                KeywordSupport::Refused(why) => ("error", why),
                KeywordSupport::ByValue(what) => ("by value", what),
            };
            let when = match row.within {
                VersionRange::All => "",
                VersionRange::From31 => "3.1 only",
                VersionRange::Until30(_) => "3.0 only",
            };
            let comma = if when.is_empty() || why.is_empty() {
                ""
            } else {
                "; "
            };
            let _ = writeln!(page, "| `{}` | {word} | {when}{comma}{why} |", row.keyword);
        }
    }
}

struct Walk<'a> {
    document: &'a Document,
    out: &'a mut ProjectDiagnostics,
    /// Names that lead to the object at hand.
    path: Vec<String>,
    /// References to places other than those that a document keeps.
    followed: HashSet<String>,
    /// The values to visit, with their kinds.
    waiting: Vec<(ObjectKind, String)>,
}

impl Walk<'_> {
    fn at(&self, keyword: &str) -> FilePosition {
        let names = self.path.iter().map(String::as_str);
        self.document.key(names.chain([keyword]))
    }

    fn warn(&mut self, keyword: &str, message: String) {
        let at = self.at(keyword);
        self.out.warn(&self.document.file, at, message);
    }

    fn object(&mut self, kind: ObjectKind, value: &Value) {
        let Value::Object(members) = value else {
            return;
        };
        let version = self.document.version;
        let Some((title, rows)) = rows(version, kind) else {
            return;
        };
        if self.path.len() > DEEPEST {
            return;
        }
        match members.get("$ref") {
            Some(Value::String(reference)) => self.reference(kind, reference),
            Some(other) if kind != ObjectKind::Example => {
                let at = self.at("$ref");
                let message = format!("$ref: expected text, not {other}");
                self.out.error(&self.document.file, at, message);
            }
            _ => {}
        }
        // Keywords next to a reference count in schemas of OpenAPI 3.1 only.
        let reference = members.contains_key("$ref")
            && kind != ObjectKind::PathItem
            && !(version == OpenapiVersion::V31 && kind == ObjectKind::Schema);
        match kind {
            ObjectKind::Schema if !reference => self.bounds(members),
            ObjectKind::Parameter if !reference => self.parameter(members),
            _ => {}
        }
        for (keyword, value) in members {
            if keyword.starts_with("x-") {
                self.extension(kind, keyword);
            }
            if keyword.starts_with("x-") || reference {
                continue;
            }
            let Some(row) = rows.iter().find(|row| row.keyword == *keyword) else {
                self.unknown(kind, keyword, title, rows);
                continue;
            };
            match (row.within, version) {
                (VersionRange::From31, OpenapiVersion::V30) => {
                    let why = "it came with OpenAPI 3.1, and is ignored";
                    self.warn(keyword, format!("{keyword}: {why}"));
                    continue;
                }
                (VersionRange::Until30(instead), OpenapiVersion::V31) => {
                    let message = format!(
                        "{keyword}: OpenAPI 3.1 does not have it, so it is ignored; {instead}"
                    );
                    self.warn(keyword, message);
                    continue;
                }
                _ => {}
            }
            let shape = match row.treatment {
                KeywordSupport::Warning(_) | KeywordSupport::Refused(_) => None,
                _ => shapes::wrong(version, (kind, keyword.as_str()), row.below, value),
            };
            if let Some(message) = shape {
                self.warn(keyword, message);
                continue;
            }
            match row.treatment {
                KeywordSupport::Served | KeywordSupport::Shown => {}
                KeywordSupport::Warning(why) => self.warn(keyword, format!("{keyword}: {why}")),
                KeywordSupport::Refused(why) => {
                    let at = self.at(keyword);
                    self.out
                        .error(&self.document.file, at, format!("{keyword}: {why}"));
                }
                KeywordSupport::ByValue(_) => self.by_value(kind, keyword, value, members),
            }
            self.below(row.below, keyword, value);
        }
    }

    fn reference(&mut self, kind: ObjectKind, reference: &str) {
        let Some(dangling) = references::check_reference(&self.document.author, reference) else {
            let pointer = pointer(reference).unwrap_or_default().into_owned();
            let led = KEPT.iter().any(|kept| pointer.starts_with(kept));
            if !led && self.followed.insert(pointer.clone()) {
                self.waiting.push((kind, pointer));
            }
            return;
        };
        let (file, at) = (&self.document.file, self.at("$ref"));
        let DanglingReference { message, help, .. } = dangling;
        if dangling.is_error {
            self.out.error_help(file, at, message, help)
        } else {
            self.out.warn_help(file, at, message, Some(help))
        }
    }

    /// Looks at what a reference means where no row leads to it.
    fn elsewhere(&mut self, kind: ObjectKind, pointer: &str) {
        let names = pointer.split('/').skip(1);
        let names = names.map(|name| name.replace("~1", "/").replace("~0", "~"));
        self.path = names.collect();
        if let Some(value) = self.document.author.pointer(pointer) {
            self.object(kind, value);
        }
    }

    /// An extension: one about roles must be understood.
    fn extension(&mut self, kind: ObjectKind, keyword: &str) {
        if let Some(message) = roles::misplaced(kind, keyword) {
            let at = self.at(keyword);
            let help = "an unknown requirement of roles would admit every caller";
            self.out.unguarded(&self.document.file, at, message, help);
        }
    }

    fn below(&mut self, below: KeywordChild, keyword: &str, value: &Value) {
        self.path.push(keyword.to_owned());
        if let (KeywordChild::Map(ObjectKind::Response), "responses", Value::Object(map)) =
            (below, keyword, value)
            && self.path.iter().any(|name| name == "paths")
        {
            for name in map
                .keys()
                .filter(|n| !n.starts_with("x-") && shapes::no_status(n))
            {
                let message = format!("{name} is not a status; use 200, 4XX or default");
                self.warn(name, message);
            }
        }
        match (below, value) {
            (KeywordChild::One(kind), value) => self.object(kind, value),
            (KeywordChild::Map(kind), Value::Object(map)) => {
                for (name, value) in map.iter().filter(|(name, _)| !name.starts_with("x-")) {
                    self.member(kind, name, value);
                }
            }
            (KeywordChild::List(kind), Value::Array(list)) => {
                for (index, value) in list.iter().enumerate() {
                    self.member(kind, &index.to_string(), value);
                }
            }
            _ => {}
        }
        self.path.pop();
    }

    /// Visits a member of a map or a list.
    fn member(&mut self, kind: ObjectKind, name: &str, value: &Value) {
        let below = KeywordChild::One(kind);
        if let Some(message) = shapes::wrong(self.document.version, (kind, name), below, value) {
            self.warn(name, message);
        }
        self.path.push(name.to_owned());
        self.object(kind, value);
        self.path.pop();
    }

    fn unknown(&mut self, kind: ObjectKind, keyword: &str, title: &str, rows: &[KeywordRow]) {
        let at = self.at(keyword);
        let guarded = matches!(
            kind,
            ObjectKind::Document | ObjectKind::PathItem | ObjectKind::Operation
        );
        if guarded && nearest(keyword, ["security"]).is_some() {
            let message = format!(
                "{keyword} is not a keyword of this object, and its requirement of callers would \
                 not be enforced: the API is not served like this"
            );
            let help = "security belongs at the root of the document or in an operation";
            return self.out.unguarded(&self.document.file, at, message, help);
        }
        let article = if title.starts_with(['A', 'E', 'I', 'O']) {
            "an"
        } else {
            "a"
        };
        let message = format!("{keyword} is not a keyword of {article} {title}, and is ignored");
        let help = suggestion(keyword, rows.iter().map(|row| row.keyword));
        self.out.warn_help(&self.document.file, at, message, help);
    }

    /// Keywords of which some values are done and others are not.
    fn by_value(
        &mut self,
        kind: ObjectKind,
        keyword: &str,
        value: &Value,
        siblings: &Map<String, Value>,
    ) {
        match (kind, keyword) {
            (_, "servers") if value.as_array().is_some_and(|list| list.len() > 1) => {
                let message = "servers: only the path of the first counts".to_owned();
                self.warn(keyword, message);
            }
            (ObjectKind::Parameter, "style") => self.style(value, siblings),
            (ObjectKind::Server, "url") => self.url(value, siblings),
            (_, "format") => self.format(value),
            (_, "content") => {
                if kind == ObjectKind::RequestBody {
                    self.schemas(value);
                }
                for name in value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(name, _)| name)
                {
                    if !is_json(name) {
                        self.path.push("content".into());
                        self.warn(
                            name,
                            format!("{name}: bodies are JSON; other media types are not mapped"),
                        );
                        self.path.pop();
                    }
                }
            }
            (_, "exclusiveMaximum" | "exclusiveMinimum") => self.exclusive(keyword, value),
            (ObjectKind::Schema, "type") => self.type_of(value),
            (_, "jsonSchemaDialect" | "$schema") => {
                let name = value.as_str().unwrap_or_default().trim_end_matches('#');
                if !DIALECTS.contains(&name) {
                    let message = format!("{keyword}: schemas are read as JSON Schema 2020-12");
                    self.warn(keyword, message);
                }
            }
            _ => swagger_keywords::by_value(kind, keyword, value, &mut |message| {
                self.warn(keyword, message);
            }),
        }
    }

    /// A server's URL of which more is said than its path.
    fn url(&mut self, value: &Value, siblings: &Map<String, Value>) {
        let url = value.as_str().unwrap_or_default();
        let path = url.split_once("://").map_or(url, |(_, rest)| rest);
        let dots = path.split('/').any(|part| part == ".." || part == ".");
        let braces = path.contains('{') && !siblings.contains_key("variables");
        if path.contains(['?', '#']) || dots || braces {
            let message = format!(
                "url: the path of {url} is used literally: write it without \
                query, dots and braces"
            );
            self.warn("url", message);
        } else if let Some((_, rest)) = url.split_once("://") {
            let host = rest.split('/').next().unwrap_or_default();
            let message = format!(
                "url: {host} is not called: the API is served here, and only the path of {url} counts"
            );
            self.warn("url", message);
        }
    }

    /// Formats that are not checked and are more than a hint.
    fn format(&mut self, value: &Value) {
        let name = value.as_str().unwrap_or_default();
        if format::CHECKED.contains(&name) || format::HINTS.contains(&name) {
            return;
        }
        let help = suggestion(name, format::CHECKED);
        let at = self.at("format");
        let message = format!("format: {name} is not checked");
        self.out.warn_help(&self.document.file, at, message, help);
    }

    /// Bodies of several media types that are JSON are checked by the schema of
    /// the first.
    fn schemas(&mut self, content: &Value) {
        let all = content.as_object().into_iter().flatten();
        let mut json = all.filter(|(name, _)| is_json(name));
        let Some((first, media)) = json.next() else {
            return;
        };
        let schema = media.get("schema");
        for (name, _) in json.filter(|(_, media)| media.get("schema") != schema) {
            self.path.push("content".into());
            let message = format!("{name}: such bodies are checked by the schema of {first}");
            self.warn(name, message);
            self.path.pop();
        }
    }

    /// Parameters are texts and lists of texts.
    fn parameter(&mut self, members: &Map<String, Value>) {
        let place = members
            .get("in")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let schema = members.get("schema");
        if self.document.version == OpenapiVersion::V2 && place != "body" && schema.is_some() {
            let message = "schema: only a body parameter has one in OpenAPI 2.0; it is ignored";
            return self.warn("schema", message.into());
        }
        let reference = schema.and_then(|s| s.get("$ref")).and_then(Value::as_str);
        let target = reference.and_then(|r| super::target(&self.document.author, r));
        let kind = target.or(schema).unwrap_or(&Value::Null).get("type");
        if place != "body"
            && kind
                .or(members.get("type"))
                .is_some_and(|kind| kind == "object")
        {
            let message = format!(
                "a {place} parameter is a text or a list of texts: objects are not supported, \
                 and a request with one is rejected"
            );
            self.warn("name", message);
        }
    }

    fn exclusive(&mut self, keyword: &str, value: &Value) {
        let (right, takes) = match self.document.version {
            OpenapiVersion::V31 => (value.is_number(), "OpenAPI 3.1 expects a number here"),
            OpenapiVersion::V30 => (value.is_boolean(), "OpenAPI 3.0 expects true or false here"),
            OpenapiVersion::V2 => (value.is_boolean(), "OpenAPI 2.0 expects true or false here"),
        };
        if !right {
            self.warn(
                keyword,
                format!("{keyword}: {takes}, and this bound is not checked"),
            );
        }
    }

    /// Bounds that leave nothing between them.
    fn bounds(&mut self, members: &Map<String, Value>) {
        for (least, most) in BOUNDS {
            let number = |name: &str| members.get(name).and_then(Value::as_f64);
            if let (Some(low), Some(high)) = (number(least), number(most))
                && low > high
            {
                let message = format!("{least} {low} is above {most} {high}: no value fits");
                self.warn(least, message);
            }
        }
    }

    fn type_of(&mut self, value: &Value) {
        let known = |value: &Value| {
            let name = value.as_str().unwrap_or_default();
            name == "null" || crate::validate::schema::SchemaType::by_name(name).is_some()
        };
        let message = match (self.document.version, value) {
            (_, Value::String(name)) if !known(value) => {
                let types = ["string", "number", "integer", "boolean", "array", "object"];
                let message = format!("type: {name} is not a type, and is not checked");
                let help = suggestion_or_all(name, &types, "types are");
                let at = self.at("type");
                return (self.out).warn_help(&self.document.file, at, message, Some(help));
            }
            (OpenapiVersion::V31, Value::Array(list)) if list.iter().all(known) => return,
            (_, value @ Value::String(_)) if known(value) => return,
            (OpenapiVersion::V30 | OpenapiVersion::V2, Value::Array(_)) => {
                "type: a list of types came with OpenAPI 3.1, and is not checked"
            }
            _ => {
                "type: expected string, number, integer, boolean, array or object; this is not checked"
            }
        };
        self.warn("type", message.into());
    }

    fn style(&mut self, value: &Value, siblings: &Map<String, Value>) {
        let place = siblings
            .get("in")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let usual = match place {
            "path" | "header" => "simple",
            _ => "form",
        };
        let style = value.as_str().unwrap_or_default();
        if style != usual {
            let message =
                format!("style {style}: a {place} parameter is read in the style {usual} only");
            self.warn("style", message);
        }
    }
}

/// Whether bodies of a media type, or of one of a range, are JSON.
pub(super) fn is_json(name: &str) -> bool {
    let name = name.split(';').next().unwrap_or_default().trim();
    let name = name.to_ascii_lowercase();
    name.ends_with("/json") || name.ends_with("+json") || ["*/*", "application/*"].contains(&&*name)
}

/// The members of a document with the targets of references.
const KEPT: [&str; 5] = [
    "/components/",
    "/paths/",
    "/definitions/",
    "/parameters/",
    "/responses/",
];

/// Deeper objects are not looked at; no document that people write has them.
const DEEPEST: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_keyword_stands_twice_in_an_object() {
        for (_, title, rows) in TABLE.iter().chain(swagger_keywords::TABLE) {
            let mut names: Vec<&str> = rows.iter().map(|row| row.keyword).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), rows.len(), "{title}");
        }
    }
}
