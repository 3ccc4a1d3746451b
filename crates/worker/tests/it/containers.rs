//! Channels and containers as programs use them.

use serde_json::json;

use crate::cobol::CobolHarness;

#[test]
fn a_request_channel_is_read_and_answered() {
    let played = CobolHarness::new()
        .program(
            "A",
            "01 W PIC X(20).\n01 L PIC S9(8) COMP.\n01 D PIC 9(4).\n01 CNAME PIC X(16).\n01 R PIC S9(8) COMP.",
            "",
            "EXEC CICS ASSIGN CHANNEL(CNAME) END-EXEC\n MOVE 20 TO L\n\
             EXEC CICS GET CONTAINER(\"IN\") INTO(W) FLENGTH(L) RESP(R) END-EXEC\n MOVE L TO D\n\
             EXEC CICS PUT CONTAINER(\"LEN\") FROM(D) CHAR END-EXEC\n\
             EXEC CICS PUT CONTAINER(\"OUT\") FROM(CNAME) FLENGTH(4) END-EXEC\n\
             EXEC CICS PUT CONTAINER(\"OUT\") FROM(W) FLENGTH(5) APPEND END-EXEC\n\
             MOVE 3 TO L\n EXEC CICS GET CONTAINER(\"IN\") INTO(W) FLENGTH(L) RESP(R) END-EXEC\n\
             MOVE R TO D\n EXEC CICS PUT CONTAINER(\"SHORT\") FROM(D) END-EXEC\n\
             EXEC CICS DELETE CONTAINER(\"IN\") END-EXEC\n\
             EXEC CICS GET CONTAINER(\"IN\") INTO(W) RESP(R) END-EXEC\n\
             MOVE R TO D\n EXEC CICS PUT CONTAINER(\"GONE\") FROM(D) END-EXEC\n GOBACK.\n",
        )
        .task(json!({"program": "A", "channel": "CHAN", "containers": {"IN": "hello"}}))
        .play();
    let end = played.end(0);
    assert!(end["abend"].is_null(), "{end}");
    assert_eq!(
        end["containers"],
        json!({"LEN": "0005", "OUT": "CHANhello", "SHORT": "0022", "GONE": "0110"})
    );
}

#[test]
fn a_channel_goes_to_the_linked_program_and_comes_back() {
    let played = CobolHarness::new()
        .program(
            "B",
            "01 W PIC X(4).\n01 N PIC S9(8) COMP.\n01 D PIC 9.\n01 R PIC S9(8) COMP.\n01 R2 PIC S9(8) COMP.\n01 E PIC 999.",
            "",
            "EXEC CICS GET CONTAINER(\"Q\") INTO(W) END-EXEC\n\
             EXEC CICS QUERY CHANNEL(\"MINE\") CONTAINERCNT(N) END-EXEC\n MOVE N TO D\n\
             EXEC CICS PUT CONTAINER(\"A\") FROM(D) END-EXEC\n\
             EXEC CICS GET CONTAINER(\"Q\") CHANNEL(\"HIDDEN\") INTO(W) RESP(R) RESP2(R2) END-EXEC\n\
             MOVE R TO E\n EXEC CICS PUT CONTAINER(\"R\") FROM(E) END-EXEC\n GOBACK.\n",
        )
        .program(
            "A",
            "01 W PIC X(4) VALUE \"ask\".\n01 E PIC 999.\n01 R PIC S9(8) COMP.\n01 R2 PIC S9(8) COMP.",
            "01 DFHCOMMAREA.\n05 OUT PIC X(20).",
            "EXEC CICS PUT CONTAINER(\"Q\") CHANNEL(\"MINE\") FROM(W) END-EXEC\n\
             EXEC CICS PUT CONTAINER(\"Q\") CHANNEL(\"HIDDEN\") FROM(W) END-EXEC\n\
             EXEC CICS LINK PROGRAM(\"B\") CHANNEL(\"MINE\") END-EXEC\n\
             EXEC CICS GET CONTAINER(\"A\") CHANNEL(\"MINE\") INTO(OUT(1:1)) END-EXEC\n\
             EXEC CICS GET CONTAINER(\"R\") CHANNEL(\"MINE\") INTO(OUT(3:3)) END-EXEC\n\
             EXEC CICS GET CONTAINER(\"A\") INTO(OUT(1:1)) RESP(R) RESP2(R2) END-EXEC\n\
             MOVE R TO E\n MOVE E TO OUT(7:3)\n MOVE R2 TO E\n MOVE E TO OUT(11:3)\n\
             EXEC CICS PUT CONTAINER(\"A\") CHANNEL(\"BAD NAME\") FROM(W) RESP(R) END-EXEC\n\
             MOVE R TO E\n MOVE E TO OUT(15:3)\n GOBACK.\n",
        )
        .run("A", &" ".repeat(20))
        .play();
    assert_eq!(played.commarea(0).trim_end(), "1 122 016 004 122");
}

#[test]
fn containers_are_browsed_moved_and_converted() {
    let played = CobolHarness::new()
        .program(
            "A",
            "01 T PIC S9(8) COMP.\n01 N PIC X(16).\n01 R PIC S9(8) COMP VALUE 0.\n01 P POINTER.\n\
             01 L PIC S9(8) COMP.\n01 W PIC X(5) VALUE \"HELLO\".\n01 X PIC X(5).",
            "01 V PIC X(3).\n01 DFHCOMMAREA.\n05 OUT PIC X(40).",
            "EXEC CICS PUT CONTAINER(\"T1\") CHANNEL(\"C\") FROM(W) CHAR END-EXEC\n\
             EXEC CICS PUT CONTAINER(\"T2\") CHANNEL(\"C\") FROM(W) CHAR END-EXEC\n\
             EXEC CICS MOVE CONTAINER(\"T2\") CHANNEL(\"C\") AS(\"T3\") TOCHANNEL(\"C\") END-EXEC\n\
             EXEC CICS STARTBROWSE CONTAINER CHANNEL(\"C\") BROWSETOKEN(T) END-EXEC\n\
             PERFORM UNTIL R NOT = 0\n\
             EXEC CICS GETNEXT CONTAINER(N) BROWSETOKEN(T) RESP(R) END-EXEC\n\
             IF R = 0 STRING OUT DELIMITED BY SPACE N DELIMITED BY SPACE INTO OUT END-IF\n END-PERFORM\n\
             EXEC CICS ENDBROWSE CONTAINER BROWSETOKEN(T) END-EXEC\n\
             EXEC CICS GET CONTAINER(\"T1\") CHANNEL(\"C\") INTO(X) INTOCCSID(37) END-EXEC\n\
             IF X = X\"C8C5D3D3D6\" MOVE \"ebcdic\" TO OUT(6:6) END-IF\n\
             EXEC CICS PUT CONTAINER(\"T4\") CHANNEL(\"C\") FROM(X) FROMCCSID(37) END-EXEC\n\
             EXEC CICS GET CONTAINER(\"T4\") CHANNEL(\"C\") SET(P) FLENGTH(L) BYTEOFFSET(2) END-EXEC\n\
             SET ADDRESS OF V TO P\n MOVE V TO OUT(13:3)\n\
             IF L = 3 MOVE \"3\" TO OUT(17:1) END-IF\n\
             EXEC CICS GET CONTAINER(\"T4\") CHANNEL(\"C\") NODATA FLENGTH(L) END-EXEC\n\
             IF L = 5 MOVE \"5\" TO OUT(18:1) END-IF\n GOBACK.\n",
        )
        .run("A", &" ".repeat(40))
        .play();
    assert_eq!(played.commarea(0).trim_end(), "T1T3 ebcdic LLO 35");
}

#[test]
fn a_container_is_read_in_parts_until_its_end() {
    let played = CobolHarness::new()
        .program(
            "A",
            "01 W PIC X(5) VALUE \"HELLO\".\n01 X PIC X(2).\n01 O PIC S9(8) COMP VALUE 0.\n\
             01 R PIC S9(8) COMP VALUE 0.\n01 E PIC 999.",
            "01 DFHCOMMAREA.\n05 OUT PIC X(40).",
            "EXEC CICS PUT CONTAINER(\"T\") CHANNEL(\"C\") FROM(W) BIT END-EXEC\n\
             PERFORM UNTIL R NOT = 0\n MOVE SPACES TO X\n\
             EXEC CICS GET CONTAINER(\"T\") CHANNEL(\"C\") INTO(X) FLENGTH(LENGTH OF X)\n\
             BYTEOFFSET(O) RESP(R) END-EXEC\n\
             MOVE R TO E\n STRING OUT DELIMITED BY SPACE E DELIMITED BY SIZE\n\
             X DELIMITED BY SIZE INTO OUT\n ADD 2 TO O\n END-PERFORM\n GOBACK.\n",
        )
        .run("A", &" ".repeat(40))
        .play();
    assert_eq!(played.commarea(0).trim_end(), "000HE000LL000O022");
}

/// "An attempt was made to change the data-type of an existing container":
/// INVREQ, RESP2 33.
#[test]
fn a_container_keeps_the_type_it_was_made_with() {
    let played = CobolHarness::new()
        .program(
            "A",
            "01 W PIC X(5) VALUE \"HELLO\".\n01 X PIC X(5).\n01 R PIC S9(8) COMP.\n01 R2 PIC S9(8) COMP.\n01 E PIC 999.",
            "01 DFHCOMMAREA.\n05 OUT PIC X(40).",
            "EXEC CICS PUT CONTAINER(\"T\") CHANNEL(\"C\") FROM(W) CHAR END-EXEC\n\
             EXEC CICS PUT CONTAINER(\"T\") CHANNEL(\"C\") FROM(W) BIT RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
             EXEC CICS PUT CONTAINER(\"T\") CHANNEL(\"C\") FROM(W) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
             EXEC CICS PUT CONTAINER(\"T\") CHANNEL(\"C\") FROM(W) DATATYPE(R) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
             EXEC CICS PUT CONTAINER(\"N\") CHANNEL(\"C\") FROM(W) DATATYPE(DFHVALUE(BIT)) FROMCCSID(37) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
             EXEC CICS GET CONTAINER(\"T\") CHANNEL(\"C\") INTO(X) INTOCCSID(37) END-EXEC\n\
             IF X = X\"C8C5D3D3D6\" MOVE \"ebcdic\" TO OUT(33:6) END-IF\n GOBACK.\n\
             SAY.\n MOVE R TO E\n STRING OUT DELIMITED BY SPACE \"|\" E DELIMITED BY SIZE INTO OUT\n\
             MOVE R2 TO E\n STRING OUT DELIMITED BY SPACE \",\" E DELIMITED BY SIZE INTO OUT.\n",
        )
        .run("A", &" ".repeat(40))
        .play();
    assert_eq!(
        played.commarea(0),
        "|016,033|000,000|016,032|016,034ebcdic  "
    );
}
