//! Jobs as sites write them, and any text at all.

use batch::jcl::{CondOperator, DdPart, parse};
use proptest::prelude::*;

#[test]
fn steps_have_their_program_parm_conditions_and_dds() {
    let job = parse(
        "//J JOB 1,'X'\n//B EXEC PGM=Y\n//A EXEC PGM=LOAD,PARM='IT''S',COND=((4,LT),(8,EQ,B))\n\
         //IN DD DSN=A.B,\n//         DISP=SHR\n//   DD *\none\n/*\n//OUT DD SYSOUT=*\n",
    );
    assert_eq!(job.diagnostics, []);
    let step = &job.steps[1];
    assert_eq!(
        (step.program.as_str(), step.parm.as_deref()),
        ("LOAD", Some("IT'S"))
    );
    assert_eq!(step.cond.len(), 2);
    assert_eq!(step.cond[1].operator, CondOperator::Equal);
    assert_eq!(step.cond[1].step.as_deref(), Some("B"));
    assert_eq!(step.dds[0].parts[1], DdPart::Lines("one\n".to_owned()));
    assert_eq!(step.dds[1].parts, [DdPart::Output]);
}

#[test]
fn what_is_not_supported_is_named_with_its_place() {
    let job = parse("//J JOB 1\n//A EXEC PGM=X\n//IN DD PATH='/x'\n//S SET A=B\n");
    let places: Vec<_> = job.diagnostics.iter().map(|d| (d.line, d.column)).collect();
    assert_eq!(places[0], (3, 9));
    assert!(places.contains(&(4, 5)));
    assert!(job.has_errors());
}

/// The mistakes of a job after its JOB statement, each as `line:column message`.
fn mistakes(cards: &str) -> Vec<String> {
    let job = parse(&format!("//J JOB 1\n{cards}"));
    let reported = job.diagnostics.iter();
    reported
        .map(|d| format!("{}:{} {}", d.line, d.column, d.message))
        .collect()
}

#[test]
fn a_parm_has_a_hundred_bytes_at_most() {
    let part = "A".repeat(33);
    let with = |last: &str| {
        mistakes(&format!(
            "//A EXEC PGM=X,PARM=('{part}',\n//         '{part}',\n//         '{last}')\n",
        ))
    };
    assert_eq!(with(&part[1..]), [""; 0]);
    assert_eq!(with(&part), ["2:16 PARM has 101 bytes and may have 100"]);
}

#[test]
fn two_ampersands_of_a_parm_are_one_and_one_before_no_name_is_a_character() {
    let job = parse("//J JOB 1\n//A EXEC PGM=X,PARM=('A&&B',\n//             'C & D')\n");
    assert_eq!(job.diagnostics, []);
    assert_eq!(job.steps[0].parm.as_deref(), Some("A&B,C & D"));
    assert_eq!(
        mistakes("//A EXEC PGM=X,PARM='A & &B'\n"),
        ["2:16 the symbol &B has no value"]
    );
}

#[test]
fn what_is_not_closed_or_not_continued_is_reported() {
    let one = |cards: &str| mistakes(cards).join("; ");
    assert!(one("//A EXEC PGM=X,PARM='A\n").contains("2:5 a quote is not closed"));
    assert!(one("//A EXEC PGM=X,\n//B EXEC PGM=Y\n").contains("2:15 the next line does not go on"));
    assert!(one("//A EXEC PGM=X,COND=(4,LT\n").contains("2:21 this ( is not closed"));
    assert!(one("//A EXEC PGM=X\n//X DD DISP=OLD),DSN=A\n").contains("3:16 this ) closes"));
    let reported = one("//A EXEC PGM=X\n// IF (A.RC = 0 & B) THEN\n// SET C='&D\n");
    assert_eq!(
        reported,
        "3:4 IF is not supported; 4:4 SET is not supported"
    );
    let reported = parse("//J JOB 1\n//A EXEC PGM=X\n//  PARM='A'\n").diagnostics;
    let help = reported[0].help.as_deref().unwrap_or_default();
    assert!(help.contains("with a comma"), "{reported:?}");
}

#[test]
fn data_with_a_delimiter_of_its_own_goes_on_to_it() {
    let job = parse("//J JOB 1\n//A EXEC PGM=X\n//D DD *,DLM=ZZ\n// IN\n/*\nZZ\n//E DD DUMMY\n");
    assert_eq!(job.diagnostics, []);
    let parts: Vec<_> = job.steps[0].dds.iter().map(|dd| &dd.parts[0]).collect();
    assert_eq!(
        parts,
        [&DdPart::Lines("// IN\n/*\n".to_owned()), &DdPart::Dummy]
    );
    let cards = "//A EXEC PGM=X\n//D DD *,DLM=ZZ\n//B EXEC PGM=Y\n";
    assert_eq!(mistakes(cards), ["3:5 the data of DD D has no end"]);
    assert_eq!(
        mistakes("//A EXEC PGM=X\n//D DD *,DLM=Z\nZ\n"),
        ["3:5 DLM=Z has not two characters"]
    );
}

#[test]
fn conditions_names_and_dispositions_are_checked() {
    let cards = "//A EXEC PGM=X\n//B EXEC PGM=X,COND=(4,LT,NOSTEP)\n";
    assert_eq!(
        mistakes(cards),
        ["3:16 COND refers to the step NOSTEP, but no earlier step has this name"]
    );
    assert_eq!(
        mistakes("//A EXEC PGM=X\n//B EXEC PGM=X,COND=((4,LT,A),EVEN)\n"),
        [""; 0]
    );
    assert_eq!(
        mistakes("//TOOLONGNAME EXEC PGM=X\n"),
        ["2:3 TOOLONGNAME is not a valid name"]
    );
    let reported = mistakes("//A EXEC PGM=X\n//D DD DISP=(OLD,ZAP),DSN=A\n//E DD DSN=\n");
    assert!(
        reported[0].starts_with("3:8 ZAP in DISP is not one of"),
        "{reported:?}"
    );
    assert_eq!(reported[1], "4:8 DSN names no data set");
}

#[test]
fn where_programs_are_is_no_data_set() {
    let job =
        parse("//J JOB 1\n//A EXEC PGM=X\n//STEPLIB DD DISP=SHR,DSN=A\n//  DD DISP=SHR,DSN=B\n");
    assert_eq!(job.diagnostics, []);
    assert_eq!(job.steps[0].dds[0].parts, [DdPart::Dummy]);
    let libraries = "//JOBLIB DD DISP=SHR,DSN=A
// DD DISP=SHR,DSN=B
//A EXEC PGM=X
";
    assert_eq!(mistakes(libraries), [""; 0]);
    let alone = "// DD DISP=SHR,DSN=B
//A EXEC PGM=X
";
    assert_eq!(mistakes(alone), ["2:4 DD  before the first EXEC"]);
}

#[test]
fn a_procedure_is_reported_once() {
    for cards in ["//A EXEC PROC=REPROC\n", "//A EXEC REPROC\n"] {
        let reported = mistakes(cards);
        assert_eq!(reported.len(), 1, "{reported:?}");
        assert!(
            reported[0].contains("procedures are not supported"),
            "{reported:?}"
        );
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "(//[A-Z ]{0,8}|JOB|EXEC|DD|PGM=|COND=|PARM=|DLM=|DISP=|DSN=|[ ,()'&*=/0-9A-Z]|\n|é){0,60}") {
        let job = parse(&text);
        prop_assert!(job.has_errors() || !job.steps.is_empty());
    }
}
