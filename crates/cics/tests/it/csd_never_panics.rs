//! Whatever is in a file of resource definitions, reading it ends.

use cics::csd;
use proptest::prelude::*;

const SAMPLE: &str = "\
* A comment
DEFINE TRANSACTION(BANK) GROUP(BANK) PROGRAM(BNKINQ) TRANCLASS(CLS) RUNAWAY(5000)
       DESCRIPTION('it''s (nested) text')
DEFINE FILE(ACCOUNTS) GROUP(BANK) KEYLENGTH(8) RECORDSIZE(200) ADD(YES)
ADD GROUP(BANK) LIST(LIST)
";

proptest! {
    #[test]
    fn any_text_is_read(text in "\\PC*") {
        csd::parse(&text);
    }

    #[test]
    fn any_change_of_a_sample_is_read(at in 0usize..SAMPLE.len(), cut in 0usize..20, put in "[ -~\n'()*]{0,6}") {
        let end = (at + cut).min(SAMPLE.len());
        csd::parse(&format!("{}{put}{}", &SAMPLE[..at], &SAMPLE[end..]));
    }
}
