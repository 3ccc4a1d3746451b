//! Imported projects at work: what a request must have, what an answer shows,
//! and the messages of the import.

use crate::client::send;
use crate::config;
use crate::fake::Fake;
use crate::import::loaded;
use gateway::{
    FieldOverrides, Gateway, ImportBook, ImportRequest, ImportedProject, LoadedApi, RedefineChoice,
    Redefines, import,
};
use serde_json::{Value, json};
use std::path::Path;

fn book(text: &str) -> ImportBook {
    ImportBook {
        file: "E.cpy".into(),
        container: None,
        text: text.into(),
        source: None,
    }
}

/// A project from this copybook, served by a program that returns its
/// input, and the messages of the import; `change` edits its files.
fn echo(
    text: &str,
    change: impl Fn(&Path, &str) -> String,
) -> (Gateway<Fake>, ImportedProject, String) {
    let copybook = book(text);
    let made = import(&ImportRequest {
        name: "echo".into(),
        program: "ECHO".into(),
        request: vec![copybook.clone()],
        response: vec![copybook],
        ..ImportRequest::default()
    })
    .unwrap_or_else(|faults| panic!("{faults}"));
    let folder = tempfile::tempdir().unwrap();
    for file in &made.files {
        let path = folder.path().join("echo").join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, change(&file.path, &file.text)).unwrap();
    }
    let apis = LoadedApi::load_all(folder.path()).unwrap_or_else(|faults| panic!("{faults}"));
    let warnings = apis[0].warnings().to_string();
    let program = Fake::default().program("ECHO", |_| ());
    let gateway = Gateway::start(config(), apis, program).unwrap();
    (gateway, made, warnings)
}

#[test]
fn conditions_limit_a_field_only_where_their_set_is_complete() {
    let text = "       01  E.
           05  MONTH-NO PIC 99.
               88  FEBRUARY VALUE 2.
               88  D30-MONTH VALUES 4 6 9 11.
           05  KIND PIC X.
               88  VALID-KIND VALUES 'A' 'B'.
               88  KIND-A VALUE 'A'.
";
    let (gateway, made, _) = echo(text, |_, text| text.to_owned());
    assert_eq!(made.open_values, ["MONTH-NO"]);
    let ask = |body: &str| send(gateway.address(), "POST", "/echo", "", body).status;
    assert_eq!(ask(r#"{"month_no":1,"kind":"A"}"#), 200);
    assert_eq!(ask(r#"{"month_no":2,"kind":"C"}"#), 400);
}

#[test]
fn no_answer_is_outside_the_values_and_bounds_that_its_document_has() {
    let copybook = book(
        "       01  E.
           05  KIND PIC X.
               88  VALID-KIND VALUES 'A' 'B'.
           05  STATE PIC X.
               88  STATE-OPEN VALUE 'O'.
               88  STATE-SHUT VALUE 'S'.
           05  N PIC S9(4) COMP.
           05  Z PIC 9(3).
",
    );
    let made = import(&ImportRequest {
        name: "echo".into(),
        program: "ECHO".into(),
        overrides: FieldOverrides {
            enums: true,
            ..FieldOverrides::default()
        },
        request: vec![copybook.clone()],
        response: vec![copybook],
        ..ImportRequest::default()
    })
    .unwrap_or_else(|faults| panic!("{faults}"));
    let apis = loaded(&made, "echo");
    let program = Fake::default().program("ECHO", |data| {
        data.commarea[..2].copy_from_slice(b"  ");
        data.commarea[2..4].copy_from_slice(&20_000_i16.to_be_bytes());
    });
    let gateway = Gateway::start(config(), apis, program).unwrap();
    let ask = |body: &str| send(gateway.address(), "POST", "/echo", "", body);
    assert_eq!(ask(r#"{"kind":"C","state":"O"}"#).status, 400);
    assert_eq!(ask(r#"{"kind":"A","state":"X"}"#).status, 400);
    let answer = ask(r#"{"kind":"A","state":"O","n":1,"z":7}"#);
    assert_eq!(
        answer.json(),
        json!({"kind": "", "state": "", "n": 20_000, "z": 7})
    );
    let document = send(gateway.address(), "GET", "/apis/echo/openapi.json", "", "").json();
    let schema = &document["paths"]["/"]["post"]["responses"]["200"]["content"]["application/json"]
        ["schema"]["properties"];
    for field in ["kind", "state"] {
        assert_eq!(schema[field]["enum"], json!(null), "{schema}");
    }
    assert!(
        schema["n"]["maximum"].as_i64().unwrap() >= 20_000,
        "{schema}"
    );
}

#[test]
fn fields_of_a_table_without_a_name_are_reported_as_left_out() {
    let text = "       01  E.
           05  KEY-F PIC X.
           05  FILLER OCCURS 2.
               10  CHILD-1 PIC 9(3).
               10  CHILD-2 PIC X.
           05  TB OCCURS 2.
               10  FILLER OCCURS 2.
                   15  DEEP PIC X.
               10  SIDE PIC X.
";
    let (_, made, _) = echo(text, |_, text| text.to_owned());
    let warnings = made.warnings.to_string();
    for part in [
        "the table in line 3 is FILLER, so CHILD-1, CHILD-2 are not in the API",
        "the table in line 7 is FILLER, so DEEP is not in the API",
    ] {
        assert_eq!(warnings.matches(part).count(), 1, "{warnings}");
    }
}

#[test]
fn one_counter_for_the_tables_of_all_rows_is_no_member_and_rows_come_back_as_sent() {
    let text = "       01  E.
           05  N-ROWS PIC 9.
           05  N-CELLS PIC 9.
           05  ROW OCCURS 0 TO 3 DEPENDING ON N-ROWS.
               10  CELL OCCURS 1 TO 4 DEPENDING ON N-CELLS PIC X(5).
";
    let (gateway, made, warnings) = echo(text, |_, text| text.to_owned());
    assert_eq!(warnings, "");
    assert!(!made.sample.contains("n_cells"), "{}", made.sample);
    let ask = |body: &str| send(gateway.address(), "POST", "/echo", "", body);
    for body in [
        json!({"row": [{"cell": ["a", "b"]}, {"cell": ["c", "d"]}]}),
        json!({"row": [{"cell": ["a"]}]}),
        json!({"row": []}),
    ] {
        let answer = ask(&body.to_string());
        assert_eq!(answer.status, 200, "{body}: {}", answer.text());
        assert_eq!(answer.json(), body);
    }
    let answer = ask(r#"{"row":[{"cell":["a"]},{"cell":["b","c"]}]}"#);
    assert_eq!(answer.status, 400, "{}", answer.text());
    assert!(
        answer
            .text()
            .contains("has 2 items, and 1 in an earlier row: E.N-CELLS counts"),
        "{}",
        answer.text()
    );
}

#[test]
fn repeated_headers_are_one_text_and_cookies_are_fields() {
    let text = "       01  HC.\n           05  HDR PIC X(20).\n           05  CK PIC X(10).\n";
    let (gateway, _, warnings) = echo(text, |path, text| {
        if !path.ends_with("post/request.yaml") {
            return text.to_owned();
        }
        "version: 1.2
mappings:
- commarea:
    mappings:
    - HC:
        mappings:
        - HDR:
            expression: '$headers.\"X-Tag\"'
        - CK:
            expression: '$lookup($cookies, \"sid\") & $cookies.a'
"
        .to_owned()
    });
    assert_eq!(warnings, "");
    let headers = "X-Tag: one\r\nX-Tag: two\r\nCookie: a=1; sid=abc\r\n";
    let answer = send(gateway.address(), "POST", "/echo", headers, "{}");
    assert_eq!(answer.json(), json!({"hdr": "one,two", "ck": "abc1"}));
    let headers = "Cookie: a=1; sid=abc\r\nCookie: a=2\r\n";
    let answer = send(gateway.address(), "POST", "/echo", headers, "{}");
    assert_eq!(answer.json(), json!({"hdr": "", "ck": "abc1,2"}));
}

#[test]
fn an_entry_that_is_never_chosen_and_a_server_elsewhere_are_warnings() {
    let text = "       01  E.\n           05  A PIC X.\n";
    let (gateway, _, warnings) = echo(text, |path, text| {
        if path.ends_with("response_mapping.yaml") {
            return format!("{text}response_404.yaml:\n  httpStatusCode: 404\n");
        }
        text.replace("url: '/echo'", "url: 'https://example.com/echo'")
    });
    assert!(
        warnings.contains("no file response_404.yaml, and the entry is skipped"),
        "{warnings}"
    );
    assert!(warnings.contains("example.com is not called"), "{warnings}");
    let answer = send(gateway.address(), "POST", "/echo", "", r#"{"a":"x"}"#);
    assert_eq!(answer.status, 200);
}

#[test]
fn a_request_with_all_descriptions_gives_one_of_each_storage() {
    let text = "       01  E.
           05  BODY PIC X(8).
           05  NUM REDEFINES BODY PIC 9(8).
           05  FILLER REDEFINES BODY.
               10  LEFT-HALF PIC X(4).
               10  RIGHT-HALF PIC 9(4).
           05  ROW OCCURS 2.
               10  CELL PIC X(4).
               10  CELL-NUM REDEFINES CELL PIC 9(4).
";
    let either = book(text);
    let made = import(&ImportRequest {
        name: "all".into(),
        program: "ALL".into(),
        redefines: Redefines::All,
        request: vec![either.clone()],
        response: vec![either],
        ..ImportRequest::default()
    })
    .unwrap_or_else(|faults| panic!("{faults}"));
    let apis = loaded(&made, "all");
    assert_eq!(apis[0].warnings().to_string(), "");
    let program = Fake::default().program("ALL", |_| ());
    let gateway = Gateway::start(config(), apis, program).unwrap();
    let ask = |body: &str| send(gateway.address(), "POST", "/all", "", body);
    let printed = ask(&made.sample);
    assert_eq!(printed.status, 200, "{}: {}", made.sample, printed.text());
    for body in [
        r#"{"num":7}"#,
        r#"{"left_half":"ab","right_half":3}"#,
        r#"{"body":"x","row":[{"cell":"a"},{"cell_num":2}]}"#,
    ] {
        assert_eq!(ask(body).status, 200, "{}", ask(body).text());
    }
    for (body, wanted) in [
        (
            r#"{"body":"x","num":7}"#,
            "must not have body and num together",
        ),
        (
            r#"{"num":7,"right_half":3}"#,
            "must not have num and right_half together",
        ),
        (
            r#"{"body":"x","row":[{"cell":"a","cell_num":2}]}"#,
            "/row/0",
        ),
    ] {
        let answer = ask(body);
        assert_eq!(answer.status, 400, "{body}: {}", answer.text());
        assert!(answer.text().contains(wanted), "{body}: {}", answer.text());
    }
}

#[test]
fn a_request_gives_exactly_the_description_that_its_type_code_means() {
    let text = "       01  E.
           05  HEAD.
               10  KIND PIC X.
           05  BODY PIC X(8).
           05  NUM REDEFINES BODY PIC 9(8).
           05  FILLER REDEFINES BODY.
               10  LEFT-HALF PIC X(4).
               10  RIGHT-HALF PIC 9(4).
";
    let ask = |text: &str, rule: &str| {
        let either = book(text);
        let made = import(&ImportRequest {
            name: "either".into(),
            program: "EITHER".into(),
            redefines: Redefines::ByValue(RedefineChoice::parse(rule).unwrap()),
            request: vec![either.clone()],
            response: vec![either],
            ..ImportRequest::default()
        })
        .unwrap_or_else(|faults| panic!("{faults}"));
        let apis = loaded(&made, "either");
        assert_eq!(apis[0].warnings().to_string(), "");
        let program = Fake::default().program("EITHER", |_| ());
        let gateway = Gateway::start(config(), apis, program).unwrap();
        let printed = send(gateway.address(), "POST", "/either", "", &made.sample);
        assert_eq!(printed.status, 200, "{}: {}", made.sample, printed.text());
        gateway
    };
    let check = |gateway: &Gateway<Fake>, body: &str, status: u16, pointer: &str| {
        let answer = send(gateway.address(), "POST", "/either", "", body);
        assert_eq!(answer.status, status, "{body}: {}", answer.text());
        match status {
            200 => assert_eq!(answer.json(), serde_json::from_str::<Value>(body).unwrap()),
            _ => {
                let errors = answer.json()["errors"].as_array().unwrap().clone();
                let found = errors.iter().any(|error| error["pointer"] == pointer);
                assert!(found, "{body}: {}", answer.text());
            }
        }
    };
    let nested = ask(text, "BODY:KIND:T=BODY,N=NUM,H=LEFT-HALF");
    for (body, status, pointer) in [
        (r#"{"head":{"kind":"T"},"body":"hello"}"#, 200, ""),
        (r#"{"head":{"kind":"N"},"num":7}"#, 200, ""),
        (
            r#"{"head":{"kind":"H"},"left_half":"ab","right_half":7}"#,
            200,
            "",
        ),
        (
            r#"{"head":{"kind":"T"},"body":"hello","num":7}"#,
            400,
            "/num",
        ),
        (r#"{"head":{"kind":"N"}}"#, 400, "/num"),
        (r#"{"head":{}}"#, 400, "/head/kind"),
        ("{}", 400, "/head"),
    ] {
        check(&nested, body, status, pointer);
    }
    let flat = text.replace(
        "           05  HEAD.\n               10  KIND",
        "           05  KIND",
    );
    let flat = ask(&flat, "BODY:KIND:T=BODY,N=NUM,H=LEFT-HALF");
    for (body, pointer) in [
        (r#"{"kind":"T","body":"hello","num":7}"#, "/num"),
        (r#"{"kind":"N"}"#, "/num"),
        (r#"{"kind":"Z"}"#, "/kind"),
        ("{}", "/kind"),
    ] {
        check(&flat, body, 400, pointer);
    }
    let document = send(flat.address(), "GET", "/apis/either/openapi.json", "", "").json();
    let body = &document["paths"]["/"]["post"]["requestBody"]["content"]["application/json"];
    assert_eq!(body["schema"]["oneOf"].as_array().unwrap().len(), 3);
    assert_eq!(body["schema"]["discriminator"]["propertyName"], "kind");
    let mapping = &body["schema"]["discriminator"]["mapping"];
    assert_eq!(mapping["N"], "#/components/schemas/Request-NUM");
    assert_eq!(body["example"], json!({"kind": "T", "body": "text"}));
    let others = ask(
        "       01  E.\n           05  KIND PIC X.\n           05  BODY PIC X(4).\n           05  NUM REDEFINES BODY PIC 9(4).\n",
        "BODY:KIND:N=NUM,*=BODY",
    );
    check(&others, r#"{"kind":"N","body":"abcd"}"#, 400, "/num");
    check(&others, r#"{"kind":"Q","num":1}"#, 400, "/num");
    check(&others, r#"{"kind":"Q","body":"abcd"}"#, 200, "");
    check(&others, r#"{"body":"abcd"}"#, 400, "/kind");
}

#[test]
fn fields_that_the_program_sets_itself_are_no_request_members() {
    let copybook = book(
        "       01  E.
           05  KIND PIC X.
           05  TOTALS.
               10  PAID PIC 9(3).
           05  STATE PIC X(2).
",
    );
    let new = ImportRequest {
        name: "echo".into(),
        program: "ECHO".into(),
        overrides: gateway::FieldOverrides {
            outputs: vec!["TOTALS".into(), "STATE".into()],
            ..gateway::FieldOverrides::default()
        },
        request: vec![copybook.clone()],
        response: vec![copybook],
        ..ImportRequest::default()
    };
    let made = import(&new).unwrap_or_else(|faults| panic!("{faults}"));
    let sample: Value = serde_json::from_str(&made.sample).unwrap();
    assert_eq!(sample.as_object().map(|o| o.len()), Some(1), "{sample}");
    let is_document = |file: &&gateway::ImportedFile| file.path.ends_with("openapi.yaml");
    let document = made.files.iter().find(is_document).expect("a document");
    assert_eq!(
        document.text.matches("paid:").count(),
        1,
        "{}",
        document.text
    );
    assert_eq!(document.text.matches("state:").count(), 1);
    let mut wrong = new.clone();
    wrong.overrides.outputs.push("NOT-THERE".into());
    let faults = import(&wrong).map(drop).expect_err("no such field");
    assert!(faults.to_string().contains("there is no field NOT-THERE"));
}
