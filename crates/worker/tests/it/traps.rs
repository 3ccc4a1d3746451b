//! Regressions in hosting libcob: a test for each fault that was found.

use serde_json::json;

use crate::cobol::CobolHarness;

const COUNTER: &str = "IDENTIFICATION DIVISION.\nPROGRAM-ID. SUB.\nDATA DIVISION.\n\
    WORKING-STORAGE SECTION.\n01 N PIC 9(4) VALUE 0.\nLINKAGE SECTION.\n01 L PIC 9(4).\n\
    PROCEDURE DIVISION USING L.\nADD 1 TO N.\nMOVE N TO L.\nGOBACK.\n";

const BAD: &str = "IDENTIFICATION DIVISION.\nPROGRAM-ID. BAD.\nDATA DIVISION.\n\
    WORKING-STORAGE SECTION.\n01 T.\n05 E PIC X OCCURS 5.\nLINKAGE SECTION.\n\
    01 L PIC 9(4).\nPROCEDURE DIVISION USING L.\nMOVE \"X\" TO E(L).\nGOBACK.\n";

#[test]
fn a_runtime_error_reaches_handle_abend_label_of_its_program() {
    let played = CobolHarness::new()
        .program(
            "A",
            "01 T.\n05 E PIC X OCCURS 5.\n01 N PIC 9(4) VALUE 77.\n01 C PIC 9 VALUE 0.\n01 AB PIC X(4).",
            "",
            "EXEC CICS HANDLE ABEND LABEL(OOPS) END-EXEC\n PERFORM WORK.\n GOBACK.\n\
             WORK.\n MOVE 77 TO N\n MOVE \"X\" TO E(N).\n\
             OOPS.\n ADD 1 TO C\n EXEC CICS ASSIGN ABCODE(AB) END-EXEC\n\
             IF C = 1 EXEC CICS HANDLE ABEND RESET END-EXEC\n PERFORM WORK END-IF\n\
             STRING \"caught \" C \" \" AB \" \" N DELIMITED BY SIZE INTO DFHCOMMAREA\n\
             EXEC CICS RETURN END-EXEC\n.",
        )
        .run("A", &" ".repeat(100))
        .run("A", &" ".repeat(100))
        .play();
    for task in 0..2 {
        let out = played.commarea(task);
        assert!(out.starts_with("caught 2 ASRA 0077"), "{:?}", played.ends);
    }
}

/// "As part of program initialization, the run time suspends the HANDLE
/// specifications of the calling program": CBLPSHPOP=ON, the default.
#[test]
fn a_callers_handle_abend_does_not_see_an_abend_of_its_subprogram() {
    let caller = |statement: &str| {
        format!(
            "EXEC CICS HANDLE ABEND LABEL(OOPS) END-EXEC\n MOVE 77 TO N\n {statement}\n GOBACK.\n\
             OOPS.\n MOVE \"caught\" TO DFHCOMMAREA\n EXEC CICS RETURN END-EXEC\n."
        )
    };
    let played = CobolHarness::new()
        .plain("BAD", BAD)
        .program("A", "01 N PIC 9(4).", "", &caller("CALL \"BAD\" USING N."))
        .program(
            "CALLER",
            "01 N PIC 9(4) VALUE 77.",
            "",
            "CALL \"BAD\" USING N.\n GOBACK.\n",
        )
        .program(
            "B",
            "01 N PIC 9(4).",
            "",
            &caller("EXEC CICS LINK PROGRAM(\"CALLER\") END-EXEC."),
        )
        .program(
            "C",
            "01 N PIC 9(4).",
            "",
            &caller("CALL \"NOSUCH\" USING N."),
        )
        .run("A", &" ".repeat(100))
        .run("B", &" ".repeat(100))
        .run("C", &" ".repeat(100))
        .play();
    assert_eq!(played.abend(0), "ASRA");
    let abend = &played.end(0)["abend"];
    let message = abend["message"].as_str().unwrap();
    assert_eq!(abend["program"], "A");
    assert!(message.ends_with("(the line is of BAD)"), "{message}");
    // The next outer level and the CALL itself behave otherwise.
    assert!(played.commarea(1).starts_with("caught"));
    assert!(played.commarea(2).starts_with("caught"));
}

#[test]
fn a_task_without_a_commarea_passes_a_null_address_on() {
    let played = CobolHarness::new()
        .program(
            "SUB",
            "",
            "",
            "IF EIBCALEN = 0 AND ADDRESS OF DFHCOMMAREA = NULL\n DISPLAY \"no commarea\"\n\
             ELSE DISPLAY DFHCOMMAREA(1:3) END-IF\n GOBACK.\n",
        )
        .program(
            "A",
            "",
            "",
            "CALL \"SUB\" USING DFHEIBLK DFHCOMMAREA.\n\
             EXEC CICS LINK PROGRAM(\"SUB\") COMMAREA(DFHCOMMAREA) LENGTH(EIBCALEN) END-EXEC\n GOBACK.\n",
        )
        .program("B", "", "", "MOVE \"x\" TO DFHCOMMAREA.\n GOBACK.\n")
        .task(json!({"program": "A"}))
        .run("A", "abc")
        .task(json!({"program": "B"}))
        .play();
    assert!(played.end(0)["abend"].is_null(), "{:?}", played.ends);
    assert_eq!(
        played.displayed,
        ["no commarea", "no commarea", "abc", "abc"]
    );
    // Using a missing item is the program's own error.
    assert_eq!(played.abend(2), "ASRA");
}

/// Principles of Operation, "Program Interruptions": data exception, decimal
/// divide exception. A task that ends in one damages nothing for the next.
#[test]
fn bad_packed_data_and_division_by_zero_end_in_asra() {
    let storage = "01 P PIC S9(5) COMP-3.\n01 PX REDEFINES P PIC X(3).\n01 Q PIC S9(5) COMP-3 VALUE 5.\n\
        01 Z PIC S9(4) COMP VALUE 0.\n01 N PIC S9(8) COMP-5 VALUE 0.\n01 F COMP-2 VALUE 0.\n01 D PIC 9(4) VALUE 0.";
    let exceptions = [
        "IF P = 5 CONTINUE END-IF",
        "IF P = Q CONTINUE END-IF",
        "IF Q < P CONTINUE END-IF",
        "IF P > Z CONTINUE END-IF",
        "IF P = F CONTINUE END-IF",
        "IF P IS POSITIVE CONTINUE END-IF",
        "EVALUATE P WHEN 1 CONTINUE WHEN 2 THRU 5 CONTINUE END-EVALUATE",
        "PERFORM UNTIL P > 3 ADD 1 TO Z END-PERFORM",
        "ADD 1 TO P",
        "ADD P TO N",
        "COMPUTE N = P * 2",
        "COMPUTE N = Q / Z",
        "COMPUTE Q = 7 / N",
        "COMPUTE F = 7 / F",
        "DIVIDE Z INTO Q",
        "DIVIDE Q BY N GIVING D",
        "DIVIDE Q BY D GIVING N REMAINDER Z",
        "IF Q / Z > 3 CONTINUE END-IF",
    ];
    let mut harness = CobolHarness::new().program(
        "FINE",
        storage,
        "",
        "MOVE 12 TO P\n IF P = 12 AND Q < P MOVE \"fine \" TO DFHCOMMAREA END-IF\n\
         MOVE 8 TO N\n COMPUTE Q = 7 / Z ON SIZE ERROR MOVE 1 TO D END-COMPUTE\n\
         DIVIDE Z INTO Q ON SIZE ERROR ADD 1 TO D END-DIVIDE\n\
         DIVIDE N BY Z GIVING Q REMAINDER F ON SIZE ERROR ADD 1 TO D END-DIVIDE\n\
         MOVE D TO DFHCOMMAREA(6:4)\n GOBACK.\n",
    );
    for (n, statement) in exceptions.iter().enumerate() {
        let body = format!(
            "MOVE SPACES TO PX\n {statement}\n MOVE \"went on\" TO DFHCOMMAREA\n GOBACK.\n"
        );
        harness = harness.program(&format!("P{n}"), storage, "", &body);
    }
    for n in 0..exceptions.len() {
        harness = harness.run(&format!("P{n}"), &" ".repeat(100));
    }
    let played = harness.run("FINE", &" ".repeat(100)).play();
    for (n, statement) in exceptions.iter().enumerate() {
        assert_eq!(played.abend(n), "ASRA", "{statement}");
        let abend = &played.end(n)["abend"];
        let message = abend["message"].as_str().unwrap();
        assert!(message.contains("(0C"), "{statement}: {message}");
        assert_eq!(abend["damaged"], false, "{statement}");
        assert_ne!(abend["line"], 0, "{statement}");
    }
    let fine = played.commarea(exceptions.len());
    assert!(fine.starts_with("fine 0003"), "{fine}");
}

#[test]
fn a_runtime_error_is_an_asra_with_its_message_and_line() {
    let played = CobolHarness::new()
        .program(
            "A",
            "01 T.\n05 E PIC X OCCURS 5.\n01 N PIC 9(4) VALUE 9.",
            "",
            "MOVE \"X\" TO E(N).\n GOBACK.\n",
        )
        .run("A", "x")
        .play();
    let abend = &played.end(0)["abend"];
    assert_eq!(abend["code"], "ASRA");
    assert_eq!(abend["program"], "A");
    assert!(
        abend["message"].as_str().unwrap().contains("subscript"),
        "{abend}"
    );
    assert_eq!(abend["line"], 13);
    assert_eq!(abend["damaged"], true);
}

#[test]
fn stop_run_is_a_return() {
    let played = CobolHarness::new()
        .plain("STOPPER", "IDENTIFICATION DIVISION.\nPROGRAM-ID. STOPPER.\nPROCEDURE DIVISION.\nSTOP RUN.\n")
        .program("B", "", "", "MOVE \"stopped\" TO DFHCOMMAREA\n CALL \"STOPPER\".\n MOVE \"went on\" TO DFHCOMMAREA.\n GOBACK.\n")
        .program(
            "A",
            "",
            "",
            "EXEC CICS LINK PROGRAM(\"B\") COMMAREA(DFHCOMMAREA) END-EXEC\n\
             MOVE \"back\" TO DFHCOMMAREA(11:4).\n STOP RUN.\n",
        )
        .run("A", &" ".repeat(100))
        .run("A", &" ".repeat(100))
        .play();
    for task in 0..2 {
        assert!(
            played.commarea(task).starts_with("stopped   back"),
            "{}",
            played.commarea(task)
        );
    }
}

#[test]
fn a_program_linked_again_has_storage_of_its_own() {
    let played = CobolHarness::new()
        .program(
            "A",
            "01 N PIC 9(4) VALUE 0.\n01 D PIC 9(4).",
            "01 DFHCOMMAREA.\n05 LVL PIC 9.\n05 OUT PIC X(40).",
            "ADD 1 TO N\n ADD 1 TO LVL\n IF LVL < 3\n\
             EXEC CICS LINK PROGRAM(\"B\") COMMAREA(DFHCOMMAREA) LENGTH(41) END-EXEC\n END-IF\n\
             ADD 1 TO N\n MOVE N TO D\n\
             STRING OUT DELIMITED BY SPACE \"/\" D DELIMITED BY SIZE INTO OUT\n GOBACK.\n",
        )
        .program(
            "B",
            "01 N PIC 9(4) VALUE 100.",
            "",
            "ADD 1 TO N\n EXEC CICS LINK PROGRAM(\"A\") COMMAREA(DFHCOMMAREA) LENGTH(41) END-EXEC\n GOBACK.\n",
        )
        .run("A", &format!("0{}", " ".repeat(40)))
        .run("A", &format!("0{}", " ".repeat(40)))
        .play();
    for task in 0..2 {
        assert!(
            played.commarea(task).contains("/0002/0002/0002"),
            "{}",
            played.commarea(task)
        );
    }
}

#[test]
fn a_subprogram_keeps_state_within_its_level_and_not_beyond() {
    let call =
        "CALL \"SUB\" USING N\n STRING OUT DELIMITED BY SPACE \"/\" N DELIMITED BY SIZE INTO OUT\n";
    let linkage = "01 DFHCOMMAREA.\n05 OUT PIC X(60).";
    let played = CobolHarness::new()
        .plain("SUB", COUNTER)
        .program(
            "B",
            "01 N PIC 9(4).",
            linkage,
            &format!("{call}{call} GOBACK.\n"),
        )
        .program(
            "A",
            "01 N PIC 9(4).",
            linkage,
            &format!(
                "{call}{call} EXEC CICS LINK PROGRAM(\"B\") COMMAREA(DFHCOMMAREA) END-EXEC\n\
                 {call} EXEC CICS LINK PROGRAM(\"B\") COMMAREA(DFHCOMMAREA) END-EXEC\n\
                 CANCEL \"SUB\"\n {call} GOBACK.\n"
            ),
        )
        .run("A", &" ".repeat(60))
        .run("A", &" ".repeat(60))
        .play();
    let wanted = "/0001/0002/0001/0002/0003/0001/0002/0001";
    for task in 0..2 {
        assert_eq!(played.commarea(task).trim_end(), wanted);
    }
}

#[test]
fn a_handle_condition_loop_goes_on_as_long_as_it_likes() {
    let storage = "01 N PIC 9(6) VALUE 0.\n01 M PIC 9(6) VALUE 0.";
    let loop_of = |labels: &str| {
        format!(
            "MAIN-LINE.\n EXEC CICS HANDLE CONDITION PGMIDERR(NOT-THERE) END-EXEC.\n\
             NEXT-ONE.\n ADD 1 TO N.\n IF N > 2000 GO TO DONE.\n PERFORM GET-ONE.\n GO TO NEXT-ONE.\n\
             {labels}\
             DONE.\n MOVE M TO DFHCOMMAREA.\n GOBACK.\n\
             GET-ONE.\n EXEC CICS LINK PROGRAM(\"NOSUCH\") END-EXEC.\n"
        )
    };
    let played = CobolHarness::new()
        .program(
            "A",
            storage,
            "",
            &loop_of("NOT-THERE.\n ADD 1 TO M.\n GO TO NEXT-ONE.\n"),
        )
        .program(
            "SUB",
            storage,
            "",
            &loop_of("NOT-THERE.\n ADD 1 TO M.\n GO TO NEXT-ONE.\n"),
        )
        .program(
            "B",
            "",
            "",
            "CALL \"SUB\" USING DFHEIBLK DFHCOMMAREA.\n GOBACK.\n",
        )
        .program(
            "C",
            storage,
            "",
            "MAIN-LINE.\n PERFORM GET-ONE THRU GOT 2000 TIMES.\n MOVE M TO DFHCOMMAREA.\n GOBACK.\n\
             GET-ONE.\n EXEC CICS HANDLE CONDITION PGMIDERR(NOT-THERE) END-EXEC.\n\
             EXEC CICS LINK PROGRAM(\"NOSUCH\") END-EXEC.\n GO TO GOT.\n\
             NOT-THERE.\n ADD 1 TO M.\n\
             GOT.\n EXIT.\n",
        )
        .run("A", &" ".repeat(100))
        .run("B", &" ".repeat(100))
        .run("C", &" ".repeat(100))
        .play();
    for task in 0..3 {
        assert!(
            played.commarea(task).starts_with("002000"),
            "{task}: {:?}",
            played.ends
        );
    }
}

#[test]
fn three_hundred_gotos_out_of_a_perform_leave_no_frames() {
    let played = CobolHarness::new()
        .program(
            "A",
            "01 N PIC 9(4) VALUE 0.",
            "",
            "LOOPER.\n ADD 1 TO N\n IF N > 300 GO TO DONE END-IF\n PERFORM INNER.\n\
             INNER.\n GO TO LOOPER.\n\
             DONE.\n MOVE \"done\" TO DFHCOMMAREA\n GOBACK.\n",
        )
        .run("A", &" ".repeat(100))
        .run("A", &" ".repeat(100))
        .play();
    assert!(played.commarea(0).starts_with("done"), "{:?}", played.ends);
    assert!(played.commarea(1).starts_with("done"), "{:?}", played.ends);
}

#[test]
fn an_index_of_minus_twenty_harms_no_other_task() {
    let played = CobolHarness::new()
        .program(
            "A",
            "01 GUARD PIC X(40) VALUE ALL \"g\".\n01 T.\n05 E PIC X OCCURS 5.\n\
             01 N PIC S9(4) COMP VALUE -20.",
            "",
            "MOVE \"X\" TO E(N).\n MOVE \"harmed\" TO DFHCOMMAREA\n GOBACK.\n",
        )
        .program(
            "B",
            "01 S PIC X(20) VALUE \"untouched\".",
            "",
            "MOVE S TO DFHCOMMAREA\n GOBACK.\n",
        )
        .run("B", &" ".repeat(100))
        .run("A", &" ".repeat(100))
        .run("B", &" ".repeat(100))
        .play();
    assert_eq!(played.abend(1), "ASRA");
    assert!(played.commarea(0).starts_with("untouched"));
    assert!(played.commarea(2).starts_with("untouched"));
}

#[test]
fn calls_outside_of_the_program_table_are_refused() {
    for target in ["SYSTEM", "getpid", "CBL_DELETE_FILE", "exit", "NOSUCH"] {
        let played = CobolHarness::new()
            .program(
                "A",
                "01 CMD PIC X(40) VALUE \"echo reached\".",
                "",
                &format!("CALL \"{target}\" USING CMD.\n MOVE \"reached\" TO DFHCOMMAREA.\n GOBACK.\n"),
            )
            .program(
                "B",
                &format!("01 CMD PIC X(40) VALUE \"echo reached\".\n01 W PIC X(20) VALUE \"{target}\"."),
                "",
                "CALL W USING CMD ON EXCEPTION MOVE \"refused\" TO DFHCOMMAREA END-CALL.\n GOBACK.\n",
            )
            .run("A", &" ".repeat(100))
            .run("B", &" ".repeat(100))
            .play();
        assert_eq!(played.abend(0), "APCT", "{target}");
        assert!(played.commarea(1).starts_with("refused"), "{target}");
        assert!(played.displayed.is_empty(), "{:?}", played.displayed);
    }
}

#[test]
fn listed_library_routines_can_be_called() {
    let played = CobolHarness::new()
        .program(
            "A",
            "01 T PIC X(6) VALUE \"shout!\".",
            "",
            "CALL \"CBL_TOUPPER\" USING T BY VALUE 6\n MOVE T TO DFHCOMMAREA\n GOBACK.\n",
        )
        .run("A", &" ".repeat(100))
        .play();
    assert!(played.commarea(0).starts_with("SHOUT!"));
}

#[test]
fn a_wild_store_ends_the_process_and_nothing_is_hidden() {
    use std::os::unix::process::ExitStatusExt;
    let played = CobolHarness::new()
        .program(
            "A",
            "01 P POINTER.\n01 V REDEFINES P PIC S9(18) COMP-5.",
            "01 W PIC X(8).",
            "MOVE 8 TO V\n SET ADDRESS OF W TO P\n MOVE \"boom\" TO W\n GOBACK.\n",
        )
        .run("A", "x")
        .play();
    assert!(played.ends.is_empty());
    assert_eq!(
        played.output.status.signal(),
        Some(libc::SIGSEGV),
        "{:?}",
        played.output
    );
}

#[test]
fn displayed_lines_come_out_and_accept_gets_nothing() {
    let played = CobolHarness::new()
        .program("A", "", "", "DISPLAY \"hello from a task\"\n GOBACK.\n")
        .task(json!({"program": "A"}))
        .play();
    assert_eq!(played.displayed, ["hello from a task"]);
}
