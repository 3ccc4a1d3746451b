//! Projects made of archives of z/OS Connect EE are projects that load and
//! serve.

use crate::client::send;
use crate::config;
use crate::fake::{Data, Fake};
use gateway::{FromArchives, Gateway, LoadedApi, import_archives};
use serde_json::json;
use std::path::PathBuf;

/// A zip archive of stored files.
fn zip(entries: &[(&str, &str)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, text) in entries {
        let local = out.len() as u32;
        let size = (text.len() as u32).to_le_bytes();
        let mut common = vec![0; 8];
        common.extend(crc32fast::hash(text.as_bytes()).to_le_bytes());
        common.extend([size, size].concat());
        common.extend((name.len() as u32).to_le_bytes());
        out.extend(
            [
                &b"PK\x03\x04\x14\0"[..],
                &common,
                name.as_bytes(),
                text.as_bytes(),
            ]
            .concat(),
        );
        directory.extend([&b"PK\x01\x02\x14\0\x14\0"[..], &common, &[0; 10]].concat());
        directory.extend([&local.to_le_bytes()[..], name.as_bytes()].concat());
    }
    let count = (entries.len() as u16).to_le_bytes();
    let (length, at) = (directory.len() as u32, out.len() as u32);
    out.extend(&directory);
    out.extend([&b"PK\x05\x06\0\0\0\0"[..], &count, &count].concat());
    out.extend([&length.to_le_bytes()[..], &at.to_le_bytes(), &[0, 0]].concat());
    out
}

const FIELD: &str = "<field name='@J' originalName='@C' included='@I' @A><startPos>@S</startPos>\
    <bytes>@B</bytes>@T</field>";
const TEXT: &str = "<applicationDatatype datatype='CHAR'/>";
const ZONED: &str = "<marshaller isSigned='N'><typeConverter>ZONEDDECIMAL</typeConverter>\
    </marshaller><applicationDatatype datatype='DECIMAL' precision='4' scale='0'/>";
const WORD: &str =
    "<marshaller isNativeInteger='N'/><applicationDatatype datatype='INT' precision='8'/>";

fn field(json: &str, cobol: &str, start: usize, bytes: usize, rest: &str) -> String {
    let (more, kind) = rest.split_once('|').unwrap_or(("", rest));
    let included = if more.contains("hidden") { "N" } else { "Y" };
    FIELD
        .replace("@J", json)
        .replace("@C", cobol)
        .replace("@I", included)
        .replace("@A", &more.replace("hidden", ""))
        .replace("@S", &start.to_string())
        .replace("@B", &bytes.to_string())
        .replace("@T", kind)
}

/// An order: its number, a state, what redefines it, and a table of lines.
fn interface(state: usize) -> String {
    let line = field("item", "ITEM_NO", 0, 6, TEXT).replace("<startPos>0</startPos>", "");
    let table = "maxOccurs='3' minOccurs='0' dependsOn='LINE_COUNT'|<applicationDatatype datatype='ARRAY'/>";
    let fields = [
        field("orderId", "ORDER_ID", 1, 4, ZONED),
        field("state", "ORDER_STATE", state, 8, TEXT),
        field(
            "stateNumber",
            "STATE_NO",
            state,
            4,
            &format!("hidden redefines='ORDER_STATE'|{ZONED}"),
        ),
        field("action", "ACTION", 13, 1, TEXT),
        field("count", "LINE_COUNT", 17, 4, &format!("hidden|{WORD}")),
        field("lines", "ORDER_LINE", 21, 18, &format!("{table}{line}")),
    ];
    let record = "<applicationDatatype datatype='STRUCT'/>".to_owned() + &fields.concat();
    format!(
        "<m><message><segment name='COMMAREA' originalName='COMMAREA'>{}</segment></message></m>",
        field("Order", "ORDER", 1, 38, &record)
    )
}

fn service(provider: &str, state: usize) -> Vec<u8> {
    let manifest = format!(
        "name: orders\nprovider: {provider}\nrequestSchema: {{value: 'file:///schemas/q.json'}}\n\
         responseSchema: {{value: 'file:///schemas/q.json'}}\nproviderProperties:\n\
         - {{propertyName: program, value: ORDPGM}}\n- {{propertyName: transid, value: ORDR}}\n\
         - {{propertyName: dataXformType, value: WALKER_VISITOR}}\n\
         - {{propertyName: wvServiceFile, value: 'files\\service.xml'}}\n\
         - {{propertyName: wvRequestInterfaceFile, value: 'files\\O.si'}}\n\
         - {{propertyName: wvResponseInterfaceFile, value: 'files\\O.si'}}\n\
         - {{propertyName: trimOutputTrailingWhitespace, value: 'true'}}\n"
    );
    let order = json!({"type": "object", "properties": {"orderId": {"type": "integer"},
        "state": {"type": "string"}, "action": {"type": "string"},
        "lines": {"type": "array", "items": {"type": "object"}}}});
    let schema = json!({"type": "object", "properties": {"Order": order}}).to_string();
    zip(&[
        ("manifest.yml", &manifest),
        ("files\\O.si", &interface(state)),
        (
            "files\\service.xml",
            "<service><messageVisitorRuntimeType>CICS_COMMAREA</messageVisitorRuntimeType></service>",
        ),
        ("schemas/q.json", &schema),
    ])
}

const MAP: &str = "<r><mappingDeclaration><input path='$rootInput/@I'/><output path='$rootOutput/@O'/>\
    <passthrough><input path='@F'/><output path='@T'/><updates>@U</updates></passthrough>\
    </mappingDeclaration></r>";

fn api() -> Vec<u8> {
    let map = |ends: [&str; 4], updates: &str| {
        MAP.replace("@I", ends[0])
            .replace("@O", ends[1])
            .replace("@F", ends[2])
            .replace("@T", ends[3])
            .replace("@U", updates)
    };
    let request = map(
        ["HTTPRequest", "Order", "Body/Order", "."],
        "<move><input path='PathParameters/id'/><output path='orderId'/></move>\
         <move><input path='QueryParameters/state'/><output path='state'/></move>\
         <assign value='R'><output path='action'/></assign><remove><output path='lines'/></remove>",
    );
    let response = map(
        ["Order", "HTTPResponse", ".", "Body/Order"],
        "<remove><output path='Body/Order/action'/></remove>\
         <move><input path='state'/><output path='Headers/X-State'/></move>",
    );
    let xform = |request: &str, response: &str| {
        format!(
            "<s><mappingContext defaultResponseCode='200'/><requestMessage>{request}</requestMessage>\
             <responseMessages code='200'>{response}</responseMessages></s>"
        )
    };
    let named = |file: &str| format!("<mappingRootModel type='MSL' location='{file}'/>");
    let swagger = json!({"swagger": "2.0", "info": {"title": "o", "version": "1"}, "basePath": "/shop",
        "paths": {
            "/orders": {"post": {"parameters": [
                {"in": "body", "name": "b", "required": true, "schema": {"$ref": "#/definitions/O"}}],
                "responses": {"200": {"description": "OK", "schema": {"$ref": "#/definitions/O"}}}}},
            "/orders/{id}": {"get": {"parameters": [
                {"in": "path", "name": "id", "required": true, "type": "integer"},
                {"in": "query", "name": "state", "type": "string"}],
                "responses": {"200": {"description": "OK", "schema": {"$ref": "#/definitions/O"}}}}}},
        "definitions": {"O": {"type": "object", "properties": {"Order": {"type": "object"}}}}});
    zip(&[
        (
            "package.xml",
            "<zosConnectApi id='shop'><apiSpec title='shop'>\
             <path relativePath='/orders'><method type='POST' zosConnectServiceRef='orders' httpXformFile='p.xml'/></path>\
             <path relativePath='/orders/{id}'><method type='GET' zosConnectServiceRef='orders' httpXformFile='g.xml'/></path>\
             <apiDoc docType='SWAGGER'>api-docs/swagger.json</apiDoc></apiSpec></zosConnectApi>",
        ),
        ("api-docs\\swagger.json", &swagger.to_string()),
        ("p.xml", &xform("", "")),
        ("g.xml", &xform(&named("q.map"), &named("r.map"))),
        ("q.map", &request),
        ("r.map", &response),
    ])
}

fn imported(archives: Vec<(&str, Vec<u8>)>) -> Result<FromArchives, String> {
    let named = archives
        .into_iter()
        .map(|(name, bytes)| (PathBuf::from(name), bytes));
    import_archives(&named.collect::<Vec<_>>()).map_err(|faults| faults.to_string())
}

fn loaded(made: &FromArchives) -> LoadedApi {
    let folder = tempfile::tempdir().unwrap();
    for file in &made.files {
        let path = folder.path().join("shop").join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &file.text).unwrap();
    }
    LoadedApi::load(&folder.path().join("shop")).unwrap_or_else(|faults| panic!("{faults}"))
}

/// Returns its input, with a state of its own if it has none.
fn program(data: &mut Data) {
    assert_eq!(data.transid, "ORDR");
    if &data.commarea[4..12] == b"        " {
        data.commarea[4..12].copy_from_slice(b"OPEN    ");
    }
}

fn serve(made: &FromArchives) -> Gateway<Fake> {
    let api = loaded(made);
    assert_eq!(api.warnings().to_string(), "");
    Gateway::start(
        config(),
        vec![api],
        Fake::default().program("ORDPGM", program),
    )
    .unwrap()
}

#[test]
fn an_api_is_served_with_its_mappings() {
    let made = imported(vec![
        ("shop.aar", api()),
        ("orders.sar", service("CICS-1.0", 5)),
    ])
    .unwrap();
    assert_eq!(
        (made.name.as_str(), made.notes.to_string().as_str()),
        ("shop", "")
    );
    assert_eq!(
        made.programs,
        [("ORDPGM".to_owned(), Some("ORDR".to_owned()))]
    );
    let gateway = serve(&made);
    let got = send(gateway.address(), "GET", "/shop/orders/12", "", "");
    assert_eq!(got.status, 200, "{}", got.text());
    assert_eq!(
        got.json(),
        json!({"Order": {"orderId": 12, "state": "OPEN", "lines": []}})
    );
    assert_eq!(got.header("x-state"), Some("OPEN"));
    let got = send(
        gateway.address(),
        "GET",
        "/shop/orders/12?state=SENT",
        "",
        "",
    );
    assert_eq!(got.json()["Order"]["state"], "SENT");
    let body = r#"{"Order":{"orderId":7,"state":"NEW","action":"S","lines":[{"item":"nut"},{"item":"bolt"}]}}"#;
    let put = send(gateway.address(), "POST", "/shop/orders", "", body);
    assert_eq!(
        put.json(),
        serde_json::from_str::<serde_json::Value>(body).unwrap()
    );
}

#[test]
fn a_service_alone_is_called_as_services_were() {
    let gateway = serve(&imported(vec![("orders.sar", service("CICS-1.0", 5))]).unwrap());
    let path = "/zosConnect/services/orders?action=invoke";
    let body = r#"{"Order":{"orderId":7,"state":"NEW","action":"S","lines":[]}}"#;
    let answer = send(gateway.address(), "POST", path, "", body);
    let sent: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!((answer.status, answer.json()), (200, sent));
    let without = send(
        gateway.address(),
        "POST",
        "/zosConnect/services/orders",
        "",
        body,
    );
    assert_eq!(without.status, 400);
}

#[test]
fn an_interface_that_disagrees_with_its_own_types_is_refused() {
    let reported = imported(vec![("orders.sar", service("CICS-1.0", 4))]).unwrap_err();
    assert!(
        reported.contains("ORDER-STATE is at 4 with 8 bytes in the interface"),
        "{reported}"
    );
}

#[test]
fn a_service_that_is_not_served_costs_its_operations_only() {
    for (archives, reported) in [
        (
            vec![("shop.aar", api()), ("orders.sar", service("IMS-1.0", 5))],
            "IMS-1.0 are not served",
        ),
        (vec![("shop.aar", api())], "the service orders is missing"),
    ] {
        let made = imported(archives).unwrap();
        assert!(made.notes.to_string().contains(reported), "{}", made.notes);
        let fake = Fake::default().program("ORDPGM", program);
        let gateway = Gateway::start(config(), vec![loaded(&made)], fake).unwrap();
        let answer = send(gateway.address(), "GET", "/shop/orders/12", "", "");
        assert_eq!(answer.status, 501);
    }
    let reported = imported(vec![("orders.sar", service("MQ-1.0", 5))]).unwrap_err();
    assert!(
        reported.contains("let a CICS program serve the request"),
        "{reported}"
    );
}

#[test]
fn archives_that_are_none_are_refused() {
    let reported = imported(vec![("a.aar", b"PK nothing".to_vec())]).unwrap_err();
    assert!(
        reported.contains("a.aar: error: the archive is refused"),
        "{reported}"
    );
    let reported = imported(vec![("a.aar", zip(&[("readme", "x")]))]).unwrap_err();
    assert!(
        reported.contains("a .sar has a manifest.yml, an .aar a package.xml"),
        "{reported}"
    );
    let reported = imported(vec![("a.aar", zip(&[("../../x", "x")]))]).unwrap_err();
    assert!(reported.contains("leads out of the archive"), "{reported}");
    let reported = imported(vec![("a.aar", api()), ("b.aar", api())]).unwrap_err();
    assert!(reported.contains("one API too many"), "{reported}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    #[test]
    fn no_archive_panics(cuts in proptest::collection::vec((proptest::num::usize::ANY, proptest::num::u8::ANY), 0..4)) {
        let mut archives = [("a.aar", api()), ("b.sar", service("CICS-1.0", 5))];
        for (at, byte) in cuts {
            let (_, bytes) = &mut archives[at & 1];
            let place = (at >> 1) % bytes.len();
            bytes[place] = byte;
        }
        for (_, bytes) in &archives {
            gateway::fuzz_archive(bytes);
        }
        let _ = imported(archives.to_vec());
        let texts = [interface(5), MAP.to_owned()];
        for mut text in texts.map(String::into_bytes) {
            text.truncate(text.len() / 2);
            gateway::fuzz_archive(&text);
        }
    }
}
