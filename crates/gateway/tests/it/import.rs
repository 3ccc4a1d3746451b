//! Projects made from copybooks are projects that load and serve.

use crate::client::send;
use crate::config;
use crate::fake::Fake;
use gateway::{Api, Gateway, Import, ImportBook, import};
use serde_json::json;

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
    }
}

fn served(channel: bool) -> Gateway<Fake> {
    let new = Import {
        name: "orders".into(),
        program: "ordpgm".into(),
        transid: Some("ORDR".into()),
        channel,
        request: vec![book(Some("ORDER-IN"))],
        response: vec![book(Some("ORDER-OUT"))],
    };
    let folder = tempfile::tempdir().unwrap();
    for file in import(&new).unwrap_or_else(|faults| panic!("{faults}")) {
        let path = folder.path().join("orders").join(file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file.text).unwrap();
    }
    let apis = Api::load_all(folder.path()).unwrap_or_else(|faults| panic!("{faults}"));
    assert_eq!(apis[0].warnings().to_string(), "");
    // The program gives back what it gets.
    let echo = Fake::default().program("ORDPGM", |data| {
        if let Some(bytes) = data.containers.remove("ORDER-IN") {
            data.containers.insert("ORDER-OUT".into(), bytes);
        }
    });
    Gateway::start(config(), apis, echo).unwrap()
}

#[test]
fn an_imported_program_answers_with_every_field() {
    let body = json!({"order_id": 17, "cust_name": "Ada", "total": -12345.67, "line_count": 2,
        "order_line": [{"item_no": "A1", "qty": 3}, {"item_no": "B2", "qty": -4}]});
    for channel in [false, true] {
        let gateway = served(channel);
        let answer = send(gateway.address(), "POST", "/orders", "", &body.to_string());
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.json(), body);
        let six = json!({"order_line": vec![json!({"qty": 1}); 6]}).to_string();
        let refused = send(gateway.address(), "POST", "/orders", "", &six);
        assert_eq!(refused.status, 400, "{}", refused.text());
        assert_eq!(refused.json()["errors"][0]["pointer"], "/order_line");
    }
}

#[test]
fn what_cannot_be_imported_is_told_at_once() {
    let mut bad = book(None);
    bad.text = bad.text.replace("COMP-3", "COMP-33");
    let new = Import {
        name: "x".into(),
        program: "TOO-LONG-NAME".into(),
        transid: None,
        channel: false,
        request: vec![bad.clone()],
        response: vec![book(None), book(None)],
    };
    let text = import(&new).unwrap_err().to_string();
    assert!(text.contains("ORDER.cpy:5:"), "{text}");
    assert!(text.contains("is described twice"), "{text}");
    assert!(text.contains("is no name of a program"), "{text}");
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
        };
        let new = Import {
            name: "cust".into(),
            program: "CUST01".into(),
            transid: None,
            channel,
            request: vec![book.clone()],
            response: vec![book],
        };
        let folder = tempfile::tempdir().unwrap();
        for file in import(&new).unwrap_or_else(|faults| panic!("{faults}")) {
            let path = folder.path().join("cust").join(file.path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, file.text).unwrap();
        }
        let apis = Api::load_all(folder.path()).unwrap_or_else(|faults| panic!("{faults}"));
        assert_eq!(apis[0].warnings().to_string(), "");
    }
}
