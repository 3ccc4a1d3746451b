//! File commands over files in memory.

use serde_json::json;

use crate::cobol::CobolHarness;

const STORAGE: &str = "01 K PIC X(4).\n01 REC.\n05 RK PIC X(4).\n05 RT PIC X(6).\n01 R PIC S9(8) COMP.\n\
    01 R2 PIC S9(8) COMP.\n01 L PIC S9(4) COMP.\n01 TOK PIC S9(8) COMP.\n01 D PIC 999.\n01 E PIC 999.\n\
    01 P POINTER.\n01 N PIC S9(4) COMP.";
const AREA: &str = "01 V PIC X(10).\n01 DFHCOMMAREA.\n05 OUT PIC X(100).";

const SAY: &str = "SAY.\n MOVE R TO D\n MOVE R2 TO E\n\
    STRING OUT DELIMITED BY SPACE \"|\" D \",\" E DELIMITED BY SIZE INTO OUT.\n\
    SHOW.\n STRING OUT DELIMITED BY SPACE \"|\" RK DELIMITED BY SIZE INTO OUT.\n";

fn harness(procedure: &str) -> CobolHarness {
    CobolHarness::new()
        .file(
            "F",
            10,
            true,
            &["0010 first", "0020 secon", "0030 third", "1000 last."],
        )
        .program("A", STORAGE, AREA, &format!("{procedure}\n GOBACK.\n{SAY}"))
}

fn out(harness: CobolHarness) -> String {
    harness
        .run("A", &" ".repeat(100))
        .play()
        .commarea(0)
        .trim_end()
        .to_owned()
}

#[test]
fn records_are_read_by_key_part_of_key_or_next_key() {
    let text = out(harness(
        "MOVE \"0020\" TO K\n EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) END-EXEC\n PERFORM SHOW\n\
         MOVE \"0011\" TO K\n EXEC CICS READ DATASET(\"F\") INTO(REC) RIDFLD(K) GTEQ END-EXEC\n PERFORM SHOW\n\
         MOVE \"10\" TO K\n EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) KEYLENGTH(2) GENERIC END-EXEC\n PERFORM SHOW\n\
         MOVE \"0011\" TO K\n EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) KEYLENGTH(3) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) KEYLENGTH(4) GENERIC RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         MOVE \"0010\" TO K MOVE 6 TO L\n EXEC CICS READ FILE(\"F\") INTO(REC) LENGTH(L) RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         MOVE L TO R MOVE 0 TO R2 PERFORM SAY\n\
         EXEC CICS READ FILE(\"F\") SET(P) RIDFLD(K) END-EXEC\n SET ADDRESS OF V TO P\n MOVE V TO REC PERFORM SHOW\n\
         EXEC CICS READ FILE(\"G\") INTO(REC) RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY.",
    ));
    assert_eq!(
        text,
        "|0020|0020|1000|013,080|016,026|016,025|022,011|010,000|0010|012,001"
    );
}

#[test]
fn updates_need_the_record_that_was_read_for_them() {
    let text = out(harness(
        "MOVE \"0020\" TO K\n EXEC CICS REWRITE FILE(\"F\") FROM(REC) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) UPDATE END-EXEC\n\
         EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) UPDATE RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         MOVE \"newtxt\" TO RT\n EXEC CICS REWRITE FILE(\"F\") FROM(REC) END-EXEC\n\
         EXEC CICS SYNCPOINT END-EXEC\n\
         EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) UPDATE TOKEN(TOK) END-EXEC\n MOVE RT TO RK PERFORM SHOW\n\
         EXEC CICS DELETE FILE(\"F\") TOKEN(TOK) END-EXEC\n\
         EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS SYNCPOINT ROLLBACK END-EXEC\n\
         EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS DELETE FILE(\"F\") RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS DELETE FILE(\"F\") TOKEN(TOK) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS UNLOCK FILE(\"F\") END-EXEC.",
    ));
    assert_eq!(
        text,
        "|016,030|016,028|newt|013,080|000,000|016,031|016,047"
    );
}

#[test]
fn records_are_added_and_deleted_with_the_manuals_answers() {
    let text = out(harness(
        "MOVE \"0015 added\" TO REC MOVE RK TO K\n\
         EXEC CICS WRITE FILE(\"F\") FROM(REC) RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS WRITE FILE(\"F\") FROM(REC) RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         MOVE \"0016\" TO K\n EXEC CICS WRITE FILE(\"F\") FROM(REC) RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS WRITE FILE(\"F\") FROM(REC) LENGTH(11) RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS DELETE FILE(\"F\") RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         MOVE \"00\" TO K\n EXEC CICS DELETE FILE(\"F\") RIDFLD(K) KEYLENGTH(2) GENERIC NUMREC(N) END-EXEC\n\
         MOVE N TO R MOVE 0 TO R2 PERFORM SAY.",
    ));
    assert_eq!(text, "|000,000|014,150|016,023|016,023|013,080|004,000");
}

#[test]
fn a_browse_turns_round_skips_and_ends() {
    let text = out(harness(
        "MOVE \"0011\" TO K\n EXEC CICS STARTBR FILE(\"F\") RIDFLD(K) END-EXEC\n\
         PERFORM NX PERFORM NX PERFORM PV PERFORM PV PERFORM PV PERFORM PV PERFORM NX\n\
         MOVE \"0900\" TO K PERFORM NX PERFORM NX PERFORM PV\n\
         MOVE \"0020\" TO K\n EXEC CICS RESETBR FILE(\"F\") RIDFLD(K) END-EXEC\n PERFORM PV\n\
         EXEC CICS STARTBR FILE(\"F\") RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS ENDBR FILE(\"F\") END-EXEC\n PERFORM NX\n GOBACK.\n\
         NX.\n EXEC CICS READNEXT FILE(\"F\") INTO(REC) RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n\
         IF R = 0 IF K NOT = RK MOVE \"????\" TO RK END-IF\n PERFORM SHOW ELSE PERFORM SAY END-IF.\n\
         PV.\n EXEC CICS READPREV FILE(\"F\") INTO(REC) RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n\
         IF R = 0 PERFORM SHOW ELSE PERFORM SAY END-IF.\n XX.",
    ));
    assert_eq!(
        text,
        "|0020|0030|0030|0020|0010|020,090|0010|1000|020,090|1000|0020|016,033|016,034"
    );
}

#[test]
fn browses_start_by_part_of_a_key_at_the_end_and_by_number() {
    let text = out(harness(
        "MOVE HIGH-VALUES TO K\n EXEC CICS STARTBR FILE(\"F\") RIDFLD(K) END-EXEC\n\
         EXEC CICS READPREV FILE(\"F\") INTO(REC) RIDFLD(K) END-EXEC\n PERFORM SHOW\n\
         MOVE \"003\" TO K\n EXEC CICS STARTBR FILE(\"F\") RIDFLD(K) KEYLENGTH(3) GENERIC REQID(2) END-EXEC\n\
         EXEC CICS READNEXT FILE(\"F\") INTO(REC) RIDFLD(K) REQID(2) END-EXEC\n PERFORM SHOW\n\
         EXEC CICS READPREV FILE(\"F\") INTO(REC) RIDFLD(K) REQID(2) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS ENDBR FILE(\"F\") REQID(2) END-EXEC\n\
         MOVE \"0015\" TO K\n EXEC CICS STARTBR FILE(\"F\") RIDFLD(K) EQUAL REQID(3) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS STARTBR FILE(\"F\") RIDFLD(K) REQID(3) END-EXEC\n\
         EXEC CICS READPREV FILE(\"F\") INTO(REC) RIDFLD(K) REQID(3) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS READNEXT FILE(\"F\") INTO(REC) RIDFLD(K) REQID(3) UPDATE TOKEN(TOK) END-EXEC\n\
         MOVE \"upd\" TO RT\n EXEC CICS REWRITE FILE(\"F\") FROM(REC) TOKEN(TOK) END-EXEC\n\
         EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) END-EXEC\n MOVE RT TO RK PERFORM SHOW\n\
         EXEC CICS ENDBR FILE(\"F\") REQID(9) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY.",
    ));
    assert_eq!(text, "|1000|0030|016,024|013,080|013,080|upd|016,035");
}

#[test]
fn what_a_file_does_not_allow_is_refused() {
    let played = CobolHarness::new()
        .file("F", 10, false, &["0010 first"])
        .file_with("add", json!(false))
        .file("G", 10, false, &["0010 first"])
        .file_with("enabled", json!(false))
        .program(
            "A",
            STORAGE,
            AREA,
            &format!(
                "MOVE \"0010\" TO K RK\n\
                 EXEC CICS WRITE FILE(\"F\") FROM(REC) RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
                 EXEC CICS READ FILE(\"G\") INTO(REC) RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
                 MOVE 20 TO L\n EXEC CICS READ FILE(\"F\") INTO(REC) LENGTH(L) RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
                 EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) RBA RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
                 GOBACK.\n{SAY}"
            ),
        )
        .run("A", &" ".repeat(100))
        .play();
    assert_eq!(
        played.commarea(0).trim_end(),
        "|016,020|084,050|022,013|016,044"
    );
}

/// READ, STARTBR and DELETE, INVREQ: 25 at the full length or above, 26 for
/// another length without GENERIC, 42 below zero.
#[test]
fn generic_key_lengths_have_the_manuals_answers() {
    let text = out(harness(
        "MOVE \"0010\" TO K\n MOVE -1 TO N\n\
         EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) KEYLENGTH(N) GENERIC RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS STARTBR FILE(\"F\") RIDFLD(K) KEYLENGTH(5) GENERIC RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS DELETE FILE(\"F\") RIDFLD(K) KEYLENGTH(4) GENERIC RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY.",
    ));
    assert_eq!(text, "|016,042|016,025|016,025");
}

/// "The SYSID option specifies a name that is neither the local region nor a
/// remote region": SYSIDERR, RESP2 130.
#[test]
fn files_of_other_systems_are_not_known() {
    let text = out(harness(
        "MOVE \"0010\" TO K RK\n\
         EXEC CICS READ FILE(\"F\") SYSID(\"REMO\") INTO(REC) LENGTH(10) RIDFLD(K) KEYLENGTH(4) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS WRITE FILE(\"F\") SYSID(\"REMO\") FROM(REC) LENGTH(10) RIDFLD(K) KEYLENGTH(4) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS STARTBR FILE(\"F\") SYSID(\"REMO\") RIDFLD(K) KEYLENGTH(4) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS READ FILE(\"F\") SYSID(\"TST1\") INTO(REC) LENGTH(10) RIDFLD(K) KEYLENGTH(4) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY.",
    ));
    assert_eq!(text, "|053,130|053,130|053,130|000,000");
}

/// READ, INVREQ 28: a second READ UPDATE TOKEN of a record that the task holds.
/// WRITE, LENGERR 12 and 14, INVREQ 23 and 26: lengths of records and keys.
#[test]
fn a_record_is_held_once_and_must_hold_its_key() {
    let text = out(harness(
        "MOVE \"0010\" TO K\n\
         EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) UPDATE TOKEN(TOK) END-EXEC\n\
         EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) UPDATE TOKEN(TOK) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) UPDATE RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         MOVE \"0020\" TO K\n\
         EXEC CICS READ FILE(\"F\") INTO(REC) RIDFLD(K) UPDATE TOKEN(TOK) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         MOVE \"0040\" TO K RK\n\
         EXEC CICS WRITE FILE(\"F\") FROM(REC) LENGTH(3) RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY\n\
         EXEC CICS WRITE FILE(\"F\") FROM(REC) LENGTH(4) RIDFLD(K) RESP(R) RESP2(R2) END-EXEC\n PERFORM SAY.",
    ));
    assert_eq!(text, "|016,028|016,028|000,000|016,023|000,000");
}
