//! API-first assets: containers whose names are in fields, made from a request
//! and read into a response, by programs that are closures.

use crate::client::send;
use crate::config;
use crate::fake::{Data, Fake};
use gateway::{CallInterface, CallableApi, Gateway, LoadedApi, requester_copybooks, structures};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/api-first")
}

fn gateway(program: impl Fn(&mut Data) + Send + Sync + 'static) -> Gateway<Fake> {
    let api = LoadedApi::load(&project()).unwrap_or_else(|faults| panic!("{faults}"));
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

/// Returns these bytes as the base structure.
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
fn wrong_output_of_a_program_is_reported() {
    let base = |name: &str| {
        Bytes::default()
            .word(1)
            .text(name, 16, b' ')
            .word(0)
            .text("", 16, 0)
    };
    let reported = |(status, body): (u16, Value)| {
        assert_eq!(status, 502, "{body}");
        body["detail"].as_str().unwrap().to_owned()
    };
    assert!(reported(answered(base("MINE"), &[])).contains("names the container 'MINE'"));
    assert!(reported(answered(base("MINE"), &[("MINE", vec![0; 10])])).contains("has 10 bytes"));
    let negative = Bytes::default()
        .word(-1)
        .text("MINE", 16, b' ')
        .word(0)
        .text("", 16, 0);
    assert!(reported(answered(negative, &[])).contains("counts from 0"));
    let many = [("MINE", order(1_000_000, "LINES")), ("LINES", vec![0; 24])];
    assert!(reported(answered(base("MINE"), &many)).contains("1000000 instances"));
    assert!(reported(answered(none(), &[])).contains("BAQBASE has 20 bytes"));
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
    let api = LoadedApi::load(project.path()).unwrap();
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
fn structures_are_derived_by_the_rules() {
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
        float: {type: number, format: float}
"#;

#[test]
fn names_that_come_again_are_numbered_as_in_copybooks_of_the_tool() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("openapi.yaml"), SHOP).unwrap();
    let (all, notes) =
        requester_copybooks(folder.path(), CallInterface::HostApi, Some("SHP")).unwrap();
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
    // The compiler takes `float` for a USAGE.
    assert!(flat(text).contains("06 Xfloat COMP-1 SYNC."), "{text}");
    // The structures of the stub have it as a double.
    let (all, _) = requester_copybooks(folder.path(), CallInterface::Stub, Some("SHP")).unwrap();
    let response = all.iter().find(|made| made.name == "SHP00P01").unwrap();
    assert!(
        flat(&response.text).contains("weight COMP-2 SYNC."),
        "{}",
        response.text
    );
    let (shop, _) = CallableApi::load(folder.path(), copybook::CodePage::ascii()).unwrap();
    let operation = ("/orders/{id}", "GET");
    let reported = shop.response(CallInterface::HostApi, operation, 500, b"no \"paper\"");
    let reported = reported.unwrap();
    assert!(reported.mapped && reported.plain);
    let (_, size, bytes) = &reported.areas[0];
    assert_eq!((reported.areas.len(), *size), (1, bytes.len()));
    assert_eq!(&bytes[..12], b"\x0a\0no \"paper\"");
    let long = shop.response(CallInterface::HostApi, operation, 500, &[b'x'; 300]);
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

/// A note that is changed in place, and operations without a body either way.
const NOTES: &str = r#"
openapi: 3.0.3
info: {title: Notes, version: "1"}
paths:
  /notes/{title}:
    patch:
      parameters: [{name: title, in: path, required: true, schema: {type: string, maxLength: 8}}]
      requestBody:
        content:
          application/json-patch+json: {schema: {type: array, items: {type: object}}}
          application/merge-patch+json: {schema: {$ref: '#/components/schemas/Note'}}
      responses: {"204": {description: Done}}
    put:
      requestBody:
        content:
          application/json-patch+json: {schema: {type: object}}
      responses: {"200": {description: Done}}
  /notes:
    delete:
      responses: {"204": {description: Done}}
components:
  schemas:
    Note:
      type: object
      required: [title]
      properties:
        title: {type: string, maxLength: 10}
        status: {type: string, enum: [NEW, OLD]}
        count: {type: integer, format: int32}
        publicationDate: {type: string, minLength: 4, maxLength: 4}
        tags: {type: array, items: {type: string, maxLength: 3}}
        owner:
          type: object
          properties:
            id: {type: integer, format: int32}
            name: {type: string, minLength: 2, maxLength: 2}
"#;

#[test]
fn a_merge_patch_has_what_its_program_updates_and_deletes() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("openapi.yaml"), NOTES).unwrap();
    let options = "requesterPrefix: NTE\nshortSuffix: yes\n";
    std::fs::write(folder.path().join("options.yaml"), options).unwrap();
    let (all, notes) =
        requester_copybooks(folder.path(), CallInterface::HostApi, Some("NTE")).unwrap();
    let notes = notes.to_string();
    assert!(notes.contains("application/json-patch+json"), "{notes}");
    assert!(notes.contains("unknown key shortSuffix"), "{notes}");
    let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["NTE01I01", "NTE01Q01", "NTE02I01"], "{notes}");
    let media = "VALUE 'application/merge-patch+json'.";
    assert!(all[0].text.contains(media), "{}", all[0].text);
    let flat: Vec<&str> = all[1].text.split_whitespace().collect();
    let flat = flat.join(" ");
    for line in [
        "06 title-patch-operation PIC X(1). 06 Xtitle2-length",
        "06 status-patch-operation PIC X(1). 06 Xstatus-length",
        "06 count-patch-operation PIC X(1). 06 Xcount PIC",
        "06 licationDate-patch-operation PIC X(1). 06 publicationDate PIC X(4).",
        "06 tags-patch-operation PIC X(1). 06 tags-num",
        "06 owner-patch-operation PIC X(1). 06 owner. 09 id-patch-operation PIC X(1).",
    ] {
        assert!(flat.contains(line), "{line}\n{}", all[1].text);
    }
    let (api, _) = CallableApi::load(folder.path(), copybook::CodePage::ascii()).unwrap();
    let operation = ("/notes/{title}", "PATCH");
    let base = |operations: &[u8; 8]| {
        let [title, status, count, date, tags, owner, id, name] = *operations;
        let base = Bytes::default().half(1).text("a", 8, b' ');
        let base = base.bytes(&[title]).half(1).text("t", 10, b' ');
        let base = base.bytes(&[status]).half(3).text("OLD", 3, b' ');
        let base = base.bytes(&[count]).word(7);
        let base = base.bytes(&[date]).text("2026", 4, b' ');
        let base = base.bytes(&[tags]).word(0).text("", 16, b' ');
        let base = base.bytes(&[owner]).bytes(&[id]).word(9);
        base.bytes(&[name]).text("xy", 2, b' ')
    };
    for (operations, body) in [
        (b"        ", "{}"),
        (b"U D     ", r#"{"title":"t","count":null}"#),
        (b" U U    ", r#"{"status":"OLD","publicationDate":"2026"}"#),
        (b"    U   ", r#"{"tags":[]}"#),
        (b"    D  U", r#"{"tags":null,"owner":{"name":"xy"}}"#),
        (b"     U  ", r#"{"owner":{"id":9,"name":"xy"}}"#),
        (b"     U D", r#"{"owner":{"id":9,"name":null}}"#),
        (b"     D U", r#"{"owner":null}"#),
        (b"\0\0\0\0\0\0U\0", r#"{"owner":{"id":9}}"#),
    ] {
        let made = api.request(CallInterface::HostApi, operation, &base(operations).0, &[]);
        let made = made.unwrap_or_else(|fault| panic!("{}", fault.0));
        let sent = String::from_utf8(made.body.unwrap()).unwrap();
        assert_eq!((made.path.as_str(), sent.as_str()), ("/notes/a", body));
    }
    let wrong = base(b"X       ");
    let wrong = api.request(CallInterface::HostApi, operation, &wrong.0, &[]);
    let why = wrong.unwrap_err().0;
    assert!(why.contains("is U, D or a blank, not X'58'"), "{why}");
    // The other operation passes no data either way.
    let operation = ("/notes", "DELETE");
    let made = api
        .request(CallInterface::HostApi, operation, &[], &[])
        .unwrap();
    assert_eq!((made.path.as_str(), made.body), ("/notes", None));
    for calling in [CallInterface::HostApi, CallInterface::Stub] {
        let reported = api.response(calling, operation, 204, b"").unwrap();
        assert!(reported.mapped && reported.base.is_empty() && reported.areas.is_empty());
        let reported = api.response(calling, operation, 500, b"no").unwrap();
        assert!(!reported.mapped);
    }
    let (all, _) = requester_copybooks(folder.path(), CallInterface::Stub, Some("NTE")).unwrap();
    let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["NTE02I01"]);
}

/// A list that is changed by operations: their schema is that of what GET gives.
const LISTS: &str = r#"
openapi: 3.0.3
info: {title: Lists, version: "1"}
paths:
  /lists:
    get:
      responses:
        "200":
          description: The list
          content: {application/json: {schema: {$ref: '#/components/schemas/List'}}}
    patch:
      requestBody:
        content:
          application/json-patch+json: {schema: {type: array, items: {type: object}}}
      responses: {"204": {description: Done}}
components:
  schemas:
    List:
      type: object
      properties:
        a/b: {type: string, minLength: 1, maxLength: 1}
        people:
          type: array
          items:
            type: object
            properties:
              first: {type: string, minLength: 1, maxLength: 1}
              last: {type: string, minLength: 1, maxLength: 1}
        tags: {type: array, items: {type: string, minLength: 1, maxLength: 1}}
        owner: {type: object, properties: {id: {type: string, minLength: 1, maxLength: 1}}}
"#;

#[test]
fn a_list_of_operations_names_the_items_of_arrays() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("openapi.yaml"), LISTS).unwrap();
    let (all, notes) =
        requester_copybooks(folder.path(), CallInterface::HostApi, Some("LST")).unwrap();
    assert_eq!(notes.to_string(), "");
    let request = all.iter().find(|one| one.name == "LST01Q01").unwrap();
    let flat: Vec<&str> = request.text.split_whitespace().collect();
    let flat = flat.join(" ");
    for line in [
        "06 a-b-patch-operation PIC X(1). 06 aXb PIC X(1).",
        "06 people-patch-item PIC X(50). 06 people-num PIC S9(9) COMP-5 SYNC. 06 people-dataarea",
        "06 owner-patch-operation PIC X(1). 06 owner. 09 id-patch-operation",
        "03 people. 06 first-patch-operation PIC X(1). 06 Xfirst PIC X(1).",
    ] {
        assert!(flat.contains(line), "{line}\n{}", request.text);
    }
    let (api, _) = CallableApi::load(folder.path(), copybook::CodePage::ascii()).unwrap();
    let made = |flags: &[u8; 3], people: (&str, &[&str]), tags: (&str, &str)| {
        let [ab, owner, id] = *flags;
        let count = |n: usize| i32::try_from(n).unwrap();
        let base = Bytes::default().bytes(&[ab, b'x']);
        let base = base.text(people.0, 50, b' ').word(count(people.1.len()));
        let base = base.text("PEOPLE", 16, b' ').text(tags.0, 50, b' ');
        let base = base.word(count(tags.1.len())).text("TAGS", 16, b' ');
        let base = base.bytes(&[owner, id, b'7']);
        let areas = [
            ("PEOPLE".to_owned(), people.1.concat().into_bytes()),
            ("TAGS".to_owned(), tags.1.as_bytes().to_vec()),
        ];
        let made = api.request(CallInterface::HostApi, ("/lists", "PATCH"), &base.0, &areas);
        made.map(|made| String::from_utf8(made.body.unwrap()).unwrap())
    };
    let none = ("", &[][..]);
    for (flags, people, tags, body) in [
        (b"   ", none, ("", ""), "[]".to_owned()),
        (
            b"U  ",
            none,
            ("", ""),
            r#"[{"op":"add","path":"/a~1b","value":"x"}]"#.to_owned(),
        ),
        (
            b"D U",
            none,
            ("DELETE", ""),
            [
                r#"[{"op":"remove","path":"/a~1b"},{"op":"remove","path":"/tags"},"#,
                r#"{"op":"add","path":"/owner/id","value":"7"}]"#,
            ]
            .concat(),
        ),
        (
            b" U ",
            ("2,4-5,+", &["DaDb", "Uc d", "DeDf", " g h"][..]),
            ("3,+", "pq"),
            [
                r#"[{"op":"add","path":"/people/3/first","value":"c"},"#,
                r#"{"op":"add","path":"/people/-","value":{"first":"g","last":"h"}},"#,
                r#"{"op":"remove","path":"/people/4"},{"op":"remove","path":"/people/1"},"#,
                r#"{"op":"replace","path":"/tags/2","value":"p"},"#,
                r#"{"op":"add","path":"/tags/-","value":"q"},"#,
                r#"{"op":"add","path":"/owner","value":{"id":"7"}}]"#,
            ]
            .concat(),
        ),
        (
            b"   ",
            ("REPLACE", &[" aDb"][..]),
            ("REPLACE", ""),
            [
                r#"[{"op":"add","path":"/people","value":[{"first":"a"}]},"#,
                r#"{"op":"add","path":"/tags","value":[]}]"#,
            ]
            .concat(),
        ),
    ] {
        let got = made(flags, people, tags);
        assert_eq!(got.unwrap_or_else(|fault| fault.0), body);
    }
    for wrong in [
        "1",
        "1,2,3",
        "0,1",
        "2-1",
        "+,1",
        "1,x",
        "1-99999999999",
        "-,1",
    ] {
        let got = made(b"   ", (wrong, &["    ", "    "][..]), ("", ""));
        let why = got.unwrap_err().0;
        assert!(why.contains("is not a list of 2 items"), "{wrong}: {why}");
    }
}
