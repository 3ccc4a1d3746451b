//! The API requester: COBOL programs call REST APIs that an OpenAPI document
//! describes, by structures that are generated from it.
//!
//! Pure: a program's structures become a request, a response becomes
//! structures. Another module sends the request and has the credentials.
//!
//! Reference: z/OS Connect, "API requester", "Understanding the Host API",
//! "Developing z/OS applications to call APIs".

mod fitting;
mod generate;
mod operation;
mod schema;

pub use generate::{RequesterOptions, requester_copybooks};
pub use operation::{OutboundRequest, RequesterResponse};

use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::openapi::Document;
use crate::project::structure::{DynamicStyle, Limits};
use copybook::CodePage;
use operation::RequesterOperation;
use std::path::Path;

/// How a program calls: by the host API, or by the older stub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallInterface {
    /// BAQINIT, BAQEXEC and their kind, with data areas.
    HostApi,
    /// BAQCSTUB, with everything in one structure.
    Stub,
}

impl CallInterface {
    fn manner(self) -> DynamicStyle {
        match self {
            CallInterface::HostApi => DynamicStyle::DataAreas,
            CallInterface::Stub => DynamicStyle::Inline,
        }
    }
}

/// An API that programs call.
#[derive(Debug)]
pub struct CallableApi {
    name: String,
    toolkit_name: String,
    operations: Vec<RequesterOperation>,
}

/// Why a call is not made, or its answer not given to the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequesterFault(pub String);

impl CallableApi {
    /// Reads the API in a folder: its OpenAPI document and, if there is one,
    /// `options.yaml`. The name is the document's title without its blanks;
    /// programs have texts in `page`.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn load(
        folder: &Path,
        page: CodePage,
    ) -> Result<(CallableApi, ProjectDiagnostics), ProjectDiagnostics> {
        let mut out = ProjectDiagnostics::default();
        let loaded = read(folder, &mut out).map(|(document, options)| {
            let name = generate::api_name(&document);
            let operations = document.operations();
            let operations = operations
                .iter()
                .map(|object| RequesterOperation::new(&document, object, options.limits(), page))
                .collect();
            CallableApi {
                name,
                toolkit_name: generate::toolkit_name(&document),
                operations,
            }
        });
        match loaded {
            Some(requester) if !out.has_errors() => Ok((requester, out)),
            _ => Err(out),
        }
    }

    /// Its name, as programs' information blocks have it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its name as blocks have it that z/OS Connect EE's build toolkit generated.
    pub fn toolkit_name(&self) -> &str {
        &self.toolkit_name
    }

    /// Makes a request of a program's structures: `base`, and the data areas
    /// that it names.
    ///
    /// # Errors
    /// An operation that is not there or has no structures, and structures
    /// that are not as they must be.
    pub fn request<'a>(
        &self,
        calling: CallInterface,
        (path, method): (&str, &str),
        base: &'a [u8],
        areas: &'a [(String, Vec<u8>)],
    ) -> Result<OutboundRequest, RequesterFault> {
        let operation = self.find(path, method)?;
        operation
            .request(calling, base, areas)
            .map_err(RequesterFault)
    }

    /// Makes structures of a response.
    ///
    /// # Errors
    /// A body that does not agree with the document.
    pub fn response(
        &self,
        calling: CallInterface,
        (path, method): (&str, &str),
        status: u16,
        body: &[u8],
    ) -> Result<RequesterResponse, RequesterFault> {
        let operation = self.find(path, method)?;
        operation
            .response(calling, status, body)
            .map_err(RequesterFault)
    }

    fn find(&self, path: &str, method: &str) -> Result<&RequesterOperation, RequesterFault> {
        let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
        let same =
            |o: &&RequesterOperation| o.path == path && o.method.eq_ignore_ascii_case(method);
        self.operations
            .iter()
            .find(same)
            .ok_or_else(|| RequesterFault(format!("the API {} has no {method} {path}", self.name)))
    }
}

/// The document of a folder with its options.
fn read(folder: &Path, out: &mut ProjectDiagnostics) -> Option<(Document, RequesterOptions)> {
    let main = folder.join("src/main");
    let main = if main.is_dir() {
        main
    } else {
        folder.to_owned()
    };
    let api = main.join("api");
    let api = if api.is_dir() { api } else { main.clone() };
    let document = Document::of_requester(&api, out)?;
    let options = [main.join("config/options.yaml"), main.join("options.yaml")];
    let options = match options.iter().find(|file| file.is_file()) {
        Some(file) => RequesterOptions::read(file, out)?,
        None => RequesterOptions::default(),
    };
    if document.operations().is_empty() {
        let message = "the document has no operations";
        out.error(&document.file, FilePosition::default(), message);
        return None;
    }
    Some((document, options))
}

impl RequesterOptions {
    fn limits(&self) -> Limits {
        Limits {
            characters: self.characters,
            fraction_digits: self.fraction_digits,
            ..Limits::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOBS: &str = r#"
openapi: 3.0.3
info: {title: Jobs, version: "1"}
paths:
  /jobs:
    get:
      responses:
        "200":
          description: How many
          content:
            application/json:
              schema: {type: object, properties: {count: {type: integer, format: int32}}}
        "202":
          description: Later
          content:
            application/json:
              schema: {type: object, properties: {job: {type: integer, format: int32}}}
        "203":
          description: How many, another says
          content:
            application/json:
              schema: {type: object, properties: {count: {type: integer, format: int32}}}
        "204": {description: None}
"#;

    #[test]
    fn the_stub_has_no_success_whose_response_is_not_in_its_structure() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("openapi.yaml"), JOBS).unwrap();
        let (api, _) = CallableApi::load(folder.path(), CodePage::ascii()).unwrap();
        let reported = |calling, status, body: &str| {
            let reported = api.response(calling, ("/jobs", "GET"), status, body.as_bytes());
            reported
                .map(|reported| reported.mapped)
                .map_err(|fault| fault.0)
        };
        let count = r#"{"count":7}"#;
        for status in [200, 203] {
            assert_eq!(
                reported(CallInterface::Stub, status, count),
                Ok(true),
                "{status}"
            );
        }
        assert_eq!(reported(CallInterface::Stub, 204, ""), Ok(true));
        assert_eq!(reported(CallInterface::Stub, 404, "no"), Ok(false));
        for (status, body) in [(201, count), (202, r#"{"job":1}"#), (299, ""), (205, "")] {
            let why = reported(CallInterface::Stub, status, body).unwrap_err();
            assert!(
                why.contains("for which the structure is not made"),
                "{status} {why}"
            );
        }
        // The host API has a structure for each, and a warning for the others.
        assert_eq!(
            reported(CallInterface::HostApi, 202, r#"{"job":1}"#),
            Ok(true)
        );
        assert_eq!(reported(CallInterface::HostApi, 201, count), Ok(false));
    }

    const LOAN: &str = r#"
openapi: 3.1.0
info: {title: Loan, version: "1"}
paths:
  /loan:
    get:
      responses:
        "200":
          description: A loan
          content:
            application/json:
              schema:
                type: object
                required: [rate, open, note, parts]
                properties:
                  rate: {type: number, multipleOf: 0.01}
                  open: {type: boolean}
                  note: {type: [string, "null"], maxLength: 10}
                  memo: {type: string, maxLength: 10}
                  parts:
                    type: array
                    maxItems: 5
                    items:
                      type: object
                      required: [id]
                      properties: {id: {type: string, maxLength: 4}, n: {type: integer}}
"#;

    #[test]
    fn a_response_without_what_is_required_is_no_success() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("openapi.yaml"), LOAN).unwrap();
        let (api, _) = CallableApi::load(folder.path(), CodePage::ascii()).unwrap();
        let cases = [
            (
                r#""rate":1.5,"open":true,"note":"n","parts":[{"id":"a"}]"#,
                "",
            ),
            (r#""rate":1.5,"open":true,"note":null,"parts":[]"#, ""),
            (r#""open":true,"note":"n","parts":[]"#, "/rate: is missing"),
            (
                r#""rate":null,"open":true,"note":"n","parts":[]"#,
                "/rate: is null",
            ),
            (r#""rate":1.5,"open":true,"parts":[]"#, "/note: is missing"),
            (r#""rate":1.5,"open":true,"note":"n""#, "/parts: is missing"),
            (
                r#""rate":1.5,"open":true,"note":"n","parts":[{"n":1}]"#,
                "/parts/0/id: is missing",
            ),
            (
                r#""rate":1.5,"open":true,"note":"n","parts":[null]"#,
                "/parts/0: is null",
            ),
            (
                r#""rate":1.5,"open":"yes","note":"n","parts":[]"#,
                "/open: must be true or false",
            ),
            (
                r#""rate":1.5,"open":1,"note":"n","parts":[]"#,
                "/open: must be true or false",
            ),
            (
                r#""rate":1.5,"open":true,"note":{"a":1},"parts":[]"#,
                "/note: must be a text",
            ),
            (r#""rate":"x","open":true,"note":"n","parts":[]"#, "/rate: "),
            (
                r#""rate":1.5,"open":true,"note":"n","parts":[],"memo":"longer than ten""#,
                "/memo: ",
            ),
        ];
        for calling in [CallInterface::HostApi, CallInterface::Stub] {
            for (body, why) in cases {
                let body = format!("{{{body}}}");
                let reported = api.response(calling, ("/loan", "GET"), 200, body.as_bytes());
                match (reported, why) {
                    (Ok(reported), "") => assert!(reported.mapped, "{body}"),
                    (Ok(_), _) => panic!("{body} is taken"),
                    (Err(fault), _) => assert!(
                        !why.is_empty() && fault.0.contains(why),
                        "{body}: {}",
                        fault.0
                    ),
                }
            }
            let none = api.response(calling, ("/loan", "GET"), 200, b" null ");
            assert!(none.is_err_and(|fault| fault.0.contains("has no body")));
        }
    }

    #[test]
    fn a_body_that_closes_what_it_is_put_into_is_no_json() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("openapi.yaml"), JOBS).unwrap();
        let (api, _) = CallableApi::load(folder.path(), CodePage::ascii()).unwrap();
        for calling in [CallInterface::HostApi, CallInterface::Stub] {
            let body = br#"{"count":7},"x":1"#;
            let reported = api.response(calling, ("/jobs", "GET"), 200, body);
            assert!(reported.is_err_and(|fault| fault.0.contains("not JSON")));
        }
    }

    /// Features of other parties' documents: maps, values of any kind, schemas
    /// that contain themselves.
    const CLOUD: &str = r#"
openapi: 3.0.3
info: {title: Cloud, version: "1"}
paths:
  /hosts:
    post:
      parameters:
        - {name: filter, in: query, schema: {type: object, additionalProperties: {type: string}}}
        - {name: zone, in: query, required: true, schema: {enum: [A, BB]}}
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/Host'}}}
      responses:
        "200":
          description: It
          content: {application/json: {schema: {$ref: '#/components/schemas/Host'}}}
        default:
          description: Why not
          content: {application/json: {schema: {$ref: '#/components/schemas/Fault'}}}
    delete:
      responses: {"200": {description: Gone, content: {application/json: {schema: {type: object}}}}}
  /tags:
    put:
      requestBody:
        required: true
        content: {application/json: {schema: {type: object, additionalProperties: {type: string}}}}
      responses: {"204": {description: Done}}
components:
  schemas:
    Host:
      type: object
      required: [name]
      properties:
        name: {type: string, maxLength: 8}
        tags: {type: object, additionalProperties: {type: string}}
        notes: {type: string, maxLength: 65536}
        rows: {type: array, items: {type: array, items: {type: integer}}}
        pair: {type: array, minItems: 2, maxItems: 2, items: {type: integer, format: int32}}
        parent: {$ref: '#/components/schemas/Host'}
    Fault:
      type: object
      required: [code, inner]
      properties:
        code: {type: string, maxLength: 4}
        inner: {}
        details: {type: array, items: {$ref: '#/components/schemas/Fault'}}
"#;

    #[test]
    fn what_has_no_rule_is_left_out_where_a_program_can_do_without_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("openapi.yaml"), CLOUD).unwrap();
        let host_api = CallInterface::HostApi;
        let (all, notes) = requester_copybooks(folder.path(), host_api, Some("CLD")).unwrap();
        let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
        let notes = notes.to_string();
        assert_eq!(
            names,
            ["CLD00I01", "CLD00Q01", "CLD00P01", "CLD01I01"],
            "{notes}"
        );
        for reported in [
            "POST /hosts lacks some fields: /requestQueryParameters/filter is an object \
             without properties, and 10 more (in the copybooks)",
            "DELETE /hosts lacks some fields: /responseCode200 is an object without \
             properties",
            "PUT /tags has no copybooks: /requestBody is an object without properties",
        ] {
            assert!(notes.contains(reported), "{reported}\n{notes}");
        }
        for reported in [
            "      * /requestBody/tags is an object without properties\n",
            "      * /requestBody/notes is text of 65536 characters: its field\n      *   has 32767\n",
            "      * /requestBody/rows is an array of arrays\n",
            "      * /requestBody/parent contains itself\n",
            "06 pair-num ",
            "PIC X(32767).",
        ] {
            assert!(
                all[1].text.contains(reported),
                "{reported}\n{}",
                all[1].text
            );
        }
        assert!(
            all.iter()
                .all(|one| one.text.lines().all(|l| l.len() <= 72))
        );
        let (api, _) = CallableApi::load(folder.path(), CodePage::ascii()).unwrap();
        // The program receives the members that it has fields for; others are
        // dropped.
        let fault = br#"{"code":"BUSY","inner":{"any":[1]},"details":[{"code":"A"}]}"#;
        let reported = api.response(host_api, ("/hosts", "POST"), 503, fault);
        assert!(reported.unwrap().mapped);
        let reported = api.response(host_api, ("/hosts", "DELETE"), 200, b"{\"x\":1}");
        assert!(reported.unwrap().mapped);
    }

    const NAMES: &str = r#"
openapi: 3.0.3
info: {title: Names, version: "1"}
paths:
  /names:
    put:
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/Name'}}}
      responses:
        "200":
          description: It
          content: {application/json: {schema: {$ref: '#/components/schemas/Name'}}}
components:
  schemas:
    Name: {type: object, required: [name], properties: {name: {type: string, maxLength: 8}}}
"#;

    #[test]
    fn texts_have_their_length_in_the_regions_code_page() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("openapi.yaml"), NAMES).unwrap();
        let operation = ("/names", "PUT");
        for (page, zoe) in [
            ("utf-8", &b"\x04\0Zo\xc3\xab\0\0\0\0"[..]),
            ("latin-1", b"\x03\0Zo\xeb\0\0\0\0\0"),
        ] {
            let named = CodePage::by_name(page).unwrap();
            let (api, _) = CallableApi::load(folder.path(), named).unwrap();
            let reported = api.response(
                CallInterface::HostApi,
                operation,
                200,
                "{\"name\":\"Zoë\"}".as_bytes(),
            );
            let (_, _, bytes) = &reported.unwrap().areas[0];
            assert_eq!(&bytes[..10], zoe, "{page}");
            let made = api
                .request(CallInterface::HostApi, operation, zoe, &[])
                .unwrap();
            let body = String::from_utf8(made.body.unwrap()).unwrap();
            assert_eq!(body, "{\"name\":\"Zoë\"}", "{page}");
        }
        let (api, _) = CallableApi::load(folder.path(), CodePage::ascii()).unwrap();
        let reported = api.response(
            CallInterface::HostApi,
            operation,
            200,
            "{\"name\":\"Zoë\"}".as_bytes(),
        );
        assert!(reported.unwrap_err().0.contains("not in code page ASCII"));
        // Half of a character is not valid.
        let (api, _) = CallableApi::load(folder.path(), CodePage::utf8()).unwrap();
        let half = b"\x03\0Zo\xc3\xab\0\0\0\0";
        let made = api
            .request(CallInterface::HostApi, operation, half, &[])
            .unwrap();
        assert_eq!(made.body.unwrap(), b"{\"name\":\"Zo\"}");
    }
}
