//! Values of keywords, media types and references that are not implemented:
//! each is reported when the project is loaded, and none is silently ignored.

use crate::client::{connect, read};
use crate::config;
use crate::fake::Fake;
use crate::load::changed;
use gateway::{Gateway, LoadedApi};
use std::io::Write;

/// The findings of the bank's API with each of these replaced in its document.
fn reported(changes: &[(&str, &str)]) -> String {
    let folder = changed("api/openapi.yaml", |text| {
        changes.iter().fold(text.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "there is no {from}");
            text.replacen(from, to, 1)
        })
    });
    match LoadedApi::load(folder.path()) {
        Ok(api) => api.warnings().to_string(),
        Err(faults) => faults.to_string(),
    }
}

const ID: &str = "operationId: listAccounts";

/// As above with one more query parameter of the list of accounts.
fn parameter(schema: &str) -> String {
    let list = "parameters:\n      - name: start";
    let more =
        format!("parameters:\n      - {{name: f, in: query, {schema}}}\n      - name: start");
    reported(&[(list, more.as_str())])
}

#[test]
fn a_keyword_with_an_empty_value_is_reported() {
    for (schema, expected) in [
        (
            "schema: {type: string, minLength: '2'}",
            "minLength: expected a whole number from 0 on; \"2\" is ignored",
        ),
        (
            "schema: {type: integer, maximum: x}",
            "maximum: expected a number",
        ),
        (
            "schema: {type: string, enum: a}",
            "enum: expected a list of values",
        ),
        (
            "schema: {type: object, required: true}",
            "required: expected a list of names",
        ),
        (
            "required: yes, schema: {type: string}",
            "required: expected true or false; \"yes\"",
        ),
        (
            "schema: {type: string, format: datetime}",
            "did you mean date-time?",
        ),
        (
            "schema: {type: string, format: uri}",
            "format: uri is not checked",
        ),
        ("schema: {type: object}", "objects are not supported"),
        (
            "schema: {type: array, items: [{type: string}]}",
            "items: expected a schema",
        ),
        (
            "schema: {allOf: [string]}",
            "0: expected a schema; \"string\" is ignored",
        ),
    ] {
        let found = parameter(schema);
        assert!(found.contains(expected), "{schema}: {found}");
        assert!(!found.contains("error:"), "{found}");
    }
    let plain = "required: false, schema: {type: string, format: password, maxLength: 20.0}";
    assert_eq!(parameter(plain), "");
}

#[test]
fn servers_paths_and_statuses_that_no_client_can_request_are_reported() {
    for (from, to, expected) in [
        (
            "- url: /bank",
            "- url: /v{n}",
            "the path of /v{n} is used literally",
        ),
        ("- url: /bank", "- url: /../bank", "is used literally"),
        (
            "- url: /bank",
            "- url: https://h/bank?x=1",
            "is used literally",
        ),
        (
            "servers:\n- url: /bank",
            "servers: /bank",
            "servers: expected a list",
        ),
        (
            "        \"500\": {$ref",
            "        \"5xx\": {$ref",
            "5xx is not a status",
        ),
    ] {
        let found = reported(&[(from, to)]);
        assert!(found.contains(expected), "{to}: {found}");
    }
    let stray =
        parameter("schema: {type: string}}\n      - {name: nmber, in: path, required: true");
    assert!(
        stray.contains("error: the path has no variable {nmber}"),
        "{stray}"
    );
}

#[test]
fn a_variable_in_a_part_of_a_segment_is_reported_once() {
    let found = reported(&[("  /accounts/{number}:\n", "  /accounts/{number}.json:\n")]);
    assert!(
        found.contains("{number}.json: a variable must be a whole path segment"),
        "{found}"
    );
    assert!(!found.contains("the path has no variable"), "{found}");
}

#[test]
fn security_where_it_has_no_effect_is_an_error() {
    let item = reported(&[(
        "  /accounts:\n",
        "  /accounts:\n    security: [{password: []}]\n",
    )]);
    assert!(
        item.contains("error: security is not a keyword of this object"),
        "{item}"
    );
    let roles = reported(&[(
        "  /accounts:\n",
        "  /accounts:\n    x-ibm-zcon-roles-allowed: [a]\n",
    )]);
    assert!(
        roles.contains("error: x-ibm-zcon-roles-allowed belongs at the root"),
        "{roles}"
    );
}

#[test]
fn a_reference_that_is_no_text_or_leads_to_itself_is_reported() {
    for version in ["3.0.3", "3.1.0"] {
        let with = |schema: &str| {
            let changes = [("openapi: 3.0.3", format!("openapi: {version}")),
                (ID, format!("{ID}\n      requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}")),
                ("  schemas:\n", "  schemas:\n    L: {$ref: '#/components/schemas/L'}\n    A: {allOf: [{$ref: '#/components/schemas/A'}]}\n".to_owned())];
            let changes: Vec<(&str, &str)> = changes.iter().map(|(a, b)| (*a, &**b)).collect();
            reported(&changes)
        };
        assert!(with("{$ref: 5}").contains("error: $ref: expected text, not 5"));
        let itself = with("{$ref: '#/components/schemas/L'}");
        assert!(
            itself.contains("error: $ref: #/components/schemas/L refers only to itself"),
            "{itself}"
        );
        let circle = with("{$ref: '#/components/schemas/A'}");
        assert!(
            circle.contains("#/components/schemas/A refers only to itself"),
            "{circle}"
        );
    }
}

#[test]
fn the_target_of_a_reference_outside_the_components_is_checked() {
    let found = reported(&[
        (
            ID,
            &format!(
                "{ID}\n      requestBody: {{content: {{application/json: {{schema: {{$ref: '#/x-own/A'}}}}}}}}"
            ),
        ),
        (
            "servers:",
            "x-own: {A: {type: string, minLenght: 2}}\nservers:",
        ),
    ]);
    assert!(
        found.contains("minLenght is not a keyword of a Schema Object"),
        "{found}"
    );
}

#[test]
fn a_body_of_any_json_media_type_is_checked_by_its_schema() {
    for media in ["application/*", "Application/JSON", "text/json", "'*/*'"] {
        let folder = changed("api/openapi.yaml", |text| {
            let at = text.find("operationId: openAccount").unwrap();
            let (before, after) = text.split_at(at);
            before.to_owned() + &after.replacen("application/json:", &format!("{media}:"), 1)
        });
        let api = LoadedApi::load(folder.path()).unwrap();
        assert_eq!(api.warnings().to_string(), "", "{media}");
        let gateway = Gateway::start(config(), vec![api], Fake::default()).unwrap();
        let sent = if media.contains('*') {
            "application/json"
        } else {
            media
        };
        let mut stream = connect(gateway.address());
        let request = format!(
            "POST /bank/accounts HTTP/1.1\r\nhost: x\r\ncontent-type: {sent}\r\n\
             content-length: 13\r\n\r\n{{\"number\": 0}}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let answer = read(&mut stream, false).unwrap();
        assert_eq!(answer.status, 400, "{media}");
        assert!(
            answer.text().contains("kind is required"),
            "{media}: {}",
            answer.text()
        );
    }
    let two = reported(&[(
        "required: true\n        content:\n",
        "required: true\n        content:\n          application/vnd.a+json: {schema: {type: array}}\n",
    )]);
    assert!(
        two.contains(
            "application/json: such bodies are checked by the schema of application/vnd.a+json"
        ),
        "{two}"
    );
}

#[test]
fn a_second_document_is_reported() {
    let folder = changed("api/openapi.yaml", |text| text.to_owned());
    let second_file = folder.path().join("src/main/api/openapi.json");
    std::fs::write(second_file, "{}").unwrap();
    let warnings = LoadedApi::load(folder.path())
        .unwrap()
        .warnings()
        .to_string();
    assert!(
        warnings.contains("openapi.json: warning: it is ignored"),
        "{warnings}"
    );
    let second_document = changed("api/openapi.yaml", |text| {
        format!("{text}\n---\nsecurity: []\n")
    });
    let faults = LoadedApi::load(second_document.path())
        .unwrap_err()
        .to_string();
    assert!(faults.contains("a second document begins here"), "{faults}");
    assert!(faults.contains("remove the ---"), "{faults}");
}

#[test]
fn features_of_a_projects_server_xml_are_reported() {
    let folder = changed("api/openapi.yaml", |text| text.to_owned());
    let config = folder.path().join("src/main/liberty/config");
    std::fs::create_dir_all(&config).unwrap();
    let text = "<server>\n<webAppSecurity allowFailOverToBasicAuth=\"true\"/>\n</server>\n";
    std::fs::write(config.join("server.xml"), text).unwrap();
    let warnings = LoadedApi::load(folder.path())
        .unwrap()
        .warnings()
        .to_string();
    assert!(
        warnings.contains("server.xml:2:1: warning: webAppSecurity"),
        "{warnings}"
    );
    assert!(
        warnings.contains("[security] has require_auth"),
        "{warnings}"
    );
}
