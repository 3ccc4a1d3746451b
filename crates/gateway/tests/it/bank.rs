//! The bank's API: mappings, validation, and every kind of refusal.

use crate::client::{Answer, send};
use crate::fake::{Data, Fake, program_check};
use crate::load::changed;
use crate::{config, example, start};
use copybook::CodePage;
use gateway::{Gateway, LoadedApi};
use serde_json::json;
use std::sync::atomic::Ordering;

/// Writes zoned, text and packed fields one after the other.
fn put(record: &mut [u8], parts: &[(usize, &[u8])]) {
    for (at, bytes) in parts {
        record[*at..at + bytes.len()].copy_from_slice(bytes);
    }
}

fn inquiry(data: &mut Data) {
    assert_eq!(data.transid, "BINQ");
    let record = &mut data.commarea;
    match &record[..8] {
        b"00000001" => {
            let text = [b' '; 60];
            let balance = [0, 0, 0, 0x27, 0x16, 0x50, 0x6C];
            let overdraft = [0, 0, 0, 0, 0x0F];
            let tail = [&b"20231102"[..], &37u32.to_be_bytes()].concat();
            put(
                record,
                &[
                    (8, b"000"),
                    (11, &text),
                    (71, &[b' '; 30]),
                    (71, b"Ada \"B\" Byron"),
                ],
            );
            put(
                record,
                &[
                    (101, b"CURRENT "),
                    (109, &balance),
                    (116, &overdraft),
                    (121, &tail),
                ],
            );
        }
        b"00000002" => put(record, &[(8, b"xyz")]),
        b"00000003" => data.abend = Some(program_check(*b"ASRA", "ACCTINQ")),
        _ => {
            let mut text = [b' '; 60];
            text[..19].copy_from_slice(b"There is no account");
            put(record, &[(8, b"404"), (11, &text)]);
        }
    }
}

fn list(data: &mut Data) {
    let request = &data.containers["LIST-REQUEST"];
    let start = String::from_utf8_lossy(&request[..8]).into_owned();
    let limit = u16::from_be_bytes([request[8], request[9]]);
    let mut reply = [
        &b"000"[..],
        &[b' '; 60],
        start.as_bytes(),
        &limit.to_be_bytes(),
    ]
    .concat();
    for i in 0..limit {
        let number = format!("{i:08}");
        let balance = [0, 0, 0, 0, 0, i as u8 % 10, 0x5D];
        reply.extend([number.as_bytes(), &[b' '; 30], b"SAVINGS ", &balance].concat());
    }
    data.containers.insert("LIST-REPLY".into(), reply);
}

fn open(data: &mut Data) {
    let record = &mut data.commarea;
    let date_at = record.len() - 8;
    put(record, &[(58, b"000"), (date_at, b"20240131")]);
}

fn bank() -> Gateway<Fake> {
    let fake = Fake::default()
        .program("ACCTINQ", inquiry)
        .program("ACCTLIST", list)
        .program("ACCTOPEN", open);
    start("bank/apis", fake)
}

fn get(bank: &Gateway<Fake>, path: &str) -> Answer {
    send(bank.address(), "GET", path, "", "")
}

fn post(bank: &Gateway<Fake>, path: &str, body: &str) -> Answer {
    send(bank.address(), "POST", path, "", body)
}

#[test]
fn fields_of_a_commarea_become_members() {
    let bank = bank();
    let answer = get(&bank, "/bank/accounts/1");
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(
        answer.json(),
        json!({"number": 1, "holder": "Ada \"B\" Byron", "kind": "CURRENT", "balance": 27165.06,
            "overdraft": 0.0, "opened": "2023-11-02", "movements": 37})
    );
    assert!(
        answer.text().contains("\"balance\":27165.06"),
        "{}",
        answer.text()
    );
    let missing = get(&bank, "/bank/accounts/9");
    assert_eq!(
        (missing.status, missing.json()["title"].as_str()),
        (404, Some("There is no account"))
    );
}

#[test]
fn a_table_depending_on_its_counter_becomes_an_array() {
    let bank = bank();
    let answer = get(&bank, "/bank/accounts?limit=3&start=7");
    assert_eq!(answer.status, 200, "{}", answer.text());
    let json = answer.json();
    assert_eq!(json["next"], 7);
    let rows = json["accounts"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    assert_eq!(
        rows[2],
        json!({"number": 2, "holder": "", "kind": "SAVINGS", "balance": -0.25})
    );
    let all = get(&bank, "/bank/accounts").json();
    assert_eq!(all["accounts"].as_array().map(Vec::len), Some(50));
}

#[test]
fn numbers_keep_every_digit_into_the_record() {
    let bank = bank();
    let body = r#"{"number": 5, "holder": "é", "kind": "CURRENT", "deposit": 12345678901.23}"#;
    let answer = post(&bank, "/bank/accounts", body);
    assert_eq!(
        answer.status,
        400,
        "é is two bytes, not a character of the page: {}",
        answer.text()
    );
    let answer = post(&bank, "/bank/accounts", &body.replace('é', "E"));
    assert_eq!(answer.status, 201, "{}", answer.text());
    assert!(
        answer.text().contains("\"balance\":12345678901.23"),
        "{}",
        answer.text()
    );
    assert_eq!(answer.json()["opened"], "2024-01-31");
}

#[test]
fn texts_are_in_the_regions_code_page() {
    for (name, zoe) in [("utf-8", &b"Zo\xc3\xab"[..]), ("latin-1", b"Zo\xeb")] {
        let fake = Fake::default()
            .program("ACCTOPEN", move |data| {
                assert_eq!(&data.commarea[8..8 + zoe.len()], zoe, "{name}");
                assert_eq!(data.commarea[8 + zoe.len()], b' ', "{name}");
                open(data);
            })
            .program("ACCTINQ", move |data| {
                data.commarea[..8].copy_from_slice(b"00000001");
                inquiry(data);
                put(&mut data.commarea, &[(71, &[b' '; 30]), (71, zoe)]);
            });
        let page = CodePage::by_name(name).unwrap();
        let apis = LoadedApi::load_each(&example("bank/apis"), Default::default(), page);
        let apis = apis.into_iter().map(|(_, api)| api.unwrap()).collect();
        let bank = Gateway::start(config(), apis, fake).unwrap_or_else(|e| panic!("{e}"));
        let body = r#"{"number": 5, "holder": "Zoë", "kind": "CURRENT", "deposit": 1}"#;
        let answer = post(&bank, "/bank/accounts", body);
        assert_eq!(answer.status, 201, "{name} {}", answer.text());
        let answer = get(&bank, "/bank/accounts/1");
        assert_eq!(answer.json()["holder"], "Zoë", "{name}");
        // A character outside the page, or too long a text, is rejected.
        for holder in ["\u{20ac}".repeat(11), "é".repeat(31)] {
            let answer = post(&bank, "/bank/accounts", &body.replace("Zoë", &holder));
            assert_eq!(answer.status, 400, "{name} {}", answer.text());
        }
    }
}

#[test]
fn the_answer_to_a_wrong_request_names_every_wrong_field() {
    let bank = bank();
    let answer = post(
        &bank,
        "/bank/accounts",
        r#"{"number": "x", "kind": "GIRO", "more": 1}"#,
    );
    assert_eq!(answer.status, 400);
    assert_eq!(
        answer.header("content-type"),
        Some("application/problem+json")
    );
    let json = answer.json();
    let pointers: Vec<_> = json["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(pointers, ["/number", "/kind", "/more", "/holder"]);
    for (path, name) in [
        ("/bank/accounts/abc", "number"),
        ("/bank/accounts?limit=0", "limit"),
    ] {
        let answer = get(&bank, path);
        assert_eq!(
            (answer.status, &answer.json()["errors"][0]["parameter"]),
            (400, &json!(name))
        );
    }
    let cents = r#"{"number": 5, "holder": "E", "kind": "CURRENT", "deposit": 1.005}"#;
    let answer = post(&bank, "/bank/accounts", cents);
    assert_eq!(answer.status, 400, "{}", answer.text());
    assert!(
        answer.text().contains("multiple of 0.01"),
        "{}",
        answer.text()
    );
    // If the document has no limit, the field's PICTURE is checked.
    let open = |text: &str| text.replace(", multipleOf: 0.01", "");
    let folder = changed("api/openapi.yaml", open);
    let api = LoadedApi::load(folder.path()).unwrap();
    let bank = Gateway::start(
        config(),
        vec![api],
        Fake::default().program("ACCTOPEN", |_| {}),
    )
    .unwrap();
    let answer = post(&bank, "/bank/accounts", cents);
    assert_eq!(answer.status, 400, "{}", answer.text());
    let fault = &answer.json()["errors"][0];
    assert_eq!(fault["field"], "ACCTOPEN-AREA.OPEN-DEPOSIT");
    assert_eq!(fault["pointer"], "/deposit");
    assert!(
        fault["message"].as_str().unwrap().contains("S9(11)V99"),
        "{fault}"
    );
}

#[test]
fn what_is_not_json_is_refused_with_its_place() {
    let bank = bank();
    let answer = post(&bank, "/bank/accounts", "{\"number\":\n  ]");
    assert_eq!(answer.status, 400);
    assert_eq!(answer.json()["title"], "The body is not JSON");
    assert!(
        answer.text().contains("Line 2, column 3"),
        "{}",
        answer.text()
    );
}

#[test]
fn media_types_and_methods_are_checked() {
    let bank = bank();
    let headers = "content-type: text/xml\r\ncontent-length: 4\r\n\r\n<a/>";
    let answer = send(bank.address(), "POST", "/bank/accounts", headers, "");
    assert_eq!(answer.status, 415, "{}", answer.text());
    let answer = send(bank.address(), "DELETE", "/bank/accounts/1", "", "");
    assert_eq!(
        (answer.status, answer.header("allow")),
        (405, Some("GET, HEAD, OPTIONS"))
    );
    let answer = send(bank.address(), "OPTIONS", "/bank/accounts", "", "");
    assert_eq!(
        (answer.status, answer.header("allow")),
        (204, Some("GET, HEAD, OPTIONS, POST"))
    );
    let answer = send(bank.address(), "HEAD", "/bank/accounts/1/", "", "");
    assert_eq!((answer.status, answer.body.len()), (200, 0));
    assert_ne!(answer.header("content-length"), Some("0"));
    let answer = get(&bank, "/nothing/here");
    assert_eq!(answer.status, 404);
    assert!(answer.text().contains("/nothing/here"));
}

#[test]
fn a_programs_invalid_data_is_reported_with_field_and_offset() {
    let bank = bank();
    let answer = get(&bank, "/bank/accounts/2");
    assert_eq!(answer.status, 502, "{}", answer.text());
    let fault = &answer.json()["errors"][0];
    assert_eq!(fault["field"], "ACCTINQ-AREA.RESULT-CODE");
    assert_eq!(
        (&fault["offset"], &fault["container"]),
        (&json!(8), &json!("ACCTINQ-AREA"))
    );
}

#[test]
fn an_abend_takes_the_mapping_that_is_there_for_it() {
    let bank = bank();
    let answer = get(&bank, "/bank/accounts/3");
    assert_eq!(answer.status, 500);
    assert_eq!(answer.json()["title"], "The program ended abnormally");
}

#[test]
fn the_answer_of_a_full_region_requests_a_retry() {
    let bank = bank();
    let fake = Fake::default();
    fake.busy.store(true, Ordering::Relaxed);
    let full = start("bank/apis", fake);
    let answer = get(&full, "/bank/accounts/1");
    assert_eq!(
        (answer.status, answer.header("retry-after")),
        (503, Some("1"))
    );
    let admin = full.admin_address().unwrap();
    let ready = send(admin, "GET", "/health/ready", "", "");
    assert_eq!(ready.status, 503);
    assert_eq!(ready.json()["status"], "DEGRADED");
    assert_eq!(ready.json()["reason"], "it is \"busy\"");
    assert_eq!(send(admin, "GET", "/health/live", "", "").status, 200);
    assert_eq!(get(&bank, "/health").json()["status"], "UP");
}

#[test]
fn documents_metrics_and_the_page_are_served() {
    let bank = bank();
    get(&bank, "/bank/accounts/1");
    let admin = bank.admin_address().unwrap();
    let metrics = send(admin, "GET", "/metrics", "", "").text();
    let line = "requests_total{api=\"accounts\",method=\"GET\",path=\"/bank/accounts/{number}\",status=\"2xx\"} 1";
    assert!(
        metrics.contains(line) && metrics.contains("fake_up 1"),
        "{metrics}"
    );
    let document = get(&bank, "/apis/accounts/openapi.json").json();
    assert_eq!(document["servers"][0]["url"], "/bank");
    assert!(
        get(&bank, "/apis/accounts/openapi.yaml")
            .text()
            .contains("openapi: 3.0.3")
    );
    assert_eq!(
        get(&bank, "/apis").json()["apis"][0]["operations"][1]["program"],
        "ACCTOPEN"
    );
    let answers = |path: &str, method: &str| {
        let responses = &document["paths"][path][method]["responses"];
        let problem = |(status, response): (&String, &serde_json::Value)| {
            let content = &response["content"]["application/problem+json"];
            content["schema"]["$ref"]
                .is_string()
                .then(|| status.clone())
        };
        let all = responses.as_object().unwrap().iter();
        let mut reported: Vec<String> = all.filter_map(problem).collect();
        reported.sort();
        reported.join(" ")
    };
    let always = "400 500 502 503 504";
    assert_eq!(answers("/accounts/{number}", "get"), always);
    let with_body = "400 408 413 415 500 502 503 504";
    assert_eq!(answers("/transfers", "post"), with_body);
    let conflict = &document["paths"]["/transfers"]["post"]["responses"]["409"];
    assert_eq!(conflict["$ref"], "#/components/responses/Problem");
    let page = get(&bank, "/docs/").text();
    assert!(page.contains("/apis/accounts/openapi.json"), "{page}");
    let script = send(
        bank.address(),
        "GET",
        "/docs/swagger-ui-bundle.js",
        "accept-encoding: gzip\r\n",
        "",
    );
    assert_eq!(script.header("content-encoding"), Some("gzip"));
    assert_eq!(&script.body[..2], &[0x1F, 0x8B]);
}
