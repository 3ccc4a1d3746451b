//! Cards, pasted text, and their errors.

use super::*;

fn names(found: &ParsedStatements) -> Vec<(&str, &str)> {
    found
        .statements
        .iter()
        .map(|s| (s.name.as_str(), s.verb.as_str()))
        .collect()
}

#[test]
fn operands_that_moved_to_column_1_still_belong_to_their_statement() {
    let p = read("BATCH MODEENT LOGMODE=#BATCH,\nRUSIZES=X'8787',\nCOS=#BATCH\n MODEEND\n");
    assert_eq!(names(&p), [("BATCH", "MODEENT"), ("", "MODEEND")]);
    let operands: Vec<&str> = p.statements[0].operands.iter().map(|o| &*o.name).collect();
    assert_eq!(operands, ["LOGMODE", "RUSIZES", "COS"]);
    assert_eq!(p.diagnostics.len(), 2);
}

#[test]
fn a_mode_table_with_continuations_is_read() {
    let line = |text: &str| format!("{text:<71}X\n");
    let text = format!(
        "* bulk modes\nTUNEMODE MODETAB\n{}{}               COS=#BATCH      low\n         MODEEND\n",
        line("BATCH    MODEENT LOGMODE=#BATCH,RUSIZES=X'8D8D',"),
        line("               PSNDPAC=X'3F',SSNDPAC=X'3F',SRCVPAC=X'3F',"),
    );
    let p = read(&text);
    assert_eq!(p.diagnostics, []);
    assert_eq!(
        names(&p),
        [
            ("TUNEMODE", "MODETAB"),
            ("BATCH", "MODEENT"),
            ("", "MODEEND")
        ]
    );
    let m = &p.statements[1];
    assert_eq!(
        m.operand("RUSIZES").map(|o| o.value.as_str()),
        Some("X'8D8D'")
    );
    let cos = m.operand("COS").unwrap();
    assert_eq!(
        (cos.value.as_str(), cos.at),
        (
            "#BATCH",
            LineColumn {
                line: 5,
                column: 16
            }
        )
    );
}

#[test]
fn a_comma_continues_a_line_that_lost_its_column_72() {
    let p = read("HOST1 HOST UNITSZ=384,\n  MAXBFRU=40,INBFRS=40\nP PU\n");
    assert_eq!(names(&p), [("HOST1", "HOST"), ("P", "PU")]);
    assert_eq!(p.statements[0].operands.len(), 3);
    assert!(p.diagnostics[0].message.contains("column 72"));
}

#[test]
fn remarks_after_operands_and_misplaced_marks_do_not_end_a_statement() {
    let line = |text: &str| format!("{text:<71}X\n");
    let text = format!(
        "{}{}  RUSIZES=X'8787'\nB MODEENT LOGMODE=B,     X\n  COS=#BATCH\n",
        line("A        MODEENT LOGMODE=A,             a remark"),
        line("               FMPROF=X'13',            FM profile 19"),
    );
    let t = read(&text);
    assert_eq!(names(&t), [("A", "MODEENT"), ("B", "MODEENT")]);
    assert_eq!(t.statements[0].operands.len(), 3);
    assert_eq!(t.statements[1].operands.len(), 2);
    assert_eq!(t.diagnostics.len(), 1);
}

#[test]
fn start_options_may_have_remarks() {
    let t = options(
        "SSCPID=01,            /* who I am          */+\nCOLD,\n\
         IOBUF=(50,4016,40,F), /* fixed             */+\nCONFIG=00\n",
    );
    assert_eq!(t.diagnostics, []);
    let operands: Vec<_> = t.statements[0].operands.iter().collect();
    assert_eq!(operands.len(), 4);
    assert_eq!(operands[2].list(), ["50", "4016", "40", "F"]);
    assert_eq!(operands[2].at, LineColumn { line: 3, column: 1 });
}

#[test]
fn lists_quotes_and_comments_are_kept_apart() {
    let p = read("L LINE ADDRESS=(16,FULL),T2TIMER=(1,1.8),COMMENT='A, B' the ring\n");
    let l = &p.statements[0];
    assert_eq!(l.operands.len(), 3);
    assert_eq!(l.operand("T2TIMER").unwrap().list(), ["1", "1.8"]);
    assert_eq!(l.operand("COMMENT").unwrap().value, "'A, B'");
}

#[test]
fn unclosed_parentheses_are_reported() {
    let p = read("L LINE ADDRESS=(16,\n");
    assert_eq!(p.diagnostics.len(), 2);
    assert_eq!(p.statements[0].operands.len(), 1);
}

#[test]
fn a_line_longer_than_a_card_is_read_to_its_end() {
    let long = "L1       LINE  ADDRESS=(1088,FULL),MAXTSL=2044,RCVBUFC=4095,TRSPEED=16,T2TIMER=(1.5,2.0,1)";
    let found = read(&format!("{long}\nP1       PU    MAXOUT=7\n"));
    assert_eq!(found.statements.len(), 2);
    assert_eq!(found.statements[0].operands.len(), 5);
    assert_eq!(found.statements[0].operands[4].value, "(1.5,2.0,1)");
    assert_eq!(found.diagnostics.len(), 1);
    // Eighty columns with a sequence number are a card.
    let card = format!("{:71} {:8}", "L1       LINE  MAXTSL=2044", "00010000");
    assert_eq!(read(&card).diagnostics.len(), 0);
    assert_eq!(read(&card).statements[0].operands.len(), 1);
}
