//! A document of OpenAPI 2.0 in the form of 3.0.
//!
//! Paths, operations and definitions stay where they are, so that references
//! and the places of findings hold; what 2.0 says otherwise is said again as
//! 3.0 says it.
//!
//! Reference: OpenAPI 2.0 and 3.0.3, "Specification".

use super::METHODS;
use serde_json::{Map, Value, json};

/// Longest chain of references followed.
const MAX_REFERENCES: usize = 16;
/// Keywords of a parameter that are those of its schema in 3.0.
const OF_SCHEMA: [&str; 17] = [
    "type",
    "format",
    "items",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "enum",
    "multipleOf",
    "x-nullable",
];

/// The document as 3.0 has it.
pub(super) fn modern(author: &Value) -> Value {
    let mut json = author.clone();
    let Some(object) = json.as_object_mut() else {
        return json;
    };
    let base = author
        .get("basePath")
        .and_then(Value::as_str)
        .unwrap_or("/");
    object.insert("servers".into(), json!([{ "url": base }]));
    let schemes = author.get("securityDefinitions").and_then(Value::as_object);
    let schemes: Map<String, Value> = schemes
        .into_iter()
        .flatten()
        .map(|(name, scheme)| (name.clone(), security_scheme(scheme)))
        .collect();
    object.insert("components".into(), json!({ "securitySchemes": schemes }));
    if let Some(responses) = object.get_mut("responses").and_then(Value::as_object_mut) {
        for response in responses.values_mut() {
            modern_response(author, None, response);
        }
    }
    if let Some(paths) = object.get_mut("paths").and_then(Value::as_object_mut) {
        for item in paths.values_mut() {
            path_item(author, item);
        }
    }
    json
}

fn path_item(author: &Value, item: &mut Value) {
    let Some(item) = item.as_object_mut() else {
        return;
    };
    let (common, common_body) = parameters(author, item.get("parameters"), None);
    for method in METHODS {
        let Some(operation) = item.get_mut(method).and_then(Value::as_object_mut) else {
            continue;
        };
        let consumes = operation.get("consumes").cloned();
        let (own, own_body) = parameters(author, operation.get("parameters"), consumes.as_ref());
        operation.insert("parameters".into(), Value::Array(own));
        if let Some(mut body) = own_body.or_else(|| common_body.clone()) {
            // Older tooling gives these a body that no client sends.
            if ["get", "head", "delete"].contains(&method) {
                body["required"] = json!(false);
            }
            operation.insert("requestBody".into(), body);
        }
        let produces = operation.get("produces").cloned();
        let responses = operation
            .get_mut("responses")
            .and_then(Value::as_object_mut);
        for response in responses.into_iter().flat_map(Map::values_mut) {
            modern_response(author, produces.as_ref(), response);
        }
    }
    item.insert("parameters".into(), Value::Array(common));
}

/// The parameters that 3.0 has too, and the request body that the others make.
fn parameters(
    author: &Value,
    list: Option<&Value>,
    consumes: Option<&Value>,
) -> (Vec<Value>, Option<Value>) {
    let (mut plain, mut body) = (Vec::new(), None);
    for parameter in list.and_then(Value::as_array).into_iter().flatten() {
        let parameter = resolve(author, parameter);
        let text = |key: &str| parameter.get(key).and_then(Value::as_str);
        let required = parameter.get("required").cloned().unwrap_or(json!(false));
        match text("in") {
            Some("body") => {
                let media =
                    json!({ "schema": parameter.get("schema").cloned().unwrap_or(json!({})) });
                let content = contents(author, "consumes", consumes, &media);
                body = Some(json!({ "required": required, "content": content }));
            }
            Some("formData") => {
                let media = ["application/x-www-form-urlencoded", "multipart/form-data"];
                let content: Map<String, Value> = media
                    .into_iter()
                    .map(|name| (name.to_owned(), json!({})))
                    .collect();
                body.get_or_insert(json!({ "required": required, "content": content }));
            }
            _ => plain.push(modern_parameter(parameter)),
        }
    }
    (plain, body)
}

fn modern_parameter(parameter: &Value) -> Value {
    let Some(object) = parameter.as_object() else {
        return parameter.clone();
    };
    let of_schema = |key: &str| OF_SCHEMA.contains(&key);
    let mut schema: Map<String, Value> = Map::new();
    let mut modern: Map<String, Value> = Map::new();
    for (key, value) in object {
        match key.as_str() {
            "collectionFormat" => {
                modern.insert("explode".into(), json!(value == "multi"));
            }
            key if of_schema(key) => {
                schema.insert(key.into(), value.clone());
            }
            key => {
                modern.insert(key.into(), value.clone());
            }
        }
    }
    // csv is what a list has that says nothing.
    if schema.get("type").is_some_and(|kind| kind == "array") {
        modern.entry("explode").or_insert(json!(false));
    }
    modern.insert("schema".into(), Value::Object(schema));
    Value::Object(modern)
}

fn modern_response(author: &Value, produces: Option<&Value>, response: &mut Value) {
    let Some(object) = response.as_object_mut() else {
        return;
    };
    if let Some(schema) = object.remove("schema") {
        let media = json!({ "schema": schema });
        let content = contents(author, "produces", produces, &media);
        object.insert("content".into(), content);
    }
}

/// The media types of `own`, else those of the whole document, else JSON.
fn contents(author: &Value, key: &str, own: Option<&Value>, media: &Value) -> Value {
    let names = own.or_else(|| author.get(key)).and_then(Value::as_array);
    let names: Vec<&str> = names
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let names = if names.is_empty() {
        vec!["application/json"]
    } else {
        names
    };
    let content = names
        .into_iter()
        .map(|name| (name.to_owned(), media.clone()));
    Value::Object(content.collect())
}

fn security_scheme(scheme: &Value) -> Value {
    match scheme.get("type").and_then(Value::as_str) {
        Some("basic") => json!({ "type": "http", "scheme": "basic" }),
        _ => scheme.clone(),
    }
}

fn resolve<'a>(author: &'a Value, mut value: &'a Value) -> &'a Value {
    for _ in 0..MAX_REFERENCES {
        let reference = value.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|reference| super::target(author, reference));
        match target {
            Some(target) => value = target,
            None => break,
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_lists_and_schemes_are_converted_to_version_three() {
        let author = json!({"swagger": "2.0", "basePath": "/b", "consumes": ["application/json"],
            "parameters": {"Page": {"name": "page", "in": "query", "type": "integer"}},
            "securityDefinitions": {"who": {"type": "basic"}},
            "paths": {"/a/{id}": {
                "parameters": [{"name": "id", "in": "path", "required": true, "type": "string"}],
                "post": {"parameters": [
                    {"$ref": "#/parameters/Page"},
                    {"name": "ids", "in": "query", "type": "array", "items": {"type": "integer"},
                     "collectionFormat": "multi"},
                    {"name": "body", "in": "body", "required": true,
                     "schema": {"$ref": "#/definitions/A"}}],
                    "responses": {"200": {"description": "OK",
                        "schema": {"$ref": "#/definitions/A"}}}}}},
            "definitions": {"A": {"type": "object"}}});
        let modern = modern(&author);
        let post = &modern["paths"]["/a/{id}"]["post"];
        assert_eq!(post["requestBody"]["required"], true);
        let schema = &post["requestBody"]["content"]["application/json"]["schema"];
        assert_eq!(schema["$ref"], "#/definitions/A");
        assert_eq!(post["parameters"][0]["schema"]["type"], "integer");
        assert_eq!(post["parameters"][1]["explode"], true);
        assert_eq!(post["parameters"].as_array().unwrap().len(), 2);
        let answer = &post["responses"]["200"]["content"]["application/json"]["schema"];
        assert_eq!(answer["$ref"], "#/definitions/A");
        assert_eq!(modern["servers"][0]["url"], "/b");
        assert_eq!(
            modern["components"]["securitySchemes"]["who"]["scheme"],
            "basic"
        );
    }

    proptest::proptest! {
        #[test]
        fn no_document_panics(text in "[\\[\\]{}:,\"a-z ]{0,80}") {
            if let Ok(value) = serde_json::from_str::<Value>(&text) {
                modern(&value);
                modern(&json!({"paths": {"/a": value, "/b": {"parameters": value, "get": value}}}));
            }
        }
    }
}
