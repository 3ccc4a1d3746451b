//! Time, storage, ASSIGN, ADDRESS and other commands on a task's environment.

use serde_json::json;

use crate::cobol::CobolHarness;

#[test]
fn times_are_formatted_and_read_back() {
    let played = CobolHarness::new()
        .program(
            "A",
            "01 A1 PIC S9(15) COMP-3.\n01 A2 PIC S9(15) COMP-3 VALUE 2837962864828.\n01 D8 PIC X(8).\n\
             01 D10 PIC X(10).\n01 T8 PIC X(8).\n01 S PIC X(64).\n01 N PIC S9(8) COMP.\n01 E PIC 9(5).\n01 R PIC S9(8) COMP.",
            "01 DFHCOMMAREA PIC X(100).",
            "EXEC CICS FORMATTIME ABSTIME(A2) DDMMYY(D8) DATESEP(\"-\") TIME(T8) TIMESEP DAYCOUNT(N) END-EXEC\n\
             MOVE N TO E\n STRING D8 \" \" T8 \" \" E DELIMITED BY SIZE INTO DFHCOMMAREA\n\
             EXEC CICS FORMATTIME ABSTIME(A2) YYYYMMDD(D10) DATESTRING(S) END-EXEC\n\
             MOVE D10 TO DFHCOMMAREA(25:10) MOVE S TO DFHCOMMAREA(36:29)\n\
             EXEC CICS CONVERTTIME DATESTRING(S) ABSTIME(A1) END-EXEC\n\
             IF A1 = 2837962864000 MOVE \"same\" TO DFHCOMMAREA(66:4) END-IF\n\
             EXEC CICS ASKTIME ABSTIME(A1) END-EXEC\n\
             IF A1 > 3900000000000 AND A1 < 6000000000000 MOVE \"now\" TO DFHCOMMAREA(71:3) END-IF\n\
             IF EIBDATE > 0124000 MOVE \"eib\" TO DFHCOMMAREA(75:3) END-IF\n\
             MOVE -1 TO A2\n EXEC CICS FORMATTIME ABSTIME(A2) YYYYMMDD(D10) RESP(R) END-EXEC\n\
             MOVE R TO E\n MOVE E TO DFHCOMMAREA(79:5)\n GOBACK.\n",
        )
        .run("A", &" ".repeat(100))
        .play();
    assert_eq!(
        played.commarea(0).trim_end(),
        "06-12-89 19:01:05 32847 19891206   Wed, 06 Dec 1989 19:01:04 GMT same now eib 00016"
    );
}

#[test]
fn a_time_in_an_item_without_room_for_it_is_known_again() {
    let played = CobolHarness::new()
        .program(
            "A",
            "01 A1 PIC S9(15) COMP-3.\n01 A2 PIC S9(8) COMP.\n01 A3 PIC 9(8).\n\
             01 D1 PIC X(10).\n01 D2 PIC X(10).\n01 D3 PIC X(10).\n01 R PIC S9(8) COMP.\n\
             01 E PIC 9(5).",
            "01 DFHCOMMAREA PIC X(40).",
            "EXEC CICS ASKTIME ABSTIME(A1) END-EXEC\n\
             EXEC CICS FORMATTIME ABSTIME(A1) YYYYMMDD(D1) DATESEP END-EXEC\n\
             EXEC CICS ASKTIME ABSTIME(A2) END-EXEC\n\
             EXEC CICS FORMATTIME ABSTIME(A2) YYYYMMDD(D2) DATESEP END-EXEC\n\
             EXEC CICS ASKTIME ABSTIME(A3) END-EXEC\n\
             EXEC CICS FORMATTIME ABSTIME(A3) YYYYMMDD(D3) DATESEP END-EXEC\n\
             IF D1 = D2 AND D1 = D3 MOVE \"same\" TO DFHCOMMAREA(1:4) END-IF\n\
             MOVE 1 TO A2\n EXEC CICS FORMATTIME ABSTIME(A2) YYYYMMDD(D2) DATESEP END-EXEC\n\
             MOVE D2 TO DFHCOMMAREA(6:10)\n GOBACK.\n",
        )
        .run("A", &" ".repeat(40))
        .play();
    assert_eq!(played.commarea(0).trim_end(), "same 1900/01/01");
}

#[test]
fn storage_comes_filled_and_goes_back_once() {
    let played = CobolHarness::new()
        .program(
            "A",
            "01 P POINTER.\n01 R PIC S9(8) COMP.\n01 D PIC 999.",
            "01 V PIC X(1000).\n01 DFHCOMMAREA PIC X(40).",
            "EXEC CICS GETMAIN SET(P) FLENGTH(1000) INITIMG(\"*\") END-EXEC\n\
             SET ADDRESS OF V TO P\n MOVE V(1000:1) TO DFHCOMMAREA(1:1)\n\
             EXEC CICS FREEMAIN DATA(V) RESP(R) END-EXEC\n MOVE R TO D MOVE D TO DFHCOMMAREA(3:3)\n\
             EXEC CICS FREEMAIN DATAPOINTER(P) RESP(R) END-EXEC\n MOVE R TO D MOVE D TO DFHCOMMAREA(7:3)\n\
             EXEC CICS GETMAIN SET(P) FLENGTH(0) RESP(R) END-EXEC\n MOVE R TO D MOVE D TO DFHCOMMAREA(11:3)\n\
             EXEC CICS ADDRESS TWA(P) END-EXEC\n SET ADDRESS OF V TO P\n MOVE \"twa\" TO V(1:3)\n\
             MOVE V(1:3) TO DFHCOMMAREA(15:3)\n\
             EXEC CICS ADDRESS COMMAREA(P) END-EXEC\n SET ADDRESS OF V TO P\n MOVE \"ca\" TO V(19:2)\n\
             EXEC CICS ADDRESS CWA(P) END-EXEC\n IF P = NULL MOVE \"null\" TO DFHCOMMAREA(22:4) END-IF\n GOBACK.\n",
        )
        .run("A", &" ".repeat(40))
        .play();
    assert_eq!(played.commarea(0).trim_end(), "* 000 016 022 twa ca null");
}

#[test]
fn external_items_are_shared_within_a_task_and_empty_in_the_next() {
    let played = CobolHarness::new()
        .plain(
            "SUB",
            "IDENTIFICATION DIVISION.\nPROGRAM-ID. SUB.\nDATA DIVISION.\n\
             WORKING-STORAGE SECTION.\n01 SECRET PIC X(6) EXTERNAL.\n\
             PROCEDURE DIVISION.\nMOVE \"card 7\" TO SECRET.\nGOBACK.\n",
        )
        .program(
            "A",
            "01 SECRET PIC X(6) EXTERNAL.\n01 WS-BEFORE PIC X(6).",
            "01 DFHCOMMAREA PIC X(20).",
            "MOVE SECRET TO WS-BEFORE\n CALL \"SUB\"\n\
             IF WS-BEFORE = LOW-VALUES MOVE \"empty\" TO WS-BEFORE END-IF\n\
             STRING WS-BEFORE \"/\" SECRET DELIMITED BY SIZE INTO DFHCOMMAREA\n GOBACK.\n",
        )
        .run("A", &" ".repeat(20))
        .run("A", &" ".repeat(20))
        .play();
    for task in 0..2 {
        assert_eq!(played.commarea(task).trim_end(), "empty /card 7");
    }
}

#[test]
fn assign_returns_existing_values_and_raises_invreq_for_missing_ones() {
    let played = CobolHarness::new()
        .program(
            "A",
            "01 A8 PIC X(8).\n01 S4 PIC X(4).\n01 C2 PIC X(2).\n01 T PIC S9(4) COMP.\n01 H PIC S9(4) COMP VALUE 7.\n\
             01 R PIC S9(8) COMP.\n01 R2 PIC S9(8) COMP.\n01 D PIC 999.",
            "01 DFHCOMMAREA PIC X(60).",
            "EXEC CICS ASSIGN APPLID(A8) SYSID(S4) STARTCODE(C2) TWALENG(T) END-EXEC\n MOVE T TO D\n\
             STRING A8 S4 C2 D EIBTRNID DELIMITED BY SIZE INTO DFHCOMMAREA\n\
             EXEC CICS ASSIGN SCRNHT(H) APPLID(S4) RESP(R) RESP2(R2) END-EXEC\n\
             MOVE R TO D MOVE D TO DFHCOMMAREA(30:3) MOVE R2 TO D MOVE D TO DFHCOMMAREA(34:3)\n\
             MOVE S4 TO DFHCOMMAREA(38:4)\n GOBACK.\n",
        )
        .task(json!({"program": "A", "transid": "TEST", "commarea": " ".repeat(60)}))
        .play();
    assert_eq!(
        played.commarea(0).trim_end(),
        "TESTAPPLTST1U 016TEST        016 001 TEST"
    );
}

#[test]
fn deedit_load_and_release_do_as_documented() {
    let played = CobolHarness::new()
        .program("B", "", "", "MOVE \"called\" TO DFHCOMMAREA\n GOBACK.\n")
        .program(
            "A",
            "01 F PIC X(9) VALUE \"14-6704/B\".\n01 P PROCEDURE-POINTER.\n01 R PIC S9(8) COMP.\n01 D PIC 999.",
            "01 DFHCOMMAREA PIC X(100).",
            "EXEC CICS BIF DEEDIT FIELD(F) LENGTH(9) END-EXEC\n MOVE F TO DFHCOMMAREA(20:9)\n\
             EXEC CICS RELEASE PROGRAM(\"B\") RESP(R) END-EXEC\n MOVE R TO D MOVE D TO DFHCOMMAREA(30:3)\n\
             EXEC CICS LOAD PROGRAM(\"B\") ENTRY(P) END-EXEC\n\
             EXEC CICS RELEASE PROGRAM(\"B\") RESP(R) END-EXEC\n MOVE R TO D MOVE D TO DFHCOMMAREA(34:3)\n\
             EXEC CICS LOAD PROGRAM(\"NOSUCH\") RESP(R) END-EXEC\n MOVE R TO D MOVE D TO DFHCOMMAREA(38:3)\n GOBACK.\n",
        )
        .run("A", &" ".repeat(100))
        .play();
    assert_eq!(played.commarea(0).trim(), "00146704B 016 000 027");
}
