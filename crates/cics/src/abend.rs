//! Abend codes that the system itself gives.
//!
//! Reference: CICS messages and codes, "Transaction abend codes". Codes of
//! unhandled conditions are with the conditions, in [`crate::resp`].

use crate::names::AbendCode;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident $code:literal $text:literal;)*) => {
        $($(#[$doc])* #[doc = $text] pub const $name: AbendCode = AbendCode::literal($code);)*

        /// The meaning of a system code. Returns `None` for a program's own code
        /// and the codes of unhandled conditions.
        pub fn meaning(code: AbendCode) -> Option<&'static str> {
            match code {
                $($name => Some($text),)*
                _ => None,
            }
        }
    };
}

codes! {
    ASRA b"ASRA" "a program check or run-time error";
    ASRB b"ASRB" "the system ended the program";
    AICA b"AICA" "the program ran longer than its runaway limit without giving up control";
    AKCP b"AKCP" "the task needs more storage than it may have";
    AKCS b"AKCS" "a deadlock or a wait longer than the transaction's time limit";
    AFCF b"AFCF" "a deadlock between tasks that hold records of the same file";
    APCT b"APCT" "a program could not be found or was disabled";
    ATNI b"ATNI" "the terminal or client went away";
    AEXZ b"AEXZ" "a command failed because of an error in the system";
    AEY9 b"AEY9" "a command that is not supported";
    ADPL b"ADPL" "the command is not allowed in a program that another region linked to";
    ASP7 b"ASP7" "the unit of work could not be committed";
    AZI6 b"AZI6" "the transaction in the other region ended abnormally";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_codes_have_a_meaning_and_programs_codes_have_none() {
        assert!(meaning(ASRA).unwrap().contains("program check"));
        assert_eq!(meaning(AbendCode::literal(b"HBNK")), None);
    }
}
