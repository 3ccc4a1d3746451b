//! Documents of OpenAPI 2.0 and 3.1 in front of the same programs.

use crate::client::send;
use crate::config;
use crate::fake::{Data, Fake};
use crate::load::changed;
use gateway::{Gateway, LoadedApi};
use std::path::Path;

const SWAGGER: &str = r##"swagger: '2.0'
info: {title: Accounts, version: 1.0.0}
host: mainframe.example:9443
basePath: /old
schemes: [https]
consumes: [application/json]
produces: [application/json]
parameters:
  Number: {name: number, in: path, required: true, type: integer, minimum: 1, maximum: 99999999}
paths:
  /accounts:
    get:
      operationId: listAccounts
      parameters:
      - {name: start, in: query, type: integer, default: 0}
      - {name: limit, in: query, type: integer, minimum: 1, maximum: 200, default: 50}
      responses:
        200: {description: A page, schema: {$ref: '#/definitions/Anything'}}
    post:
      operationId: openAccount
      parameters:
      - name: account
        in: body
        required: true
        schema: {$ref: '#/definitions/NewAccount'}
      responses:
        201: {description: Opened, schema: {$ref: '#/definitions/Anything'}}
  /accounts/{number}:
    parameters:
    - $ref: '#/parameters/Number'
    get:
      operationId: inquireAccount
      responses:
        200: {description: The account, schema: {$ref: '#/definitions/Anything'}}
        404: {$ref: '#/responses/Missing'}
responses:
  Missing: {description: Not found, schema: {$ref: '#/definitions/Anything'}}
definitions:
  Anything: {type: object}
  NewAccount:
    type: object
    required: [number, holder, kind]
    properties:
      number: {type: integer, minimum: 0, exclusiveMinimum: true, maximum: 99999999}
      holder: {type: string, minLength: 1, maxLength: 30}
      kind: {type: string, enum: [CURRENT, SAVINGS]}
      deposit: {type: number, default: 0}
      overdraft: {type: number, default: 0}
"##;

/// The bank's project with a document of version 2.0.
fn old(text: &str) -> tempfile::TempDir {
    let folder = changed("api/openapi.yaml", str::to_owned);
    let main = folder.path().join("src/main");
    std::fs::remove_file(main.join("api/openapi.yaml")).unwrap();
    std::fs::write(main.join("api/swagger.yaml"), text).unwrap();
    for gone in ["%2Ftransfers", "%2Faccounts%2F%7Bnumber%7D%2Fmovements"] {
        std::fs::remove_dir_all(main.join("operations").join(gone)).unwrap();
    }
    folder
}

fn loaded(folder: &Path) -> LoadedApi {
    LoadedApi::load(folder).unwrap_or_else(|faults| panic!("{faults}"))
}

fn serve(api: LoadedApi) -> Gateway<Fake> {
    let opened = |data: &mut Data| {
        let end = data.commarea.len() - 8;
        data.commarea[58..61].copy_from_slice(b"000");
        data.commarea[end..].copy_from_slice(b"20240131");
    };
    let missing = |data: &mut Data| data.commarea[8..11].copy_from_slice(b"404");
    let fake = Fake::default()
        .program("ACCTOPEN", opened)
        .program("ACCTINQ", missing);
    Gateway::start(config(), vec![api], fake).unwrap()
}

const NEW: &str = r#"{"number":7,"holder":"Ada","kind":"SAVINGS"}"#;

#[test]
fn a_document_of_two_is_served_and_checked() {
    let folder = old(SWAGGER);
    let api = loaded(folder.path());
    assert_eq!(api.warnings().to_string(), "");
    assert_eq!(api.base_path(), "/old");
    let gateway = serve(api);
    let post = |body: &str| send(gateway.address(), "POST", "/old/accounts", "", body);
    assert_eq!(post(NEW).status, 201);
    let refused = post(r#"{"number":0,"holder":"","kind":"X"}"#);
    assert_eq!(refused.status, 400);
    let errors = refused.json()["errors"].to_string();
    for reported in ["greater than 0", "at least 1 characters", "must be one of"] {
        assert!(errors.contains(reported), "{errors}");
    }
    let get = |path: &str| send(gateway.address(), "GET", path, "", "").status;
    assert_eq!(get("/old/accounts/9"), 404);
    assert_eq!(get("/old/accounts/0"), 400);
    assert_eq!(get("/old/accounts?limit=201"), 400);
}

#[test]
fn clients_get_the_authors_version_with_the_gateways_answers() {
    let folder = old(SWAGGER);
    let gateway = serve(loaded(folder.path()));
    let path = format!(
        "/apis/{}/openapi.json",
        folder.path().file_name().unwrap().display()
    );
    let document = send(gateway.address(), "GET", &path, "", "").json();
    assert_eq!(document["swagger"], "2.0");
    assert_eq!(document["basePath"], "/old");
    assert!(document["host"].is_null() && document["openapi"].is_null());
    let post = &document["paths"]["/accounts"]["post"];
    assert_eq!(post["parameters"][0]["in"], "body");
    let refused = &post["responses"]["400"]["schema"]["$ref"];
    assert_eq!(refused, "#/definitions/GatewayProblem");
    assert!(document["definitions"]["GatewayProblem"].is_object());
    let admin = gateway.admin_address().unwrap();
    let document = send(admin, "GET", &path, "", "").json();
    assert_eq!(document["host"], format!("x:{}", gateway.address().port()));
}

#[test]
fn unsupported_declarations_of_a_version_two_document_are_reported_at_their_place() {
    let reported = |from: &str, to: &str| {
        assert!(SWAGGER.contains(from), "there is no {from}");
        match LoadedApi::load(old(&SWAGGER.replacen(from, to, 1)).path()) {
            Ok(api) => api.warnings().to_string(),
            Err(faults) => faults.to_string(),
        }
    };
    let cases = [
        (
            "in: query,",
            "in: formData,",
            "swagger.yaml:15:23: warning: formData",
        ),
        (
            "produces: [application/json]",
            "produces: [text/csv]",
            "text/csv: bodies are JSON",
        ),
        (
            "{type: object}",
            "{type: object, discriminator: kind}",
            "discriminator: the subtypes",
        ),
        (
            "{type: object}",
            "{type: object, nullable: true}",
            "nullable is not a keyword",
        ),
        (
            "{type: object}",
            "{type: object, oneOf: []}",
            "oneOf is not a keyword",
        ),
        (
            "{type: number, default: 0}",
            "{type: [number, 'null']}",
            "type: a list of types",
        ),
        (
            "swagger: '2.0'",
            "swagger: '1.2'",
            "swagger.yaml:1:10: error: OpenAPI 1.2",
        ),
        (
            "basePath: /old",
            "basePath: /old\nsecurity: [{who: []}]\nsecurityDefinitions: {who: {type: basic}}",
            "swagger.yaml:5:1: error: security: who is required of callers",
        ),
    ];
    for (from, to, expected) in cases {
        let reported = reported(from, to);
        assert!(reported.contains(expected), "{expected}: {reported}");
    }
}

#[test]
fn a_document_of_three_one_is_checked_as_json_schema_has_it() {
    let folder = changed("api/openapi.yaml", |text| {
        let text = text.replacen("openapi: 3.0.3", "openapi: 3.1.0", 1);
        let text = text.replacen(
            "holder: {type: string, minLength: 1,",
            "holder: {type: [string, 'null'], examples: [Ada], minLength: 1,",
            1,
        );
        text.replacen(
            "{type: integer, minimum: 1, maximum: 99999999, example: 20000001}",
            "{type: integer, exclusiveMinimum: 0, exclusiveMaximum: 100}",
            1,
        )
    });
    let api = loaded(folder.path());
    assert_eq!(api.warnings().to_string(), "");
    let gateway = serve(api);
    let post = |body: &str| send(gateway.address(), "POST", "/bank/accounts", "", body);
    assert_eq!(post(NEW).status, 201);
    for (number, reported) in [("0", "greater than 0"), ("100", "less than 100")] {
        let refused = post(&NEW.replace('7', number));
        assert_eq!(refused.status, 400);
        assert!(refused.text().contains(reported), "{}", refused.text());
    }
    assert_ne!(post(&NEW.replace("\"Ada\"", "null")).status, 400);
}

#[test]
fn unsupported_keywords_of_three_one_are_reported() {
    let reported = |from: &str, to: &str| {
        let folder = changed("api/openapi.yaml", |text| {
            assert!(text.contains(from), "there is no {from}");
            text.replacen("openapi: 3.0.3", "openapi: 3.1.0", 1)
                .replacen(from, to, 1)
        });
        match LoadedApi::load(folder.path()) {
            Ok(api) => api.warnings().to_string(),
            Err(faults) => faults.to_string(),
        }
    };
    let cases = [
        (
            "paths:",
            "webhooks: {}\npaths:",
            "error: webhooks: they are never called",
        ),
        (
            "next: {type: integer",
            "next: {nullable: true, type: integer",
            "nullable: OpenAPI 3.1",
        ),
        (
            "next: {type: integer",
            "next: {$id: x, type: integer",
            "$id: references are",
        ),
        (
            "next: {type: integer",
            "next: {type: decimal",
            "type: decimal is not a type",
        ),
        (
            "next: {type: integer",
            "next: {exclusiveMinimum: true, type: integer",
            "expects a number",
        ),
        (
            "next: {type: integer",
            "next: {unevaluatedItems: false, type: integer",
            "is ignored",
        ),
        (
            "paths:",
            "jsonSchemaDialect: urn:x\npaths:",
            "read as JSON Schema 2020-12",
        ),
        ("paths:", "components: {}\npaths:", ""),
    ];
    for (from, to, expected) in cases {
        let reported = reported(from, to);
        assert!(reported.contains(expected), "{expected}: {reported}");
    }
}
