//! Projects made from copybooks are projects that load and serve.

use crate::client::send;
use crate::config;
use crate::fake::Fake;
use gateway::{
    BooleanField, DateField, FieldOverrides, Gateway, ImportBook, ImportNames, ImportRequest,
    ImportedProject, LoadedApi, NameStyle, RedefineChoice, Redefines, import,
};
use serde_json::json;

/// A project as the gateway loads it from a folder of this name.
pub fn loaded(made: &ImportedProject, name: &str) -> Vec<LoadedApi> {
    let folder = tempfile::tempdir().unwrap();
    for file in &made.files {
        let path = folder.path().join(name).join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.text).unwrap();
    }
    LoadedApi::load_all(folder.path()).unwrap_or_else(|faults| panic!("{faults}"))
}

const AREA: &str = "       01  ORDER-AREA.
           05  ORDER-ID                 PIC 9(8).
           05  CUST-NAME                PIC X(20).
           05  FILLER                   PIC X(3).
           05  TOTAL                    PIC S9(7)V99 COMP-3.
           05  LINE-COUNT               PIC S9(4) COMP.
           05  ORDER-LINE OCCURS 1 TO 5 DEPENDING ON LINE-COUNT.
               10  ITEM-NO              PIC X(6).
               10  QTY                  PIC S9(4) COMP-5.
";

fn book(container: Option<&str>) -> ImportBook {
    let container = container.map(str::to_string);
    ImportBook {
        file: "ORDER.cpy".into(),
        container,
        text: AREA.into(),
        source: None,
    }
}

/// The imported project, each of its files as `change` makes it.
fn project(channel: bool, change: impl Fn(&str) -> String) -> tempfile::TempDir {
    let new = ImportRequest {
        name: "orders".into(),
        program: "ordpgm".into(),
        transid: Some("ORDR".into()),
        channel,
        request: vec![book(Some("ORDER-IN"))],
        response: vec![book(Some("ORDER-OUT"))],
        ..ImportRequest::default()
    };
    let folder = tempfile::tempdir().unwrap();
    for file in import(&new)
        .unwrap_or_else(|faults| panic!("{faults}"))
        .files
    {
        let path = folder.path().join("orders").join(file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, change(&file.text)).unwrap();
    }
    folder
}

fn served(channel: bool) -> Gateway<Fake> {
    let folder = project(channel, str::to_owned);
    let apis = LoadedApi::load_all(folder.path()).unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(apis[0].warnings().to_string(), "");
    // The program returns its input.
    let echo = Fake::default().program("ORDPGM", |data| {
        if let Some(bytes) = data.containers.remove("ORDER-IN") {
            data.containers.insert("ORDER-OUT".into(), bytes);
        }
    });
    Gateway::start(config(), apis, echo).unwrap()
}

#[test]
fn an_imported_program_answers_with_every_field() {
    let body = json!({"order_id": 17, "cust_name": "Ada", "total": -12345.67,
        "order_line": [{"item_no": "A1", "qty": 3}, {"item_no": "B2", "qty": -4}]});
    for channel in [false, true] {
        let gateway = served(channel);
        let answer = send(gateway.address(), "POST", "/orders", "", &body.to_string());
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.json(), body);
        // A misspelt member would leave its field zero.
        for body in [json!({"totl": 1.5}), json!({"order_line": [{"qtty": 3}]})] {
            let misspelt = send(gateway.address(), "POST", "/orders", "", &body.to_string());
            assert_eq!(misspelt.status, 400, "{}", misspelt.text());
            let reported = misspelt.text();
            assert!(
                reported.contains("did you mean total?") || reported.contains("did you mean qty?"),
                "{reported}"
            );
        }
        let six = json!({"order_line": vec![json!({"qty": 1}); 6]}).to_string();
        let refused = send(gateway.address(), "POST", "/orders", "", &six);
        assert_eq!(refused.status, 400, "{}", refused.text());
        assert_eq!(refused.json()["errors"][0]["pointer"], "/order_line");
    }
}

#[test]
fn the_request_to_try_is_one_that_the_program_can_take() {
    let text = "       01  ODD.
           05  THOUSANDS  PIC 9(3)PPP.
           05  TINY       PIC SVPP9(2) COMP-3.
           05  RATE       PIC V99.
           05  AMOUNT     PIC S9(5)V99 COMP-3.
           05  ON-PAPER   PIC ZZZ,ZZ9.99-.
           05  DAY-1      PIC 99/99/9999.
           05  KANJI      PIC G(3) DISPLAY-1.
           05  ROWS       OCCURS 2 PIC 9.
    ";
    let mut odd = book(None);
    odd.text = text.into();
    let made = import(&ImportRequest {
        name: "odd".into(),
        program: "ODD".into(),
        request: vec![odd.clone()],
        response: vec![odd],
        ..ImportRequest::default()
    });
    let made = made.unwrap_or_else(|faults| panic!("{faults}"));
    let apis = loaded(&made, "odd");
    let echo = Fake::default().program("ODD", |_| ());
    let gateway = Gateway::start(config(), apis, echo).unwrap();
    let ask = |body: &str| send(gateway.address(), "POST", "/odd", "", body);
    let answer = ask(&made.sample);
    assert_eq!(answer.status, 200, "{}: {}", made.sample, answer.text());
    // The document has the values that a field cannot hold.
    for body in [
        json!({"thousands": 1500}),
        json!({"tiny": 0.01}),
        json!({"rate": 1}),
    ] {
        let refused = ask(&body.to_string());
        assert_eq!(refused.status, 400, "{body}");
        assert!(refused.text().contains("must be "), "{}", refused.text());
    }
}

#[test]
fn fields_of_one_name_and_texts_that_are_not_read_are_reported() {
    let mut twice = book(None);
    twice.text = "       01  R.\n           05  A PIC X.\n           05  A PIC 9(3).\n           05  G.\n               10  A PIC 9.\n".into();
    let new = ImportRequest {
        name: "r".into(),
        program: "R".into(),
        transid: Some("CR01".into()),
        request: vec![twice.clone()],
        response: vec![twice],
        ..ImportRequest::default()
    };
    let reported = import(&new).unwrap().warnings.to_string();
    assert_eq!(
        reported.matches("R has A twice, in lines 2 and 3").count(),
        1,
        "{reported}"
    );
    assert_eq!(reported.matches("warning:").count(), 2, "{reported}");
    assert!(reported.contains("begin with C"), "{reported}");
}

#[test]
fn a_path_that_the_items_of_a_table_do_not_have_is_reported_with_the_nearest_name() {
    let reported = |from: &str, to: &str| {
        let folder = project(true, |text| text.replace(from, to));
        match LoadedApi::load(&folder.path().join("orders")) {
            Ok(api) => api.warnings().to_string(),
            Err(faults) => faults.to_string(),
        }
    };
    assert_eq!(reported("", ""), "");
    let text = reported("{{$item.item_no}}", "{{$item.item_nr}}");
    assert!(
        text.contains("/request.yaml:") && text.contains("gives $item no item_nr, so it never"),
        "{text}"
    );
    assert!(text.contains("did you mean item_no?"), "{text}");
    let text = reported("'$item.qty'", "'$item.quantity * 2'");
    assert!(text.contains("gives $item no quantity"), "{text}");
    let text = reported(
        "'$item.qty'",
        "'$sum($map($item, function($item) {$item.x}))'",
    );
    assert_eq!(text, "", "the expression has an $item of its own");
    let text = reported("'$item.QTY'", "'$item.QTTY + 1'");
    assert!(
        text.contains("/response_200.yaml:") && text.contains("did you mean QTY?"),
        "{text}"
    );
    let whole = "'$zosAssetResponse.channel.\"ORDER-OUT\".\"ORDER-AREA\".TOTAL'";
    let rows = "'$sum($zosAssetResponse.channel.\"ORDER-OUT\".\"ORDER-AREA\".\
                \"ORDER-LINE\".QTTY)'";
    let text = reported(whole, rows);
    assert!(text.contains("did you mean QTY?"), "{text}");
    assert_eq!(reported(whole, &rows.replace("QTTY", "QTY")), "");
}

#[test]
fn everything_that_cannot_be_imported_is_reported_together() {
    let mut bad = book(None);
    bad.text = bad.text.replace("COMP-3", "COMP-33");
    let new = ImportRequest {
        name: "x".into(),
        program: "TOO-LONG-NAME".into(),
        request: vec![bad.clone()],
        response: vec![book(None), book(None)],
        ..ImportRequest::default()
    };
    let text = import(&new).unwrap_err().to_string();
    assert!(text.contains("ORDER.cpy:5:"), "{text}");
    assert!(text.contains("is described twice"), "{text}");
    assert!(text.contains("is not a valid program name"), "{text}");
}

#[test]
fn a_copybook_without_an_01_level_is_imported_and_loads() {
    for (text, channel) in [
        (
            "           05  CUST-ID      PIC 9(8).\n           05  CUST-NAME    PIC X(20).\n",
            false,
        ),
        ("05 CUST-ID PIC 9(8).\n05 CUST-NAME PIC X(20).\n", false),
        ("           05  CUST-ID      PIC 9(8).\n", true),
    ] {
        let book = ImportBook {
            file: "copybooks/CUSTAREA.cpy".into(),
            container: channel.then(|| "CUST".to_owned()),
            text: text.into(),
            source: None,
        };
        let new = ImportRequest {
            name: "cust".into(),
            program: "CUST01".into(),
            channel,
            request: vec![book.clone()],
            response: vec![book],
            ..ImportRequest::default()
        };
        let made = import(&new).unwrap_or_else(|faults| panic!("{faults}"));
        let apis = loaded(&made, "cust");
        assert_eq!(apis[0].warnings().to_string(), "");
    }
}

const RICH: &str = "       01  RICH-AREA.
           05  RICH-KIND                PIC X(8).
               88  RICH-OPEN            VALUE 'OPEN'.
               88  RICH-SHUT            VALUE 'SHUT'.
           05  RICH-CODE                PIC 9(3).
               88  RICH-OK              VALUE 0.
               88  RICH-WRONG           VALUE 400.
           05  RICH-LEVEL               PIC 9.
               88  RICH-LOW             VALUE 0 THRU 4.
           05  RICH-ASKED               PIC 9(5).
           05  RICH-VIEW                PIC 9(6).
           05  RICH-TEXT REDEFINES RICH-VIEW PIC X(6).
           05  RICH-COUNT               PIC 9(2).
           05  RICH-ROW OCCURS 1 TO 9 DEPENDING ON RICH-COUNT PIC X(3).
";

const PROGRAM: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. RICH.
       PROCEDURE DIVISION.
           IF RICH-OPEN MOVE 0 TO RICH-CODE END-IF
           IF RICH-ASKED > 1 SET RICH-WRONG TO TRUE END-IF
           EXEC CICS RETURN END-EXEC.
";

#[test]
fn a_group_is_required_for_what_is_required_in_it() {
    let mut book = book(None);
    book.text = "       01  ASK-AREA.
           05  ASK-HEAD.
               10  ASK-KIND             PIC X.
               10  ASK-CODE             PIC 9(3).
           05  ASK-OTHER.
               10  ASK-NOTE             PIC X(8).
           05  ASK-PAIR OCCURS 2.
               10  ASK-LEFT             PIC 9(3).
           05  ASK-N                    PIC 9.
           05  ASK-ROW OCCURS 0 TO 3 DEPENDING ON ASK-N.
               10  ASK-CELL             PIC 9(3).
"
    .into();
    let program = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. ASK.
       PROCEDURE DIVISION.
           IF ASK-KIND = 'A' AND ASK-LEFT (1) = ASK-CELL (1)
              MOVE 1 TO ASK-CODE
           END-IF
           EXEC CICS RETURN END-EXEC.
";
    let made = import(&ImportRequest {
        name: "ask".into(),
        program: "ASK".into(),
        names: ImportNames {
            style: NameStyle::Camel,
            prefix: Some("ASK-".into()),
        },
        program_text: Some(program.into()),
        request: vec![book.clone()],
        response: vec![book],
        ..ImportRequest::default()
    })
    .unwrap_or_else(|faults| panic!("{faults}"));
    let apis = loaded(&made, "ask");
    let gateway = Gateway::start(config(), apis, Fake::default()).unwrap();
    let document = send(gateway.address(), "GET", "/apis/ask/openapi.json", "", "").json();
    let body = &document["paths"]["/"]["post"]["requestBody"];
    let request = &body["content"]["application/json"]["schema"];
    // A table that may have no rows may be missing.
    assert_eq!(request["required"], json!(["head", "pair"]));
    assert_eq!(request["properties"]["head"]["required"], json!(["kind"]));
    let answer = send(
        gateway.address(),
        "POST",
        "/ask",
        "",
        r#"{"other":{"note":"A"}}"#,
    );
    assert_eq!(answer.status, 400, "{}", answer.text());
}

#[test]
fn each_container_of_several_is_required() {
    let made = import(&ImportRequest {
        name: "orders".into(),
        program: "ORDPGM".into(),
        channel: true,
        request: vec![book(Some("ORDER-IN")), book(Some("AUDIT-IN"))],
        response: vec![book(Some("ORDER-OUT"))],
        ..ImportRequest::default()
    })
    .unwrap_or_else(|faults| panic!("{faults}"));
    let mut files = made.files.iter();
    let document = files.find(|f| f.path.ends_with("openapi.yaml")).unwrap();
    let required = "type: 'object'
              required:
              - 'order_in'
              - 'audit_in'
              properties:
";
    assert!(document.text.contains(required), "{}", document.text);
}

#[test]
fn a_count_within_each_row_is_reported_at_its_line() {
    let mut book = book(None);
    book.text = "       01  NEST-AREA.
           05  N-ROWS                   PIC 9.
           05  N-ROW OCCURS 0 TO 3 DEPENDING ON N-ROWS.
               10  N-CELLS              PIC 9.
               10  N-CELL OCCURS 0 TO 4 DEPENDING ON N-CELLS PIC X(5).
"
    .into();
    let reported = import(&ImportRequest {
        name: "nest".into(),
        program: "NEST".into(),
        request: vec![book.clone()],
        response: vec![book],
        ..ImportRequest::default()
    })
    .unwrap_err()
    .to_string();
    assert!(reported.contains(":4:16: error:"), "{reported}");
    assert!(reported.contains("a counter inside a table"), "{reported}");
    assert!(
        reported.contains("DEPENDING ON takes no subscript"),
        "{reported}"
    );
}

#[test]
fn conditions_counters_and_directions_are_in_the_document() {
    let mut rich = book(None);
    rich.text = RICH.into();
    let made = import(&ImportRequest {
        name: "rich".into(),
        program: "RICH".into(),
        names: ImportNames {
            style: NameStyle::Camel,
            prefix: Some("RICH-".into()),
        },
        program_text: Some(PROGRAM.into()),
        overrides: FieldOverrides {
            enums: true,
            ..FieldOverrides::default()
        },
        request: vec![rich.clone()],
        response: vec![rich],
        ..ImportRequest::default()
    })
    .unwrap_or_else(|faults| panic!("{faults}"));
    let text = |end: &str| {
        let file = made.files.iter().find(|f| f.path.ends_with(end));
        file.unwrap_or_else(|| panic!("{end}")).text.clone()
    };
    let apis = loaded(&made, "rich");
    assert_eq!(apis[0].warnings().to_string(), "");
    let echo = Fake::default().program("RICH", |data| {
        assert_ne!(&data.commarea[23..25], b"00");
        data.commarea[8..11].copy_from_slice(b"400");
    });
    let gateway = Gateway::start(config(), apis, echo).unwrap();
    let document = send(gateway.address(), "GET", "/apis/rich/openapi.json", "", "").json();
    let post = &document["paths"]["/"]["post"];
    let request = &post["requestBody"]["content"]["application/json"]["schema"];
    let response = &post["responses"]["200"]["content"]["application/json"]["schema"];
    assert_eq!(
        request["properties"]["kind"]["enum"],
        json!(["OPEN", "SHUT"])
    );
    // A program answers with any value.
    assert_eq!(response["properties"]["code"]["enum"], json!(null));
    assert_eq!(response["properties"]["code"]["example"], json!(0));
    assert_eq!(request["properties"]["level"]["enum"], json!(null));
    // Read only, written only, and neither.
    assert_eq!(request["properties"]["code"], json!(null));
    assert_eq!(response["properties"]["asked"], json!(null));
    assert!(
        request["properties"]["view"].is_object() && response["properties"]["view"].is_object()
    );
    assert_eq!(request["required"], json!(["kind", "asked", "row"]));
    // The counter is made from the array.
    assert_eq!(request["properties"]["count"], json!(null));
    assert_eq!(request["properties"]["row"]["maxItems"], 9);
    assert!(
        text("post/request.yaml").contains("$count($body.row)"),
        "{}",
        text("post/request.yaml")
    );
    assert_eq!(made.left_out, ["RICH-TEXT"]);
    for status in ["400", "500", "503", "504"] {
        assert!(post["responses"][status].is_object(), "{status}");
    }
    let body = json!({"kind": "OPEN", "asked": 2, "row": ["a", "b"]}).to_string();
    let answer = send(gateway.address(), "POST", "/rich", "", &body);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.json()["row"], json!(["a", "b"]));
    assert_eq!(answer.json()["code"], 400);
    assert_eq!(
        send(gateway.address(), "POST", "/rich", "", &made.sample).status,
        200,
        "{}",
        made.sample
    );
}

#[test]
fn the_value_of_a_field_chooses_what_a_response_shows() {
    let text = "       01  E.\n           05  KIND PIC X.\n           05  BODY PIC X(4).\n           05  NUM REDEFINES BODY PIC 9(4).\n";
    let mut either = book(None);
    either.text = text.into();
    let choice = RedefineChoice::parse("BODY:KIND:N=NUM,*=BODY").unwrap();
    let new = ImportRequest {
        name: "either".into(),
        program: "EITHER".into(),
        redefines: Redefines::ByValue(choice),
        request: vec![either.clone()],
        response: vec![either],
        ..ImportRequest::default()
    };
    let folder = tempfile::tempdir().unwrap();
    for file in import(&new)
        .unwrap_or_else(|faults| panic!("{faults}"))
        .files
    {
        let path = folder.path().join("either").join(file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file.text).unwrap();
    }
    let apis = LoadedApi::load_all(folder.path()).unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(apis[0].warnings().to_string(), "");
    let gateway =
        Gateway::start(config(), apis, Fake::default().program("EITHER", |_| ())).unwrap();
    let ask = |body: &str| {
        let answer = send(gateway.address(), "POST", "/either", "", body);
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    };
    assert_eq!(
        ask(r#"{"kind": "N", "num": 42}"#),
        json!({"kind": "N", "num": 42})
    );
    assert_eq!(
        ask(r#"{"kind": "T", "body": "abcd"}"#),
        json!({"kind": "T", "body": "abcd"})
    );
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(128))]
    #[test]
    fn no_copybook_and_no_program_panics(
        fields in "(           (05|10|88)  [A-C]( PIC (X|9|S9V9)\\(?[0-9]?\\)?| OCCURS 1 TO 3 DEPENDING ON [A-C]| REDEFINES [A-C]| VALUE ('x'|1 THRU 2|SPACES))*\\.\n){0,6}",
        program in "(MOVE|TO|[A-C]|\\(|\\)|=|COMPUTE|EXEC|CICS|END-EXEC|INTO|'|é| |\n|\\.){0,40}",
        prefix in "[A-Cé-]{0,3}",
    ) {
        let mut any = book(None);
        any.text = format!("       01  R.\n{fields}");
        let _ = import(&ImportRequest {
            name: "any".into(),
            program: "P".into(),
            names: ImportNames { style: NameStyle::Camel, prefix: Some(prefix) },
            redefines: Redefines::All,
            program_text: Some(format!("       PROCEDURE DIVISION.\n           {program}")),
            request: vec![any.clone()],
            response: vec![any],
            ..ImportRequest::default()
        });
    }
}

const MEANT: &str = "       01  CARD.
           05  ACTIVE                   PIC X.
           05  LOCKED                   PIC 9.
           05  BORN                     PIC 9(8).
           05  SEEN                     PIC X(8).
           05  NOTES OCCURS 4           PIC X(5).
           05  BUYS OCCURS 3.
               10  WHAT                 PIC X(4).
               10  MANY                 PIC S9(3) COMP-3.
           05  MADE                     PIC S9(7) COMP-3.
           05  GONE                     PIC X(6).
";

/// A gateway in front of a program that returns its input, and records what the input
/// was.
fn cards(sent: std::sync::mpsc::Sender<Vec<u8>>) -> Gateway<Fake> {
    let book = ImportBook {
        file: "CARD.cpy".into(),
        container: None,
        text: MEANT.into(),
        source: None,
    };
    let new = ImportRequest {
        name: "cards".into(),
        program: "CARDPGM".into(),
        overrides: FieldOverrides {
            booleans: ["ACTIVE=Y/N", "LOCKED=1/0"]
                .map(|t| BooleanField::parse(t).unwrap())
                .into(),
            dates: [
                "BORN=YYYYMMDD",
                "SEEN=DD.MM.YY",
                "MADE=YYYYDDD",
                "GONE=YY/DDD",
            ]
            .map(|t| DateField::parse(t).unwrap())
            .into(),
            trim_tables: true,
            enums: false,
            outputs: vec![],
        },
        request: vec![book.clone()],
        response: vec![book],
        ..ImportRequest::default()
    };
    let folder = tempfile::tempdir().unwrap();
    for file in import(&new).unwrap_or_else(|f| panic!("{f}")).files {
        let path = folder.path().join("cards").join(file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file.text).unwrap();
    }
    let apis = LoadedApi::load_all(folder.path()).unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(apis[0].warnings().to_string(), "");
    let echo = Fake::default().program("CARDPGM", move |data| {
        let _ = sent.send(data.commarea.clone());
    });
    Gateway::start(config(), apis, echo).unwrap()
}

#[test]
fn booleans_dates_and_empty_rows_have_the_meaning_given_to_the_import() {
    let (sender, sent) = std::sync::mpsc::channel();
    let gateway = cards(sender);
    let ask = |body: &serde_json::Value| {
        let answer = send(gateway.address(), "POST", "/cards", "", &body.to_string());
        (
            answer.status,
            answer.json(),
            sent.try_recv().unwrap_or_default(),
        )
    };
    let body = json!({"active": true, "locked": false, "born": "1969-07-21", "seen": "2026-11-23",
        "notes": ["one", "", "three"], "buys": [{"what": "", "many": 2}]});
    let (status, back, bytes) = ask(&body);
    assert_eq!(status, 200, "{back}");
    assert_eq!(back, body);
    assert_eq!(&bytes[..18], b"Y01969072123.11.26");
    let (_, back, bytes) = ask(&json!({"active": false, "locked": true, "seen": "1999-01-02"}));
    assert_eq!(&bytes[..18], b"N10000000002.01.99");
    assert_eq!(
        back,
        json!({"active": false, "locked": true, "seen": "1999-01-02", "notes": [], "buys": []})
    );
    // A value that is neither is omitted.
    let (_, back, _) = ask(&json!({}));
    assert_eq!(back, json!({"locked": false, "notes": [], "buys": []}));
    // A year that two digits cannot express is not stored as another year.
    for year in ["1969-07-21", "2070-01-01"] {
        assert_eq!(ask(&json!({"seen": year})).0, 400, "{year}");
    }
    assert_eq!(ask(&json!({"seen": "1970-01-01"})).1["seen"], "1970-01-01");
    // Days of the year, of years with and without the 29th of February.
    for (day, packed, text) in [
        ("2024-12-31", [0x20, 0x24, 0x36, 0x6c], "24/366"),
        ("2024-03-01", [0x20, 0x24, 0x06, 0x1c], "24/061"),
        ("1999-03-01", [0x19, 0x99, 0x06, 0x0c], "99/060"),
        ("2026-01-01", [0x20, 0x26, 0x00, 0x1c], "26/001"),
    ] {
        let (_, back, bytes) = ask(&json!({"made": day, "gone": day}));
        assert_eq!((&back["made"], &back["gone"]), (&json!(day), &json!(day)));
        let at = bytes.len() - 10;
        assert_eq!(&bytes[at..at + 4], packed, "{day}");
        assert_eq!(&bytes[at + 4..], text.as_bytes());
    }
    for wrong in [
        json!({"active": "Y"}),
        json!({"born": "1969-7-21"}),
        json!({"born": 19690721}),
    ] {
        assert_eq!(ask(&wrong).0, 400, "{wrong}");
    }
}

#[test]
fn overrides_that_a_field_cannot_hold_are_reported() {
    let mut new = ImportRequest {
        name: "x".into(),
        program: "X".into(),
        request: vec![book(None)],
        response: vec![book(None)],
        ..ImportRequest::default()
    };
    let truths = [
        "UNUSED=Y/N",
        "ORDER-ID=Y/N",
        "ORDER-LINE=1/0",
        "ITEM-NO=TOOLONG/N",
    ];
    new.overrides.booleans = truths.map(|t| BooleanField::parse(t).unwrap()).into();
    let days = ["TOTAL=YYYYMMDD", "ITEM-NO=YYYYMMDD", "ORDER-ID=YY-MM-DD"];
    new.overrides.dates = days.map(|t| DateField::parse(t).unwrap()).into();
    let reported = import(&new).unwrap_err().to_string();
    for part in [
        "no field UNUSED",
        "ORDER-ID cannot contain \"Y\" and \"N\"",
        "ORDER-LINE cannot contain",
        "ITEM-NO cannot contain \"TOOLONG\"",
        "TOTAL cannot contain a date in the format YYYYMMDD",
        "ITEM-NO cannot contain a date in the format YYYYMMDD",
        "ORDER-ID cannot contain a date in the format YY-MM-DD",
    ] {
        assert!(reported.contains(part), "{part}\n{reported}");
    }
}

#[test]
fn parameters_that_no_document_names_go_into_a_container_as_json() {
    let book = ImportBook {
        file: "FREE.cpy".into(),
        container: Some("FREE".into()),
        text:
            "       01  FREE.\n           05  QUERY PIC X(60).\n           05  HEADS PIC X(400).\n"
                .into(),
        source: None,
    };
    let new = ImportRequest {
        name: "free".into(),
        program: "FREEPGM".into(),
        channel: true,
        request: vec![book.clone()],
        response: vec![book],
        ..ImportRequest::default()
    };
    let folder = tempfile::tempdir().unwrap();
    for file in import(&new).unwrap_or_else(|f| panic!("{f}")).files {
        let path = folder.path().join("free").join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = file.text;
        let text = text.replace(
            "template: '{{$body.query}}'",
            "expression: '$string($queryParameters)'",
        );
        let text = text.replace(
            "template: '{{$body.heads}}'",
            "expression: '$string($headers)'",
        );
        std::fs::write(path, text).unwrap();
    }
    let apis = LoadedApi::load_all(folder.path()).unwrap_or_else(|faults| panic!("{faults}"));
    let echo = Fake::default().program("FREEPGM", |_| {});
    let gateway = Gateway::start(config(), apis, echo).unwrap();
    let path = "/free?b=x+y&a=1&a=%41&&empty";
    let answer = send(gateway.address(), "POST", path, "X-Free: yes\r\n", "{}");
    let reported = answer.json();
    assert_eq!(
        reported["query"], r#"{"a":["1","A"],"b":"x y","empty":""}"#,
        "{reported}"
    );
    assert!(
        reported["heads"]
            .as_str()
            .unwrap()
            .contains(r#""x-free":"yes""#),
        "{reported}"
    );
    let none = send(gateway.address(), "POST", "/free", "", "{}");
    assert_eq!(none.json()["query"], "{}");
}
