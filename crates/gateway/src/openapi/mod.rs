//! The API's own document, of OpenAPI 2.0, 3.0 or 3.1.
//!
//! All versions become one form, that of 3.0, which the rest of the crate uses;
//! the author's document is kept too, for clients and for the places of
//! findings.
//!
//! Reference: OpenAPI 2.0, 3.0.3 and 3.1.0.

pub(crate) mod keywords;
mod references;
pub(crate) mod roles;
pub(crate) mod security;
mod shapes;
mod swagger;
mod swagger_keywords;

use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::yaml::{self, Node};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Longest chain of references followed.
const MAX_REFERENCES: usize = 16;
/// The methods of a Path Item Object.
pub(crate) const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// The version of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenapiVersion {
    /// 2.0, called Swagger.
    V2,
    V30,
    V31,
}

/// A parsed document.
#[derive(Debug)]
pub(crate) struct Document {
    pub file: PathBuf,
    /// The text as it was written.
    pub text: String,
    pub version: OpenapiVersion,
    /// The document as it was written.
    pub author: Value,
    /// The document in the form of 3.0. Paths, methods and the names of schemas
    /// keep their places.
    pub json: Value,
    node: Node,
}

/// One operation of a document.
pub(crate) struct OperationObject<'a> {
    pub path: &'a str,
    pub method: &'a str,
    pub object: &'a Value,
    /// Parameters of the path item and of the operation, references resolved,
    /// the operation's own replacing those of the path item.
    pub parameters: Vec<&'a Value>,
}

impl Document {
    /// Reads `openapi.yaml` (or `.yml`, `.json`) in `folder`, and reports what
    /// it declares and the gateway does not support.
    pub fn load(folder: &Path, out: &mut ProjectDiagnostics) -> Option<Document> {
        let document = Document::read(folder, out)?;
        keywords::check(&document, out);
        Some(document)
    }

    /// Reads the document of an API of another server.
    pub fn of_requester(folder: &Path, out: &mut ProjectDiagnostics) -> Option<Document> {
        Document::read(folder, out)
    }

    fn read(folder: &Path, out: &mut ProjectDiagnostics) -> Option<Document> {
        let names = [
            "openapi.yaml",
            "openapi.yml",
            "openapi.json",
            "swagger.yaml",
            "swagger.yml",
            "swagger.json",
        ];
        let known = names.map(|n| folder.join(n)).into_iter();
        let mut known = known.filter(|f| f.is_file());
        let Some(file) = known.next() else {
            out.error_help(
                folder,
                FilePosition::default(),
                "openapi.yaml is missing",
                "put the OpenAPI document of an API project at src/main/api/openapi.yaml",
            );
            return None;
        };
        for other in known {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let message = format!("it is ignored, because {name} exists too");
            let help = Some("an API has one document: remove one of them".to_owned());
            out.warn_help(&other, FilePosition::default(), message, help);
        }
        let text = match sources::read_to_string(&file) {
            Ok(text) => text,
            Err(e) => {
                out.error(
                    &file,
                    FilePosition::default(),
                    format!("cannot be read: {e}"),
                );
                return None;
            }
        };
        let node = match yaml::parse(&text) {
            Ok(node) => node,
            Err(e) => {
                e.report(&file, out);
                return None;
            }
        };
        let author = node.to_json();
        let version = version(&author, &file, &node, out);
        let json = match version {
            OpenapiVersion::V2 => swagger::modern(&author),
            OpenapiVersion::V30 | OpenapiVersion::V31 => author.clone(),
        };
        let document = Document {
            version,
            author,
            json,
            file,
            text,
            node,
        };
        Some(document)
    }

    /// The place of a node by the names that lead to it.
    pub fn at(&self, path: &[&str]) -> FilePosition {
        self.node.locate(path.iter().copied())
    }

    /// The place of the last of these names, if it is a key; else of its value.
    pub fn key<'a>(&self, path: impl IntoIterator<Item = &'a str>) -> FilePosition {
        self.node.locate_key(path)
    }

    /// The places of a keyword in these objects, in their order.
    pub fn places(
        &self,
        keyword: &str,
        meant: &dyn Fn(&Map<String, Value>) -> bool,
    ) -> Vec<FilePosition> {
        let mut found = Vec::new();
        let mut open = vec![(Vec::<String>::new(), &self.author)];
        while let Some((path, value)) = open.pop() {
            let below = |name: &str| [&path[..], &[name.to_owned()]].concat();
            match value {
                Value::Object(map) => {
                    if map.contains_key(keyword) && meant(map) {
                        found.push(self.key(path.iter().map(String::as_str).chain([keyword])));
                    }
                    open.extend(map.iter().map(|(name, value)| (below(name), value)));
                }
                Value::Array(list) => {
                    let items = list.iter().enumerate();
                    open.extend(items.map(|(at, value)| (below(&at.to_string()), value)));
                }
                _ => {}
            }
        }
        found.sort_by_key(|at| (at.line, at.column));
        found
    }

    /// Follows `$ref` to the object it means.
    pub fn resolve<'a>(&'a self, mut value: &'a Value) -> &'a Value {
        for _ in 0..MAX_REFERENCES {
            let Some(reference) = value.get("$ref").and_then(Value::as_str) else {
                break;
            };
            match target(&self.json, reference) {
                Some(target) => value = target,
                None => break,
            }
        }
        value
    }

    /// The path of the first server's URL, without a slash at its end.
    pub fn base_path(&self) -> String {
        let url = self
            .json
            .pointer("/servers/0/url")
            .and_then(Value::as_str)
            .unwrap_or("/");
        let path = match url.split_once("://") {
            Some((_, rest)) => rest.find('/').map_or("", |i| &rest[i..]),
            None => url,
        };
        let path = path.trim_end_matches('/');
        if path.is_empty() || path.starts_with('/') {
            path.into()
        } else {
            format!("/{path}")
        }
    }

    /// All operations in the order of the document.
    pub fn operations(&self) -> Vec<OperationObject<'_>> {
        let mut all = Vec::new();
        let paths = self.json.get("paths").and_then(Value::as_object);
        for (path, item) in paths.into_iter().flatten() {
            let item = self.resolve(item);
            for method in METHODS {
                let Some(object) = item.get(method) else {
                    continue;
                };
                let mut parameters: Vec<&Value> = Vec::new();
                for source in [object, item] {
                    let list = source.get("parameters").and_then(Value::as_array);
                    for parameter in list.into_iter().flatten() {
                        let parameter = self.resolve(parameter);
                        let same = |p: &&&Value| {
                            p.get("name") == parameter.get("name")
                                && p.get("in") == parameter.get("in")
                        };
                        if !parameters.iter().any(|p| same(&p)) {
                            parameters.push(parameter);
                        }
                    }
                }
                all.push(OperationObject {
                    path,
                    method,
                    object,
                    parameters,
                });
            }
        }
        all
    }

    /// The media types of a response's body for a status, `default` included.
    pub fn response_content<'a>(&'a self, operation: &'a Value, status: u16) -> Option<&'a Value> {
        let responses = operation.get("responses")?;
        let exact = status.to_string();
        let class = format!("{}XX", status / 100);
        let keys = [exact.as_str(), class.as_str(), "default"];
        let response = keys.iter().find_map(|key| responses.get(key))?;
        self.resolve(response).get("content")
    }
}

/// The stated version of a document; another than those served is an
/// error, and read as 3.0.
fn version(
    author: &Value,
    file: &Path,
    node: &Node,
    out: &mut ProjectDiagnostics,
) -> OpenapiVersion {
    let (key, value) = match (author.get("openapi"), author.get("swagger")) {
        (None, Some(value)) => ("swagger", value),
        (value, _) => ("openapi", value.unwrap_or(&Value::Null)),
    };
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    match (key, text.split('.').collect::<Vec<_>>().as_slice()) {
        ("swagger", ["2", "0"]) => return OpenapiVersion::V2,
        ("openapi", ["3", "0", ..]) => return OpenapiVersion::V30,
        ("openapi", ["3", "1", ..]) => return OpenapiVersion::V31,
        _ => {}
    }
    let message = match text.as_str() {
        "" => "this is not an OpenAPI document: it has no 'openapi' version".into(),
        text => format!("OpenAPI {text} is not supported; use 2.0, 3.0 or 3.1"),
    };
    let help = "write openapi: 3.0.3, or swagger: '2.0'";
    out.error_help(file, node.locate([key]), message, help);
    OpenapiVersion::V30
}

/// The schema of the first media type that is JSON.
pub(crate) fn json_content(content: &Value) -> Option<&Value> {
    let mut types = content.as_object()?.iter();
    let json = types.find(|(name, _)| keywords::is_json(name));
    json.and_then(|(_, media)| media.get("schema"))
}

/// The target of a reference within the document.
pub(crate) fn target<'a>(document: &'a Value, reference: &str) -> Option<&'a Value> {
    document.pointer(&pointer(reference)?)
}

/// The JSON pointer of a reference within its document. The pointer is the fragment of a
/// URI, in which other characters than a few are percent-encoded.
fn pointer(reference: &str) -> Option<Cow<'_, str>> {
    let fragment = reference.strip_prefix('#')?;
    percent_decode_str(fragment).decode_utf8().ok()
}
