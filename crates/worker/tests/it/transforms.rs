//! TRANSFORM as programs use it.

use serde_json::json;
use soap::ServiceBinding;
use soap::binding::ProgramInterface;
use soap::wsdl::{ServiceOptions, from_copybooks};

use crate::cobol::CobolHarness;

const RECORD: &str = "
       01  REC.
           05  REC-NAME   PIC X(10).
           05  REC-AMOUNT PIC S9(5)V99 COMP-3.
           05  REC-TAG    PIC X(3) OCCURS 2.
";

fn binding() -> ServiceBinding {
    let options = ServiceOptions {
        program: "PROG".into(),
        operation: Some("take".into()),
        interface: ProgramInterface::Commarea,
        address: "http://localhost/".into(),
        uri: "/".into(),
    };
    from_copybooks(RECORD, None, &options).unwrap().1
}

/// Shows RESP and RESP2 in a container of this name.
fn show_resp(container: &str) -> String {
    format!(
        "MOVE R TO D1\n MOVE R2 TO D2\n\
         EXEC CICS PUT CONTAINER(\"{container}\") FROM(RESPS) END-EXEC\n"
    )
}

const STORAGE: &str = "01 R PIC S9(8) COMP.\n01 R2 PIC S9(8) COMP.\n\
    01 RESPS.\n05 D1 PIC 999.\n05 D2 PIC 999.\n\
    01 EN PIC X(8).\n01 EL PIC S9(8) COMP VALUE 8.\n01 NS PIC X(40).\n01 NL PIC S9(8) COMP VALUE 40.\n\
    01 SHORT PIC X(2).\n01 SL PIC S9(8) COMP VALUE 2.";

#[test]
fn xml_and_json_become_the_same_record_and_are_made_of_it() {
    let ns = "http://www.PROG.Request.com";
    let xml = format!(
        "<p:take xmlns:p='{ns}'><p:REC_NAME>Nail &amp; nut</p:REC_NAME><p:REC_AMOUNT>-1.5</p:REC_AMOUNT>\
         <p:REC_TAG>a</p:REC_TAG><p:REC_TAG>b</p:REC_TAG></p:take>"
    );
    let played = CobolHarness::new()
        .transform("PARTS", &binding().to_text())
        .program(
            "A",
            STORAGE,
            "",
            "EXEC CICS TRANSFORM XMLTODATA CHANNEL(\"CHAN\") XMLCONTAINER(\"XML\")\n\
             DATCONTAINER(\"REC\") XMLTRANSFORM(\"PARTS\") ELEMNAME(EN) ELEMNAMELEN(EL)\n\
             ELEMNS(NS) ELEMNSLEN(NL) END-EXEC\n\
             EXEC CICS PUT CONTAINER(\"ELEM\") FROM(EN) FLENGTH(EL) END-EXEC\n\
             EXEC CICS PUT CONTAINER(\"NS\") FROM(NS) FLENGTH(NL) END-EXEC\n\
             EXEC CICS TRANSFORM DATATOJSON CHANNEL(\"CHAN\") INCONTAINER(\"REC\")\n\
             TRANSFORMER(\"PARTS\") END-EXEC\n\
             EXEC CICS TRANSFORM JSONTODATA CHANNEL(\"CHAN\") INCONTAINER(\"DFHJSON-JSON\")\n\
             OUTCONTAINER(\"AGAIN\") TRANSFORMER(\"PARTS\") END-EXEC\n\
             EXEC CICS TRANSFORM DATATOXML CHANNEL(\"CHAN\") DATCONTAINER(\"AGAIN\")\n\
             XMLCONTAINER(\"MADE\") XMLTRANSFORM(\"PARTS\") END-EXEC\n\
             EXEC CICS TRANSFORM DATATOXML CHANNEL(\"CHAN\") DATCONTAINER(\"AGAIN\")\n\
             XMLCONTAINER(\"ANSWER\") XMLTRANSFORM(\"PARTS.RESPONSE\") END-EXEC\n\
             EXEC CICS DELETE CONTAINER(\"REC\") END-EXEC\n\
             EXEC CICS DELETE CONTAINER(\"AGAIN\") END-EXEC\n GOBACK.\n",
        )
        .task(json!({"program": "A", "channel": "CHAN", "containers": {"XML": xml}}))
        .play();
    let end = played.end(0);
    assert!(end["abend"].is_null(), "{end}");
    let fields = "<REC_NAME>Nail &amp; nut</REC_NAME><REC_AMOUNT>-1.50</REC_AMOUNT>\
                  <REC_TAG>a</REC_TAG><REC_TAG>b</REC_TAG>";
    let made = format!("<take xmlns=\"{ns}\">{fields}</take>");
    let answer =
        format!("<takeResponse xmlns=\"http://www.PROG.Response.com\">{fields}</takeResponse>");
    assert_eq!(
        end["containers"],
        json!({
            "XML": xml, "ELEM": "take", "NS": ns, "MADE": made, "ANSWER": answer,
            "DFHJSON-JSON": "{\"REC_NAME\":\"Nail & nut\",\"REC_AMOUNT\":-1.50,\"REC_TAG\":[\"a\",\"b\"]}",
        })
    );
}

#[test]
fn without_a_transform_the_element_is_returned() {
    let played = CobolHarness::new()
        .program(
            "A",
            STORAGE,
            "",
            "EXEC CICS TRANSFORM XMLTODATA CHANNEL(\"CHAN\") XMLCONTAINER(\"XML\")\n\
             ELEMNAME(EN) ELEMNAMELEN(EL) TYPENAME(NS) TYPENAMELEN(NL) END-EXEC\n\
             EXEC CICS PUT CONTAINER(\"ELEM\") FROM(EN) FLENGTH(EL) END-EXEC\n\
             EXEC CICS PUT CONTAINER(\"TYPE\") FROM(NS) FLENGTH(NL) END-EXEC\n\
             EXEC CICS DELETE CONTAINER(\"XML\") END-EXEC\n GOBACK.\n",
        )
        .task(json!({"program": "A", "channel": "CHAN", "containers": {
            "XML": "<o xmlns:x='http://www.w3.org/2001/XMLSchema-instance' x:type='kind'/>"
        }}))
        .play();
    assert_eq!(
        played.end(0)["containers"],
        json!({"ELEM": "o", "TYPE": "kind"})
    );
}

#[test]
fn what_cannot_be_converted_is_answered_with_the_documented_values() {
    let xml_to = |container: &str, transform: &str, more: &str, told_in: &str| {
        format!(
            "EXEC CICS TRANSFORM XMLTODATA CHANNEL(\"CHAN\") XMLCONTAINER(\"{container}\")\n\
             DATCONTAINER(\"REC\") XMLTRANSFORM(\"{transform}\") {more}\n RESP(R) RESP2(R2) END-EXEC\n{}",
            show_resp(told_in)
        )
    };
    let procedure = [
        xml_to("NONE", "PARTS", "", "T1"),
        xml_to("XML", "OTHER", "", "T2"),
        xml_to("XML", "BROKEN", "", "T3"),
        xml_to("XML", "PARTS", "", "T4"),
        xml_to("XML", "PARTS", "ELEMNAME(SHORT) ELEMNAMELEN(SL)", "T5"),
        "EXEC CICS TRANSFORM JSONTODATA CHANNEL(\"CHAN\") INCONTAINER(\"XML\")\n\
         TRANSFORMER(\"PARTS\") RESP(R) RESP2(R2) END-EXEC\n"
            .to_owned()
            + &show_resp("T6"),
        "EXEC CICS TRANSFORM JSONTODATA CHANNEL(\"OTHER\") INCONTAINER(\"XML\")\n\
         TRANSFORMER(\"PARTS\") RESP(R) RESP2(R2) END-EXEC\n"
            .to_owned()
            + &show_resp("T7"),
        "EXEC CICS PUT CONTAINER(\"TEXT\") FROM(EN) CHAR END-EXEC\n\
         EXEC CICS TRANSFORM DATATOXML CHANNEL(\"CHAN\") DATCONTAINER(\"TEXT\") XMLCONTAINER(\"X\")\n\
         XMLTRANSFORM(\"PARTS\") RESP(R) RESP2(R2) END-EXEC\n"
            .to_owned()
            + &show_resp("T8"),
        "EXEC CICS DELETE CONTAINER(\"TEXT\") END-EXEC\n GOBACK.\n".to_owned(),
    ];
    let played = CobolHarness::new()
        .transform("PARTS", &binding().to_text())
        .transform("BROKEN", "{}")
        .program("A", STORAGE, "", &procedure.concat())
        .task(json!({"program": "A", "channel": "CHAN", "containers": {"XML": "<strange/>"}}))
        .play();
    let end = played.end(0);
    assert!(end["abend"].is_null(), "{end}");
    let all = &end["containers"];
    let expected = [
        ("T1", "110003"),
        ("T2", "013001"),
        ("T3", "016001"),
        ("T4", "016006"),
        ("T5", "022001"),
        ("T6", "016006"),
        ("T7", "122002"),
        ("T8", "016008"),
    ];
    for (container, resps) in expected {
        assert_eq!(all[container], json!(resps), "{container} {all}");
    }
    let message = all["DFHJSON-ERRORMSG"].as_str().unwrap();
    assert!(
        message.contains("an object expected") || message.contains("column 1"),
        "{message}"
    );
}
