//! LINK, XCTL, RETURN, HANDLE and ABEND between programs.

use serde_json::json;

use crate::cobol::CobolHarness;

const AREA: &str = "01 DFHCOMMAREA.\n05 OUT PIC X(60).";
const BLANK: &str = "                                                            ";

/// Statements that append text to OUT.
fn say(parts: &str) -> String {
    format!("STRING OUT DELIMITED BY SPACE {parts} DELIMITED BY SIZE INTO OUT\n")
}

#[test]
fn a_link_changes_the_commarea_in_place_and_reports_its_outcome() {
    let played = CobolHarness::new()
        .program("B", "", AREA, &format!("{} GOBACK.\n", say("\"B\"")))
        .program(
            "A",
            "01 R PIC S9(8) COMP.\n01 R2 PIC S9(8) COMP.\n01 D PIC 9(3).\n01 L PIC S9(4) COMP VALUE -1.",
            AREA,
            &format!(
                "EXEC CICS LINK PROGRAM(\"B\") COMMAREA(DFHCOMMAREA) RESP(R) END-EXEC\n MOVE R TO D\n {}\
                 EXEC CICS LINK PROGRAM(\"NOSUCH\") RESP(R) RESP2(R2) END-EXEC\n MOVE R TO D\n {}\
                 MOVE R2 TO D\n {}\
                 EXEC CICS LINK PROGRAM(\"B\") COMMAREA(OUT) LENGTH(L) RESP(R) END-EXEC\n\
                 MOVE R TO D\n {} MOVE EIBRESP2 TO D\n {}\
                 EXEC CICS LINK PROGRAM(\"FARAWAY\") COMMAREA(DFHCOMMAREA) END-EXEC\n GOBACK.\n",
                say("\"/\" D"), say("\"/\" D"), say("\"/\" D"), say("\"/\" D"), say("\"/x\" D"),
            ),
        )
        .elsewhere("FARAWAY")
        .run("A", BLANK)
        .play();
    assert_eq!(played.commarea(0).trim_end(), "B/000/027/001/022/X011");
}

#[test]
fn xctl_takes_the_place_of_the_program_at_its_level() {
    let played = CobolHarness::new()
        .program(
            "C",
            "01 P PIC X(8).\n01 I PIC X(8).\n01 V PIC S9(4) COMP.\n01 D PIC 9.",
            AREA,
            &format!(
                "EXEC CICS ASSIGN PROGRAM(P) INVOKINGPROG(I) LINKLEVEL(V) END-EXEC\n MOVE V TO D\n {} GOBACK.\n",
                say("\"C\" P(1:1) I(1:1) D")
            ),
        )
        .program(
            "B",
            "01 W PIC X(60) VALUE \"W\".",
            AREA,
            "EXEC CICS XCTL PROGRAM(\"C\") COMMAREA(DFHCOMMAREA) END-EXEC\n MOVE \"not here\" TO OUT\n GOBACK.\n",
        )
        .program(
            "A",
            "",
            AREA,
            &format!("EXEC CICS LINK PROGRAM(\"B\") COMMAREA(DFHCOMMAREA) END-EXEC\n {} GOBACK.\n", say("\"/A\"")),
        )
        .run("A", BLANK)
        .play();
    assert_eq!(played.commarea(0).trim_end(), "CCB2/A");
}

#[test]
fn return_ends_a_program_from_deep_inside() {
    let played = CobolHarness::new()
        .program(
            "B",
            "",
            AREA,
            "PERFORM P1 5 TIMES\n MOVE \"not here\" TO OUT\n GOBACK.\nP1.\n PERFORM P2.\nP2.\n\
             MOVE \"deep\" TO OUT\n EXEC CICS RETURN END-EXEC\n.",
        )
        .program(
            "A",
            "01 R PIC S9(8) COMP.\n01 D PIC 99.",
            AREA,
            &format!(
                "EXEC CICS LINK PROGRAM(\"B\") COMMAREA(DFHCOMMAREA) END-EXEC\n\
                 EXEC CICS RETURN TRANSID(\"NEXT\") RESP(R) END-EXEC\n MOVE R TO D\n {} EXEC CICS RETURN END-EXEC\n.",
                say("\"/\" D")
            ),
        )
        .program(
            "T",
            "01 N PIC X(10) VALUE \"next area\".",
            AREA,
            "EXEC CICS RETURN TRANSID(\"NEXT\") COMMAREA(N) END-EXEC\n.",
        )
        .run("A", BLANK)
        .task(json!({"program": "T", "start_code": "TD", "commarea": "old"}))
        .play();
    assert_eq!(played.commarea(0).trim_end(), "deep/16");
    assert_eq!(played.end(1)["next_transid"], "NEXT");
    assert_eq!(played.commarea(1), "next area ");
}

#[test]
fn conditions_go_to_labels_or_abend_as_handle_condition_sets() {
    let played = CobolHarness::new()
        .program(
            "A",
            "01 N PIC 9 VALUE 0.",
            AREA,
            &format!(
                "EXEC CICS HANDLE CONDITION PGMIDERR(L1) ERROR(L2) END-EXEC\n\
                 EXEC CICS LINK PROGRAM(\"NOSUCH\") END-EXEC\n MOVE \"not here\" TO OUT\n GOBACK.\n\
                 L1.\n {one} EXEC CICS READ FILE(\"NOSUCH\") INTO(N) RIDFLD(N) END-EXEC\n\
                 MOVE \"nor here\" TO OUT\n GOBACK.\n\
                 L2.\n {two} EXEC CICS IGNORE CONDITION PGMIDERR END-EXEC\n\
                 EXEC CICS LINK PROGRAM(\"NOSUCH\") END-EXEC\n {three}\
                 EXEC CICS PUSH HANDLE END-EXEC\n\
                 EXEC CICS LINK PROGRAM(\"NOSUCH\") NOHANDLE END-EXEC\n\
                 EXEC CICS POP HANDLE END-EXEC\n EXEC CICS LINK PROGRAM(\"NOSUCH\") END-EXEC\n {four}\
                 EXEC CICS HANDLE CONDITION PGMIDERR ERROR END-EXEC\n\
                 EXEC CICS LINK PROGRAM(\"NOSUCH\") END-EXEC\n MOVE \"nor there\" TO OUT\n GOBACK.\n",
                one = say("\"1\""), two = say("\"2\""), three = say("\"3\""), four = say("\"4\""),
            ),
        )
        .run("A", BLANK)
        .play();
    let end = played.end(0);
    assert_eq!(end["commarea"].as_str().unwrap().trim_end(), "1234");
    assert_eq!(end["abend"]["code"], "AEI0");
    // The last LINK, in the text as it was written.
    assert_eq!(end["abend"]["line"], 32);
}

#[test]
fn abends_go_up_the_levels_until_an_exit_handles_them() {
    let played = CobolHarness::new()
        .program(
            "C",
            "",
            AREA,
            "EXEC CICS ABEND ABCODE(\"UGLY\") END-EXEC\n GOBACK.\n",
        )
        .program(
            "X",
            "",
            AREA,
            "EXEC CICS ABEND ABCODE(\"UGLY\") CANCEL END-EXEC\n GOBACK.\n",
        )
        .program(
            "B",
            "",
            AREA,
            "EXEC CICS LINK PROGRAM(\"C\") END-EXEC\n MOVE \"not here\" TO OUT.\n GOBACK.\n",
        )
        .program(
            "A",
            "01 AB PIC X(4).\n01 P PIC X(8).",
            AREA,
            &format!(
                "EXEC CICS HANDLE ABEND LABEL(L1) END-EXEC\n\
                 EXEC CICS LINK PROGRAM(\"B\") COMMAREA(DFHCOMMAREA) END-EXEC\n GOBACK.\n\
                 L1.\n EXEC CICS ASSIGN ABCODE(AB) ABPROGRAM(P) END-EXEC\n {}\
                 EXEC CICS LINK PROGRAM(\"X\") END-EXEC\n MOVE \"nor here\" TO OUT\n GOBACK.\n",
                say("AB P")
            ),
        )
        .program(
            "D",
            "",
            AREA,
            "EXEC CICS HANDLE ABEND PROGRAM(\"E\") END-EXEC\n\
             EXEC CICS ABEND ABCODE(\"DEAD\") END-EXEC\n GOBACK.\n",
        )
        .program(
            "E",
            "01 AB PIC X(4).",
            AREA,
            &format!(
                "EXEC CICS ASSIGN ABCODE(AB) END-EXEC\n {} GOBACK.\n",
                say("AB \"-E\"")
            ),
        )
        .run("A", BLANK)
        .run("D", BLANK)
        .run("NOSUCH", "")
        .play();
    assert_eq!(
        played.end(0)["commarea"].as_str().unwrap().trim_end(),
        "UGLYC"
    );
    assert_eq!(played.abend(0), "UGLY");
    assert_eq!(played.end(0)["abend"]["program"], "X");
    assert_eq!(played.commarea(1).trim_end(), "DEAD-E");
    assert_eq!(played.abend(2), "APCT");
}

/// Handles of a caller are pushed at a CALL and popped at its return, as with
/// CBLPSHPOP(ON).
#[test]
fn a_subprogram_has_its_own_abend_label_and_returns_to_its_caller() {
    let played = CobolHarness::new()
        .program(
            "S",
            "01 T.\n05 E PIC X OCCURS 5.\n01 N PIC 9(4) VALUE 9.",
            AREA,
            &format!(
                "EXEC CICS HANDLE ABEND LABEL(L1) END-EXEC\n MOVE \"X\" TO E(N)\n GOBACK.\n\
                 L1.\n {} GOBACK.\n",
                say("\"S\"")
            ),
        )
        .program(
            "A",
            "",
            AREA,
            &format!(
                "CALL \"S\" USING DFHEIBLK DFHCOMMAREA\n {} GOBACK.\n",
                say("\"-A\"")
            ),
        )
        .run("A", BLANK)
        .run("A", BLANK)
        .play();
    assert_eq!(played.commarea(0).trim_end(), "S-A");
    assert_eq!(played.commarea(1).trim_end(), "S-A");
}

#[test]
fn a_task_changes_mode_with_the_programs_it_enters() {
    let played = CobolHarness::new()
        .file("F", 10, false, &["0001......"])
        .program("Q", "", AREA, "GOBACK.\n")
        .with("threadsafe", json!(false))
        .program(
            "A",
            "01 K PIC X(4) VALUE \"0001\".\n01 R PIC X(10).",
            AREA,
            "EXEC CICS LINK PROGRAM(\"Q\") END-EXEC\n\
             EXEC CICS READ FILE(\"F\") INTO(R) RIDFLD(K) END-EXEC\n GOBACK.\n",
        )
        .fc_qr_only()
        .run("A", "x")
        .run("Q", "x")
        .play();
    assert_eq!(played.end(0)["mode_switches"], 4);
    assert_eq!(played.end(1)["mode_switches"], 2);
}

#[test]
fn a_damaged_or_unknown_command_is_an_abend() {
    let played = CobolHarness::new()
        .program("A", "01 B PIC X(28) VALUE \"nonsense\".", AREA, "CALL \"DFHEI1\" USING B.\n GOBACK.\n")
        .program(
            "B",
            "",
            AREA,
            "CALL \"DFHEI1\" USING BY CONTENT X\"5458FFFE000000070000000000000000000000000000000000000000\".\n GOBACK.\n",
        )
        .program("C", "", AREA, "CALL \"DFHEI1\".\n GOBACK.\n")
        .run("A", "x")
        .run("B", "x")
        .run("C", "x")
        .play();
    assert_eq!(
        [played.abend(0), played.abend(1), played.abend(2)],
        ["AEXZ", "AEY9", "AEXZ"]
    );
}

#[test]
fn a_program_that_links_to_itself_without_end_is_stopped() {
    let played = CobolHarness::new()
        .program(
            "A",
            "",
            AREA,
            "EXEC CICS LINK PROGRAM(\"A\") END-EXEC\n GOBACK.\n",
        )
        .program("B", "", AREA, "MOVE \"fine\" TO OUT\n GOBACK.\n")
        .run("A", "x")
        .run("B", BLANK)
        .play();
    assert_eq!(played.abend(0), "ASRA");
    assert!(played.commarea(1).starts_with("fine"));
}
