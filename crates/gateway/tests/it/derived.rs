//! API-first assets: containers that are named in fields, made from a request
//! and read into a response, by programs that are closures.

use crate::client::send;
use crate::config;
use crate::fake::{Data, Fake};
use gateway::{Api, Calling, Gateway, Requester, requester_copybooks, structures};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/api-first")
}

fn gateway(program: impl Fn(&mut Data) + Send + Sync + 'static) -> Gateway<Fake> {
    let api = Api::load(&project()).unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(api.warnings().to_string(), "");
    Gateway::start(
        config(),
        vec![api],
        Fake::default().program("ORDERS", program),
    )
    .unwrap()
}

/// Halfwords, words and texts, one after another.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn half(mut self, n: i16) -> Bytes {
        self.0.resize(self.0.len().next_multiple_of(2), 0);
        self.0.extend(n.to_ne_bytes());
        self
    }

    fn word(mut self, n: i32) -> Bytes {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self.0.extend(n.to_ne_bytes());
        self
    }

    fn text(mut self, text: &str, length: usize, filler: u8) -> Bytes {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(length, filler);
        self.0.extend(bytes);
        self
    }

    fn bytes(mut self, bytes: &[u8]) -> Bytes {
        self.0.extend(bytes);
        self
    }
}

const BODY: &str = r#"{"id": "AB12", "urgent": true, "price": 12.5, "note": "hi",
    "lines": [{"item": "nut", "count": 3}, {"item": "bolt", "count": -1, "tags": ["x", "yy"]}]}"#;

#[test]
fn a_request_becomes_structures_and_containers() {
    let gateway = gateway(|data| {
        let all = &data.containers;
        assert_eq!(all["DFHWS-URI"], b"/orders/7");
        assert_eq!(all["DFHWS-URI-QUERY"], b"");
        assert_eq!(all["DFHHTTPMETHOD"], b"PUT");
        let packed = [0, 0, 0, 0, 0, 0, 0, 1, 0x25, 0x0F];
        let base = Bytes::default()
            .half(1)
            .text("7", 8, 0)
            .text("AB12", 4, b' ')
            .bytes(&[1])
            .bytes(&packed)
            .word(1)
            .half(2)
            .text("hi", 20, 0)
            .word(2)
            .text("BAQ-00000002", 16, b' ');
        assert_eq!(all["BAQBASE"], base.0);
        let line = |item: &str, count: i32, tags: i32, name: &str| {
            let bytes = Bytes::default().half(item.len() as i16).text(item, 10, 0);
            bytes.word(count).word(tags).text(name, 16, b' ').0
        };
        let two = [line("nut", 3, 0, ""), line("bolt", -1, 2, "BAQ-00000001")].concat();
        assert_eq!(all["BAQ-00000002"], two);
        let tag = |tag: &str| {
            Bytes::default()
                .half(tag.len() as i16)
                .text(tag, 5, 0)
                .bytes(b" ")
                .0
        };
        let tags = [tag("x"), tag("yy")].concat();
        assert_eq!(all["BAQ-00000001"], tags);
        reply(
            data,
            Bytes::default()
                .word(0)
                .text("", 16, b' ')
                .word(0)
                .text("", 16, b' '),
        );
    });
    let answer = send(gateway.address(), "PUT", "/orders/7", "", BODY);
    assert_eq!(
        answer.status,
        500,
        "no response code is there: {}",
        answer.text()
    );
}

/// Leaves these bytes as the base structure.
fn reply(data: &mut Data, base: Bytes) {
    data.containers.insert("BAQBASE".into(), base.0);
}

fn answered(base: Bytes, more: &[(&str, Vec<u8>)]) -> (u16, Value) {
    let base = base.0;
    let more: Vec<(String, Vec<u8>)> = more.iter().map(|(n, b)| ((*n).into(), b.clone())).collect();
    let gateway = gateway(move |data| {
        data.containers.insert("BAQBASE".into(), base.clone());
        data.containers.extend(more.iter().cloned());
    });
    let answer = send(gateway.address(), "PUT", "/orders/7", "", BODY);
    (answer.status, answer.json())
}

fn order(lines: i32, name: &str) -> Vec<u8> {
    let bytes = Bytes::default()
        .half(3)
        .text("ABCDEF", 8, b' ')
        .word(1)
        .half(25);
    let bytes = bytes.text("2018-01-22T00:00:00Z[UTC]", 32, 0);
    let bytes = bytes.bytes(&[0]).word(lines).text(name, 16, b' ');
    bytes.0
}

fn none() -> Bytes {
    Bytes::default().word(0).text("", 16, 0)
}

#[test]
fn each_response_code_is_read_from_the_container_that_is_named() {
    let base = || {
        Bytes::default()
            .word(1)
            .text("MINE", 16, b' ')
            .word(0)
            .text("", 16, 0)
    };
    let line = |item: &str| {
        Bytes::default()
            .half(item.len() as i16)
            .text(item, 10, b' ')
            .0
    };
    let lines = [line("nut"), line("bolt")].concat();
    let (status, body) = answered(base(), &[("MINE", order(2, "LINES")), ("LINES", lines)]);
    let expected =
        json!({"id": "ABC", "day": "2018-01-22", "done": false, "items": ["nut", "bolt"]});
    assert_eq!((status, body), (200, expected));
    let (_, body) = answered(base(), &[("MINE", order(0, "LINES"))]);
    assert_eq!(body["items"], json!([]), "named and empty");
    let missing = Bytes::default()
        .word(0)
        .text("", 16, b' ')
        .word(1)
        .text("WHY", 16, b' ');
    let why = Bytes::default().half(5).text("gone.", 50, b' ').0;
    let (status, body) = answered(missing, &[("WHY", why)]);
    assert_eq!((status, body), (404, json!({"message": "gone."})));
}

#[test]
fn what_a_program_says_wrongly_is_told() {
    let base = |name: &str| {
        Bytes::default()
            .word(1)
            .text(name, 16, b' ')
            .word(0)
            .text("", 16, 0)
    };
    let told = |(status, body): (u16, Value)| {
        assert_eq!(status, 502, "{body}");
        body["detail"].as_str().unwrap().to_owned()
    };
    assert!(told(answered(base("MINE"), &[])).contains("names the container 'MINE'"));
    assert!(told(answered(base("MINE"), &[("MINE", vec![0; 10])])).contains("has 10 bytes"));
    let negative = Bytes::default()
        .word(-1)
        .text("MINE", 16, b' ')
        .word(0)
        .text("", 16, 0);
    assert!(told(answered(negative, &[])).contains("counts from 0"));
    let many = [("MINE", order(1_000_000, "LINES")), ("LINES", vec![0; 24])];
    assert!(told(answered(base("MINE"), &many)).contains("1000000 instances"));
    assert!(told(answered(none(), &[])).contains("BAQBASE has 20 bytes"));
}

#[test]
fn a_short_request_does_not_become_gigabytes() {
    let project = tempfile::tempdir().unwrap();
    crate::load::copy(&self::project(), project.path());
    let folder = project
        .path()
        .join("src/main/zosAssets/%2Forders%2F%7Bnumber%7D-put");
    let file = folder.join("providerFiles/gen/requestSchema.json");
    let long = std::fs::read_to_string(&file).unwrap();
    std::fs::write(
        &file,
        long.replace("\"maxLength\": 10}", "\"maxLength\": 32000}"),
    )
    .unwrap();
    let api = Api::load(project.path()).unwrap();
    let gateway = Gateway::start(config(), vec![api], Fake::default()).unwrap();
    let line = r#"{"item":"","count":0}"#;
    let lines = vec![line; 10_000].join(",");
    let body = format!(r#"{{"id": "AB12", "urgent": true, "price": 1, "lines": [{lines}]}}"#);
    let answer = send(gateway.address(), "PUT", "/orders/7", "", &body);
    assert_eq!(answer.status, 400);
    assert!(
        answer.text().contains("more than 67108864 bytes"),
        "{}",
        answer.text()
    );
}

#[test]
fn structures_are_derived_as_the_rules_say() {
    let all = structures(&project()).unwrap_or_else(|faults| panic!("{faults}"));
    let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["ORD00Q01", "ORD00P01"]);
    let expected = std::fs::read_to_string(project().join("expected.cpy")).unwrap();
    let made: String = all.iter().map(|one| one.text.as_str()).collect();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(project().join("expected.cpy"), &made).unwrap();
    }
    assert_eq!(made, expected);
}

/// An order comes twice in the answers of this document: alone, and in a list.
const SHOP: &str = r#"
openapi: 3.0.3
info: {title: Shop, version: "1"}
paths:
  /orders/{id}:
    get:
      operationId: order
      parameters: [{name: id, in: path, required: true, schema: {type: string, maxLength: 8}}]
      responses:
        "200":
          description: It
          content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}
        "404":
          description: Others
          content:
            application/json:
              schema:
                type: object
                properties:
                  others: {type: array, items: {$ref: '#/components/schemas/Order'}}
        "500":
          description: Why not
          content: {text/plain: {schema: {type: string}}}
components:
  schemas:
    Order:
      type: object
      properties:
        due: {type: string, format: date}
        weight: {type: number}
        parts:
          type: array
          items: {type: object, properties: {item: {type: string, maxLength: 4}}}
        owner: {type: object, properties: {id: {type: string, minLength: 2, maxLength: 2}}}
"#;

#[test]
fn names_that_come_again_are_numbered_as_in_copybooks_of_the_tool() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("openapi.yaml"), SHOP).unwrap();
    let (all, notes) = requester_copybooks(folder.path(), Calling::HostApi, Some("SHP")).unwrap();
    assert_eq!(notes.to_string(), "");
    let response = all.iter().find(|made| made.name == "SHP00P01").unwrap();
    let text = &response.text;
    for (line, times) in [
        ("06 parts-num ", 1),
        // A list of structures takes two numbers, one for the structure.
        ("06 parts3-num ", 1),
        ("01  SHP00P01-parts3.", 1),
        ("06 owner-existence ", 2),
        ("06 owner.", 1),
        ("06 owner3.", 1),
        ("06 due.", 1),
        ("06 due2.", 1),
        ("03 responseCode500-dataarea ", 1),
        ("01  SHP00P01-responseCode500.", 1),
        ("03 responseCode500-length ", 1),
    ] {
        assert_eq!(text.matches(line).count(), times, "{line}\n{text}");
    }
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat(text).contains("06 weight PIC S9(16)V9(2) COMP-3."),
        "{text}"
    );
    // The structures of the stub have it as a double.
    let (all, _) = requester_copybooks(folder.path(), Calling::Stub, Some("SHP")).unwrap();
    let response = all.iter().find(|made| made.name == "SHP00P01").unwrap();
    assert!(
        flat(&response.text).contains("weight COMP-2 SYNC."),
        "{}",
        response.text
    );
    let (shop, _) = Requester::load(folder.path()).unwrap();
    let operation = ("/orders/{id}", "GET");
    let told = shop.response(Calling::HostApi, operation, 500, b"no \"paper\"");
    let told = told.unwrap();
    assert!(told.mapped && told.plain);
    let (_, size, bytes) = &told.areas[0];
    assert_eq!((told.areas.len(), *size), (1, bytes.len()));
    assert_eq!(&bytes[..12], b"\x0a\0no \"paper\"");
    let long = shop.response(Calling::HostApi, operation, 500, &[b'x'; 300]);
    assert_eq!(
        &long.unwrap().areas[0].2[..2],
        b"\xff\0",
        "as much as it takes"
    );
}

/// Schemas of the kinds that have rules, and some that have none.
fn schema() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "string", "minLength": 3, "maxLength": 3})),
        Just(json!({"type": "string", "format": "date"})),
        Just(json!({"type": "integer", "minimum": 0, "maximum": 9})),
        Just(json!({"type": "number", "multipleOf": 0.001})),
        Just(json!({"type": "number", "format": "double"})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "null"})),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let members = prop::collection::btree_map("[a-zA-Z_-]{0,12}", inner.clone(), 1..4);
        prop_oneof![
            (members, any::<bool>()).prop_map(|(members, needed)| {
                let names: Vec<&String> = members.keys().filter(|_| needed).collect();
                json!({"type": "object", "required": names, "properties": members})
            }),
            (inner, 0_u8..5).prop_map(|(items, most)| {
                json!({"type": "array", "maxItems": most, "items": items})
            }),
        ]
    })
}

proptest! {
    #[test]
    fn no_schema_and_no_answer_panics(
        schema in schema(),
        bytes in prop::collection::vec(prop_oneof![Just(0_u8), Just(1), Just(b' '), any::<u8>()], 0..400),
    ) {
        gateway::fuzz_derived(schema.to_string().as_bytes(), &bytes);
        gateway::fuzz_derived(&bytes, &bytes);
    }
}
