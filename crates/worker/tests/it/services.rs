//! Language Environment services, called as programs call them.

use serde_json::json;

use crate::cobol::CobolHarness;

const STORAGE: &str = "01 LIL PIC S9(9) BINARY.\n01 SECS COMP-2.\n01 N PIC S9(9) BINARY.\n\
    01 D.\n05 DL PIC S9(4) BINARY.\n05 DT PIC X(30).\n\
    01 P.\n05 PL PIC S9(4) BINARY.\n05 PT PIC X(30).\n01 O PIC X(80).\n\
    01 FC.\n02 CONDITION-TOKEN-VALUE.\nCOPY CEEIGZCT.\n03 SEVERITY PIC S9(4) BINARY.\n03 MSG-NO PIC S9(4) BINARY.\n\
    03 CTL PIC X.\n03 FACILITY PIC XXX.\n02 I-S-INFO PIC S9(9) BINARY.";

fn harness(name: &str, procedure: &str) -> CobolHarness {
    CobolHarness::new().program(name, STORAGE, "", &format!("{procedure}\n GOBACK.\n"))
}

#[test]
fn dates_go_to_days_and_back_as_pictures_say() {
    let played = harness(
        "A",
        "MOVE 10 TO DL MOVE \"1988-05-16\" TO DT MOVE 10 TO PL MOVE \"YYYY-MM-DD\" TO PT\n\
         CALL \"CEEDAYS\" USING D P LIL FC\n IF CEE000 OF FC DISPLAY LIL END-IF\n\
         MOVE 24 TO PL MOVE \"Wwwwwwwwwz, ZD Mmm YYYY\" TO PT\n\
         CALL \"CEEDATE\" USING LIL P O FC\n DISPLAY O(1:23)\n\
         CALL \"CEEDYWK\" USING LIL N FC\n DISPLAY N\n\
         MOVE 19 TO DL MOVE \"1988-05-16 20:42:29\" TO DT MOVE 19 TO PL MOVE \"YYYY-MM-DD HH:MI:SS\" TO PT\n\
         CALL \"CEESECS\" USING D P SECS FC\n ADD 86400 TO SECS\n\
         CALL \"CEEDATM\" USING SECS P O FC\n DISPLAY O(1:19)\n\
         MOVE 10 TO PL MOVE \"YYYY-MM-DD\" TO PT\n\
         CALL \"CEECBLDY\" USING D P N OMITTED\n DISPLAY N\n\
         MOVE \"1988-13-16\" TO DT\n CALL \"CEEDAYS\" USING D P LIL FC\n\
         IF CEE2EL OF FC DISPLAY LIL SEVERITY MSG-NO FACILITY END-IF\n\
         CALL \"CEEMSG\" USING FC OMITTED",
    )
    .run("A", "")
    .play();
    assert!(played.end(0)["abend"].is_null(), "{:?}", played.ends);
    assert_eq!(
        played.displayed,
        [
            "+0000148138",
            "Monday, 16 May 1988    ",
            "+0000000002",
            "1988-05-17 20:42:29",
            "+0000141485",
            "+0000000000+00003+02517CEE",
            "CEE2517S The month given to CEEISEC, CEEDAYS or CEESECS is not valid.",
        ]
    );
}

#[test]
fn the_clock_is_returned_in_all_its_forms() {
    let played = harness(
        "A",
        "CALL \"CEELOCT\" USING LIL SECS O FC\n DISPLAY O(1:17)\n\
         CALL \"CEEGMT\" USING N SECS FC\n IF N = LIL DISPLAY \"utc\" END-IF\n\
         COMPUTE N = SECS / 86400\n IF N = LIL OR N = LIL + 1 DISPLAY \"seconds\" END-IF",
    )
    .run("A", "")
    .play();
    let now = &played.displayed;
    assert_eq!(now.len(), 3, "{:?}", played.ends);
    assert!(now[0].len() == 17 && now[0].starts_with("20"));
    assert!(now[0].bytes().all(|b| b.is_ascii_digit()));
}

#[test]
fn a_service_can_end_the_task() {
    let played = harness("A", "MOVE 42 TO LIL MOVE 1 TO N\n CALL \"CEE3ABD\" USING LIL N")
        .program("B", STORAGE, "", "MOVE 0 TO LIL\n CALL \"CEEDATE\" USING LIL P O OMITTED\n GOBACK.\n")
        .plain(
            "CEELOCT",
            "IDENTIFICATION DIVISION.\nPROGRAM-ID. CEELOCT.\nPROCEDURE DIVISION.\nDISPLAY \"our own\".\nGOBACK.\n",
        )
        .program("C", "", "", "CALL \"CEELOCT\"\n CALL \"CEENOSUC\"\n GOBACK.\n")
        .run("A", "")
        .task(json!({"program": "B"}))
        .task(json!({"program": "C"}))
        .play();
    assert_eq!(played.abend(0), "0042");
    assert_eq!(played.abend(1), "4038");
    assert_eq!(played.abend(2), "APCT");
    assert_eq!(played.displayed, ["our own"]);
}
