//! The uses that programs show of their records.

use super::*;

const RECORD: &str = "       01  R.
           05  ASKED PIC 9(4).
           05  GIVEN PIC X(4).
           05  BOTH PIC 9(4).
           05  UNUSED PIC X.
           05  STATUS-CODE PIC 9.
               88  IS-GOOD VALUE 0.
           05  G.
               10  INNER PIC X.
           05  SHOWN PIC X(6).
           05  HIDDEN REDEFINES SHOWN PIC 9(6).
           05  H.
               10  OTHER PIC X.
               10  TWICE PIC X.
           05  I.
               10  TWICE PIC X.
";

/// The fields of the record that this program reads and writes, as the
/// names of the former and of the latter.
fn sorted(record: &str, program: &str) -> (String, String) {
    let options = copybook::ParseOptions::default();
    let layout = copybook::parse(record, &options).unwrap().remove(0);
    let usage = Usage::of(&layout, program, &[]);
    let leaves = || {
        layout
            .leaves()
            .filter_map(|(id, f)| Some((id, f.name.as_deref()?)))
    };
    let names = |goes: &dyn Fn(FieldId) -> bool| {
        let those: Vec<&str> = leaves()
            .filter(|(id, _)| goes(*id))
            .map(|(_, n)| n)
            .collect();
        those.join(" ")
    };
    (
        names(&|id| usage.goes_in(&layout, id)),
        names(&|id| usage.comes_out(&layout, id)),
    )
}

/// The same for one field, with these statements.
fn ways(field: &str, statements: &str) -> (bool, bool) {
    let program = format!("       PROCEDURE DIVISION.\n{}", lines(statements));
    let (goes_in, comes_out) = sorted(RECORD, &program);
    let has = |names: &str| names.split(' ').any(|name| name == field);
    (has(&goes_in), has(&comes_out))
}

/// A line for each word, within columns 12 to 72.
fn lines(statements: &str) -> String {
    let words = statements.split_whitespace();
    words.map(|word| format!("           {word}\n")).collect()
}

const IN: (bool, bool) = (true, false);
const OUT: (bool, bool) = (false, true);
const BOTH: (bool, bool) = (true, true);

#[test]
fn what_is_read_goes_in_and_what_is_written_comes_out() {
    let program = "       PROCEDURE DIVISION.
           SET ADDRESS OF R TO ADDRESS OF DFHCOMMAREA
      *    MOVE GIVEN TO ASKED
           IF ASKED > 5 MOVE 'GIVEN' TO GIVEN END-IF
           ADD 1 TO BOTH
           SET IS-GOOD TO TRUE
           EXEC CICS READ INTO(G) END-EXEC
           COMPUTE BOTH = ASKED * 2.
";
    let (goes_in, comes_out) = sorted(RECORD, program);
    assert_eq!(goes_in, "ASKED BOTH UNUSED SHOWN HIDDEN OTHER TWICE TWICE");
    assert_eq!(
        comes_out,
        "GIVEN BOTH UNUSED STATUS-CODE INNER SHOWN HIDDEN OTHER TWICE TWICE"
    );
    // No use found: both ways.
    let all = "ASKED GIVEN BOTH UNUSED STATUS-CODE INNER SHOWN HIDDEN OTHER TWICE TWICE";
    assert_eq!(sorted(RECORD, ""), (all.to_owned(), all.to_owned()));
}

#[test]
fn a_comparison_with_the_word_to_reads() {
    for test in ["X IS EQUAL TO", "5 GREATER THAN OR EQUAL TO"] {
        let text = format!("IF {test} ASKED MOVE 1 TO BOTH END-IF.");
        assert_eq!(ways("ASKED", &text), IN, "{text}");
        // No visible write.
        assert_eq!(
            ways("ASKED", &text.replace("MOVE 1 TO BOTH", "CONTINUE")),
            BOTH
        );
    }
}

#[test]
fn storage_is_read_and_written_through_each_of_its_descriptions() {
    let text = "MOVE SPACES TO SHOWN. IF HIDDEN > 5 CONTINUE.";
    assert_eq!(ways("SHOWN", text), BOTH);
    assert_eq!(ways("SHOWN", "MOVE 5 TO HIDDEN."), OUT);
    let text = "IF HIDDEN > 5 MOVE 1 TO BOTH.";
    assert_eq!(ways("SHOWN", text), IN);
}

#[test]
fn what_is_handed_on_goes_both_ways() {
    for text in [
        "EXEC CICS LINK PROGRAM('P') COMMAREA(R) END-EXEC.",
        "EXEC CICS LINK PROGRAM('P') COMMAREA(DFHCOMMAREA) LENGTH(9) END-EXEC.",
        "EXEC CICS XCTL PROGRAM('P') COMMAREA(H) END-EXEC.",
        "EXEC CICS READNEXT FILE('F') INTO(X) RIDFLD(OTHER) END-EXEC.",
        "CALL 'P' USING DFHCOMMAREA.",
        "SET ADDRESS OF ELSEWHERE TO ADDRESS OF DFHCOMMAREA.",
        "SET POINTER-1 TO ADDRESS OF H.",
    ] {
        let text = format!("MOVE 'X' TO OTHER. {text}");
        assert_eq!(ways("OTHER", &text), BOTH, "{text}");
    }
    let text = "IF OTHER = 'X' MOVE 1 TO BOTH. SET ADDRESS OF R TO ADDRESS OF DFHCOMMAREA.";
    assert_eq!(ways("OTHER", text), IN);
    assert_eq!(ways("OTHER", "MOVE LENGTH OF OTHER TO X."), BOTH);
    assert_eq!(
        ways("OTHER", "EXEC CICS ASSIGN USERID(OTHER) END-EXEC."),
        OUT
    );
    let text = "EXEC CICS READ FILE('F') INTO(H) RIDFLD(ASKED) END-EXEC.";
    assert_eq!(ways("ASKED", text), IN);
    assert_eq!(ways("OTHER", text), OUT);
}

#[test]
fn a_host_variable_of_sql_goes_both_ways() {
    let text = "MOVE 'X' TO OTHER. EXEC SQL SELECT A FROM B WHERE C = :OTHER END-EXEC.";
    assert_eq!(ways("OTHER", text), BOTH);
}

#[test]
fn arithmetic_reads_what_it_adds_to() {
    assert_eq!(ways("ASKED", "SUBTRACT 1 FROM X ASKED."), BOTH);
    assert_eq!(ways("ASKED", "ADD 1 TO X ASKED."), BOTH);
    assert_eq!(ways("ASKED", "ADD 1 X GIVING ASKED."), OUT);
    assert_eq!(
        ways("ASKED", "DIVIDE X BY 3 GIVING Y REMAINDER ASKED."),
        OUT
    );
    assert_eq!(ways("ASKED", "PERFORM P VARYING ASKED FROM 1 BY 1."), BOTH);
}

#[test]
fn a_part_that_is_written_leaves_the_rest_as_it_came() {
    assert_eq!(ways("GIVEN", "MOVE 'X' TO GIVEN(1:1)."), BOTH);
    assert_eq!(ways("GIVEN", "MOVE 'X' TO GIVEN(ASKED)."), OUT);
    assert_eq!(ways("ASKED", "MOVE 'X' TO GIVEN(ASKED)."), IN);
}

#[test]
fn a_qualified_name_means_its_own_field() {
    let (goes_in, comes_out) = sorted(
        RECORD,
        "       PROCEDURE DIVISION.
           MOVE 'X' TO TWICE OF H. IF TWICE OF I = 'X' CONTINUE.
",
    );
    assert_eq!(goes_in.matches("TWICE").count(), 1);
    assert_eq!(comes_out.matches("TWICE").count(), 1);
    // H itself was not written.
    assert!(goes_in.contains("OTHER"), "{goes_in}");
    // A group elsewhere in the program: not seen where the record is.
    assert_eq!(ways("GIVEN", "MOVE 'X' TO GIVEN OF MAP-1."), BOTH);
    let declared = format!(
        "       DATA DIVISION.\n       LINKAGE SECTION.\n{}       PROCEDURE DIVISION.
           IF ASKED > 1 MOVE 'X' TO ASKED OF MAP-1.
           MOVE 1 TO BOTH.\n",
        RECORD.replace("01  R", "01  DFHCOMMAREA")
    );
    let (goes_in, comes_out) = sorted(RECORD, &declared);
    assert!(goes_in.contains("ASKED") && !comes_out.contains("ASKED"));
}

#[test]
fn the_record_is_known_by_the_groups_that_have_its_fields() {
    let program = |statements: &str| {
        let record = RECORD.replace("01  R.", "01  ALL-OF-IT.\n         03  WS-AREA.");
        format!(
            "       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n{record}
       LINKAGE SECTION.\n       01  DFHCOMMAREA PIC X(40).
       PROCEDURE DIVISION USING DFHCOMMAREA.
{}",
            lines(statements)
        )
    };
    // Copied in and out, its fields are sorted by their uses.
    let moved = "MOVE DFHCOMMAREA TO WS-AREA. IF ASKED > 1 MOVE 'A' TO GIVEN. \
                 MOVE WS-AREA TO DFHCOMMAREA(1:EIBCALEN).";
    let (goes_in, comes_out) = sorted(RECORD, &program(moved));
    assert!(
        goes_in.contains("ASKED") && !goes_in.contains("GIVEN"),
        "{goes_in}"
    );
    assert!(
        !comes_out.contains("ASKED") && comes_out.contains("GIVEN"),
        "{comes_out}"
    );
    // Passed on by the name of its group.
    let linked = "IF ASKED > 1 MOVE 'A' TO GIVEN. \
                  EXEC CICS LINK PROGRAM('P') COMMAREA(ALL-OF-IT) END-EXEC.";
    let (goes_in, comes_out) = sorted(RECORD, &program(linked));
    assert!(goes_in.contains("GIVEN"), "{goes_in}");
    assert!(comes_out.contains("ASKED"), "{comes_out}");
}

#[test]
fn procedures_in_copy_members_count_and_those_that_are_missing_hide_everything() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("CHECKS.cpy"),
        "           IF GIVEN = 'X' CONTINUE END-IF.\n",
    )
    .unwrap();
    let options = copybook::ParseOptions::default();
    let layout = copybook::parse(RECORD, &options).unwrap().remove(0);
    let program =
        "       PROCEDURE DIVISION.\n           MOVE 'Y' TO GIVEN.\n           COPY CHECKS.\n";
    let (given, _) = layout
        .iter()
        .find(|(_, f)| f.name.as_deref() == Some("GIVEN"))
        .unwrap();
    for copies in [vec![folder.path().to_owned()], Vec::new()] {
        let usage = Usage::of(&layout, program, &copies);
        assert!(usage.goes_in(&layout, given) && usage.comes_out(&layout, given));
        assert!(!usage.is_needed(given));
    }
}
