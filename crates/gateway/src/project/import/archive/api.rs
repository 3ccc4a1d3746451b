//! APIs (`.aar`): their operations, the services that these call, and mappings.

use super::mapping::{self, MessageMapping};
use super::service::ArchiveService;
use super::xml;
use super::zip::ZipEntry;
use serde_json::{Value, json};

/// An API of an old project.
#[derive(Debug, Clone)]
pub(super) struct ArchiveApi {
    pub name: String,
    /// File name and text of its document.
    pub document: (&'static str, String),
    pub operations: Vec<ArchiveOperation>,
}

/// One operation.
#[derive(Debug, Clone)]
pub(super) struct ArchiveOperation {
    pub path: String,
    /// In lower case.
    pub method: String,
    pub service: String,
    /// Requests have a body.
    pub body: bool,
    /// Mappings, or why they cannot be done.
    pub mapped: Result<OperationMapping, String>,
}

/// The mappings of an operation's messages.
#[derive(Debug, Clone)]
pub(super) struct OperationMapping {
    pub request: Option<MessageMapping>,
    pub response: Option<MessageMapping>,
    pub status: u16,
}

/// Reads an API.
///
/// # Errors
/// Why its description cannot be read.
pub(super) fn read(entries: &[ZipEntry]) -> Result<ArchiveApi, String> {
    let file = |path: &str| {
        let path = path.replace('\\', "/");
        let found = entries.iter().find(|e| e.name == path);
        found.map(|e| e.data.as_slice())
    };
    let package = file("package.xml").ok_or("it has no package.xml")?;
    let package = xml::parse(package).map_err(|why| format!("package.xml: {why}"))?;
    let spec = package
        .child("apiSpec")
        .ok_or("package.xml has no apiSpec")?;
    let name = package.attribute("id").or_else(|| spec.attribute("title"));
    let name = name
        .filter(|n| !n.is_empty())
        .ok_or("package.xml names no API")?;
    let documents = spec.children_named("apiDoc");
    let document = documents
        .filter(|d| d.attribute("docType").is_none_or(|t| t == "SWAGGER"))
        .find_map(|d| file(d.text.trim()))
        .ok_or("its Swagger document is missing")?;
    let document: Value =
        serde_json::from_slice(document).map_err(|e| format!("its Swagger document: {e}"))?;
    let mut operations = Vec::new();
    for path in spec.children_named("path") {
        let relative = path.attribute("relativePath").unwrap_or_default();
        for method in path.children_named("method") {
            let attribute = |key: &str| method.attribute(key).unwrap_or_default();
            let kind = attribute("type").to_ascii_lowercase();
            let place = format!("{} {relative}", kind.to_ascii_uppercase());
            let mapped = match file(attribute("httpXformFile")) {
                Some(bytes) => mapped(bytes, &file),
                None => Err(format!("{} is missing", attribute("httpXformFile"))),
            };
            operations.push(ArchiveOperation {
                path: relative.to_owned(),
                body: has_body(&document, relative, &kind),
                service: attribute("zosConnectServiceRef").to_owned(),
                mapped: mapped.map_err(|why| format!("{place}: {why}")),
                method: kind,
            });
        }
    }
    let text = serde_json::to_string_pretty(&document).unwrap_or_default() + "\n";
    Ok(ArchiveApi {
        name: name.to_owned(),
        document: ("swagger.json", text),
        operations,
    })
}

/// Whether an operation of a Swagger document has a body.
fn has_body(document: &Value, path: &str, method: &str) -> bool {
    let item = document.get("paths").and_then(|paths| paths.get(path));
    let operation = item.and_then(|item| item.get(method));
    let lists = [operation, item].into_iter().flatten();
    let mut all = lists
        .filter_map(|object| object.get("parameters")?.as_array())
        .flatten();
    all.any(|parameter| {
        let reference = parameter.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|r| crate::openapi::target(document, r));
        target
            .unwrap_or(parameter)
            .get("in")
            .is_some_and(|place| place == "body")
    })
}

/// `mapping.xml` with the files that it names.
fn mapped<'a>(
    bytes: &[u8],
    file: &dyn Fn(&str) -> Option<&'a [u8]>,
) -> Result<OperationMapping, String> {
    let root = xml::parse(bytes)?;
    let model =
        |element: &xml::ArchiveElement, request: bool| -> Result<Option<MessageMapping>, String> {
            let Some(model) = element.child("mappingRootModel") else {
                return Ok(None);
            };
            let location = model.attribute("location").unwrap_or_default();
            let bytes = file(location).ok_or_else(|| format!("{location} is missing"))?;
            let read = mapping::read(bytes, request);
            read.map(Some).map_err(|why| format!("{location}: {why}"))
        };
    let usual = root
        .child("mappingContext")
        .and_then(|c| c.attribute("defaultResponseCode"));
    let request = match root.child("requestMessage") {
        Some(message) => model(message, true)?,
        None => None,
    };
    let messages: Vec<&xml::ArchiveElement> = root.children_named("responseMessages").collect();
    for message in &messages {
        let other = message
            .children
            .iter()
            .find(|c| c.name != "mappingRootModel");
        if let Some(other) = other {
            return Err(format!(
                "responses are chosen by <{}>, which has no rule",
                other.name
            ));
        }
    }
    let code = |m: &&&xml::ArchiveElement| usual.is_none() || m.attribute("code") == usual;
    let message = messages.iter().find(code).or(messages.first());
    let status = message
        .and_then(|m| m.attribute("code"))
        .or(usual)
        .unwrap_or("200");
    let status = status
        .parse()
        .map_err(|_| format!("{status} is not a response code"))?;
    let response = match message {
        Some(message) => model(message, false)?,
        None => None,
    };
    Ok(OperationMapping {
        request,
        response,
        status,
    })
}

/// The API that z/OS Connect has for a service without one.
///
/// Reference: z/OS Connect Enterprise Edition 3.0, "Invoke a service".
pub(super) fn of_service(service: &ArchiveService) -> ArchiveApi {
    let path = format!("/zosConnect/services/{}", service.name);
    let schema = |schema: &Value| json!({"application/json": {"schema": schema}});
    let document = json!({
        "openapi": "3.0.3",
        "info": {"title": service.name, "version": "1.0.0", "description": service.description},
        "paths": {&path: {"post": {
            "operationId": service.name,
            "parameters": [{"name": "action", "in": "query", "required": true,
                "schema": {"type": "string", "enum": ["invoke"]}}],
            "requestBody": {"required": true, "content": schema(&service.request.schema)},
            "responses": {"200": {"description": "What the program returned",
                "content": schema(&service.response.schema)}},
        }}},
    });
    let text = serde_json::to_string_pretty(&document).unwrap_or_default() + "\n";
    ArchiveApi {
        name: service.name.clone(),
        document: ("openapi.json", text),
        operations: vec![ArchiveOperation {
            path,
            method: "post".into(),
            service: service.name.clone(),
            body: true,
            mapped: Ok(OperationMapping {
                request: None,
                response: None,
                status: 200,
            }),
        }],
    }
}
