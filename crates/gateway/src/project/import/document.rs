//! The OpenAPI document of a new project, its asset and the asset's schema.

use super::body::Body;
use super::choice::{ChoiceCase, RedefineChoice};
use super::member::{BodyMember, MemberKind};
use super::write::{write_yaml, yaml};
use super::{AreaSource, ImportRequest};
use crate::project::folder_name;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// `openapi.yaml`.
///
/// With `cases` a request is one of them, by the value of its type code.
pub(super) fn openapi(
    import: &ImportRequest,
    request: &Body,
    cases: &[(ChoiceCase, Body)],
    response: &Body,
) -> String {
    let name = &import.name;
    let program = import.program.to_ascii_uppercase();
    let problem = |what: &str| {
        json!({"description": what, "content": {"application/problem+json":
            {"schema": {"$ref": "#/components/schemas/Problem"}}}})
    };
    let mut schemas = Map::from_iter([("Problem".to_owned(), problem_schema())]);
    let body = match import.redefines.choice().filter(|_| !cases.is_empty()) {
        Some(choice) => one_of_cases(choice, cases, &mut schemas),
        None => closed(request.schema()),
    };
    let mut content = json!({"schema": body});
    if let Some((_, first)) = cases.first() {
        content["example"] = first.sample();
    }
    let document = json!({
        "openapi": "3.0.3",
        "info": {"title": name, "version": "1.0.0"},
        "servers": [{"url": format!("/{}", folder_name(name))}],
        "paths": {"/": {"post": {
            "operationId": format!("call{program}"),
            "summary": format!("Run the program {program}"),
            "requestBody": {"required": !request.areas.is_empty(),
                "content": {"application/json": content}},
            "responses": {
                "200": {"description": "What the program returned",
                    "content": {"application/json": {"schema": response.schema()}}},
                "400": problem("The request does not fit; errors names each value"),
                "500": problem("The program ended abnormally, or its answer is not what its copybook says"),
                "503": problem("The region is busy; Retry-After says when to try again"),
                "504": problem("The program took too long"),
            },
        }}},
        "components": {"schemas": schemas},
    });
    let mut out = String::new();
    write_yaml(&document, 0, &mut out);
    out
}

fn problem_schema() -> Value {
    json!({
        "type": "object",
        "description": "What went wrong (RFC 9457)",
        "properties": {
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
            "abendCode": {"type": "string"},
            "program": {"type": "string"},
            "errors": {"type": "array", "items": {"type": "object", "properties": {
                "message": {"type": "string"},
                "pointer": {"type": "string"},
                "field": {"type": "string"},
            }}},
        },
    })
}

/// A request that is one of the descriptions; their schemas are added to those
/// of the document. A discriminator needs a value for each, at the top of the
/// body.
fn one_of_cases(
    choice: &RedefineChoice,
    cases: &[(ChoiceCase, Body)],
    schemas: &mut Map<String, Value>,
) -> Value {
    let mut alternatives = Vec::new();
    let mut mapping = Map::new();
    for (case, body) in cases {
        let name = format!("Request-{}", case.name);
        let reference = json!(format!("#/components/schemas/{name}"));
        schemas.insert(name, closed(body.schema()));
        alternatives.push(json!({"$ref": reference}));
        if !case.others {
            let values = case.values.iter().map(|value| value.trim().to_owned());
            mapping.extend(values.map(|value| (value, reference.clone())));
        }
    }
    let mut schema = json!({"oneOf": alternatives});
    let top = cases[0].1.top_member(&choice.field);
    if let Some(member) = top.filter(|_| cases.iter().all(|(case, _)| !case.others)) {
        schema["discriminator"] = json!({"propertyName": member.json, "mapping": mapping});
    }
    schema
}

/// The schema of the input, without members of other names: a misspelt one
/// would be ignored, and the field be zero or blank.
fn closed(mut schema: Value) -> Value {
    if let Some(object) = schema.as_object_mut() {
        for part in ["properties", "items"] {
            match object.get_mut(part) {
                Some(Value::Object(inner)) if part == "properties" => {
                    inner.values_mut().for_each(|one| *one = closed(one.take()));
                }
                Some(one) => *one = closed(one.take()),
                None => {}
            }
        }
        if object.contains_key("properties") {
            object.insert("additionalProperties".into(), json!(false));
        }
    }
    schema
}

/// `options.yaml`.
pub(super) fn options(import: &ImportRequest) -> String {
    let interface = if import.channel {
        "CHANNEL"
    } else {
        "COMMAREA"
    };
    format!(
        "provider: CICS\nprogramInterface: {interface}\nlanguage: COBOL\n\
         connectionRef: cicsConn\nccsid: 037\n"
    )
}

/// `zosAsset.yaml`.
pub(super) fn asset(import: &ImportRequest, program: &str) -> String {
    let kind = if import.channel {
        "cicsChannel-1.0"
    } else {
        "cicsCommarea-1.0"
    };
    let mut out = format!(
        "---\nversion: 1.0\ntype: \"{kind}\"\ndescription: \"\"\nproviderProperties:\n  \
         language: \"COBOL\"\n  program: \"{program}\"\n  connectionRef: \"cicsConn\"\n  \
         ccsid: \"037\"\n"
    );
    if let Some(transid) = &import.transid {
        let _ = write!(
            out,
            "  transid: \"{transid}\"\n  transidUsage: \"EIB_AND_MIRROR\"\n"
        );
    }
    out
}

/// `sources.yaml`: which copy came from where, and the options it was made
/// with.
pub(super) fn sources(
    import: &ImportRequest,
    copies: &[(String, Option<String>)],
) -> Option<String> {
    let mut out = String::from(
        "# Where the copybooks in providerFiles/gen came from, from the application folder.\n\
         # `tupelo check` compares them; `tupelo api import --update` takes changes over.\n\
         version: 1\n",
    );
    let _ = writeln!(out, "names: {}", import.names.style.word());
    if let Some(prefix) = &import.names.prefix {
        let _ = writeln!(out, "prefix: {}", yaml(prefix));
    }
    let _ = writeln!(out, "redefines: {}", import.redefines.word());
    let words = import.overrides.words();
    for (key, word) in ["booleans", "dates", "trimTables", "enums", "outputs"]
        .iter()
        .zip(&words)
    {
        if !word.is_empty() {
            let _ = writeln!(out, "{key}: {}", yaml(word));
        }
    }
    out += "copybooks:\n";
    let mut any = false;
    for (copy, source) in copies {
        if let Some(source) = source {
            any = true;
            let _ = writeln!(out, "  {}: {}", yaml(copy), yaml(source));
        }
    }
    any.then_some(out)
}

/// The language structure as JSON Schema draft 4, COBOL names kept.
pub(super) fn asset_schema(root: &str, areas: &[AreaSource], import: &ImportRequest) -> Value {
    fn of(member: &BodyMember) -> Value {
        let mut schema = member.schema();
        if let MemberKind::Object(members) = &member.kind {
            let properties: Map<String, Value> =
                members.iter().map(|m| (m.cobol.clone(), of(m))).collect();
            let target = if member.table.is_some() {
                &mut schema["items"]
            } else {
                &mut schema
            };
            target["properties"] = Value::Object(properties);
            if let Some(target) = target.as_object_mut() {
                target.remove("required");
                target.remove("allOf");
            }
        }
        schema
    }
    let body = Body::new(areas, import, true, false, None);
    let properties: Map<String, Value> = body
        .areas
        .iter()
        .map(|(name, member)| {
            if import.channel {
                let inner = json!({"type": "object", "properties": {&member.cobol: of(member)}});
                (name.clone(), inner)
            } else {
                (member.cobol.clone(), of(member))
            }
        })
        .collect();
    json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "object",
        "properties": {root: {"type": "object", "properties": properties},
            "abendCode": {"type": "string"}},
    })
}
