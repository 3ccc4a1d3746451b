//! Jobs as sites write them, and any text at all.

use batch::jcl::{Operator, Part, parse};
use proptest::prelude::*;

#[test]
fn steps_have_their_program_parm_conditions_and_dds() {
    let job = parse(
        "//J JOB 1,'X'\n//A EXEC PGM=LOAD,PARM='IT''S',COND=((4,LT),(8,EQ,B))\n\
         //IN DD DSN=A.B,\n//         DISP=SHR\n//   DD *\none\n/*\n//OUT DD SYSOUT=*\n",
    );
    assert_eq!(job.diagnostics, []);
    let step = &job.steps[0];
    assert_eq!(
        (step.program.as_str(), step.parm.as_deref()),
        ("LOAD", Some("IT'S"))
    );
    assert_eq!(step.cond.len(), 2);
    assert_eq!(step.cond[1].operator, Operator::Equal);
    assert_eq!(step.cond[1].step.as_deref(), Some("B"));
    assert_eq!(step.dds[0].parts[1], Part::Lines("one\n".to_owned()));
    assert_eq!(step.dds[1].parts, [Part::Output]);
}

#[test]
fn what_is_not_supported_is_named_with_its_place() {
    let job = parse("//J JOB 1\n//A EXEC PGM=X\n//IN DD PATH='/x'\n//S SET A=B\n");
    let places: Vec<_> = job.diagnostics.iter().map(|d| (d.line, d.column)).collect();
    assert_eq!(places[0], (3, 9));
    assert!(places.contains(&(4, 5)));
    assert!(job.has_errors());
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "(//[A-Z ]{0,8}|JOB|EXEC|DD|PGM=|COND=|[ ,()'&*=/0-9A-Z]|\n|é){0,60}") {
        let job = parse(&text);
        prop_assert!(job.has_errors() || !job.steps.is_empty());
    }
}
