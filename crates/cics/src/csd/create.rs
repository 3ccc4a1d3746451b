//! One definition, as a program makes it with CREATE.
//!
//! Reference: CICS system programming reference, "The ATTRIBUTES option" and
//! "RESP2 values for EXEC CICS CREATE and EXEC CICS CSD commands". Keyword
//! numbers are not known here, so that RESP2 has offsets alone.

use super::read::{Csd, Reader};
use super::scan::{self, Attribute, Statement};
use base::{Diagnostic, Severity};

/// The error of a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionError {
    /// The error number that CREATE gives in the lower halfword of RESP2.
    pub code: u16,
    /// The offset in ATTRIBUTES, from 0; 0 where it is not one place.
    pub offset: u16,
    /// The message of the diagnostic.
    pub message: String,
}

impl DefinitionError {
    /// RESP2.
    pub fn resp2(&self) -> u32 {
        u32::from(self.offset) << 16 | u32::from(self.code)
    }

    fn new(code: u16, found: &Diagnostic) -> Self {
        let offset = match found.line {
            scan::ATTRIBUTES_LINE => found.column.saturating_sub(1),
            _ => 0,
        };
        DefinitionError {
            code,
            offset: u16::try_from(offset).unwrap_or(u16::MAX),
            message: found.message.clone(),
        }
    }
}

/// Reads the attributes of a definition, with the syntax of DEFINE.
///
/// # Errors
/// The first thing that is wrong with it. An attribute that its type does not
/// have is an error here.
pub fn definition(kind: &str, name: &str, attributes: &str) -> Result<Csd, DefinitionError> {
    let mut reader = Reader::default();
    let found = scan::attributes(attributes, &mut reader.diagnostics);
    reader.first_error(MISPLACED)?;
    let own = |keyword: &str, value: &str| Attribute {
        name: keyword.to_owned(),
        value: Some(value.to_owned()),
        line: 1,
        column: 1,
    };
    let mut all = vec![own(kind, name), own("GROUP", "CREATE")];
    // Here a keyword without a value is one that is not given.
    all.extend(found.into_iter().map(|a| Attribute {
        value: a.value.or(Some(String::new())),
        ..a
    }));
    reader.define(Statement {
        verb: "DEFINE",
        line: 1,
        column: 1,
        attributes: all,
    });
    reader.first_error(TWICE)?;
    reader.list_unknown();
    if let Some(found) = reader.diagnostics.first() {
        return Err(DefinitionError::new(UNKNOWN, found));
    }
    let csd = reader.finish();
    match csd
        .diagnostics
        .iter()
        .find(|d| d.severity == Severity::Error)
    {
        Some(found) if found.line == scan::ATTRIBUTES_LINE => {
            Err(DefinitionError::new(INVALID_VALUE, found))
        }
        Some(found) => Err(DefinitionError::new(OMITTED, found)),
        None => Ok(csd),
    }
}

impl Reader {
    fn first_error(&self, code: u16) -> Result<(), DefinitionError> {
        let mut errors = (self.diagnostics.iter()).filter(|d| d.severity == Severity::Error);
        match errors.next() {
            Some(found) => Err(DefinitionError::new(code, found)),
            None => Ok(()),
        }
    }
}

/// A misplaced delimiter.
const MISPLACED: u16 = 400;
/// An invalid keyword.
const UNKNOWN: u16 = 401;
/// A required keyword is omitted.
const OMITTED: u16 = 403;
/// A keyword occurs more than once.
const TWICE: u16 = 406;
/// An invalid operand.
const INVALID_VALUE: u16 = 410;

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(kind: &str, attributes: &str) -> (u16, u16) {
        let wrong = definition(kind, "X", attributes).expect_err(attributes);
        (wrong.code, wrong.offset)
    }

    #[test]
    fn a_definition_is_one_text_whatever_stands_in_it() {
        let long = format!(
            "DSNAME(BANK.ACCOUNTS){}KEYLENGTH(8) RECORDSIZE(80) 00000010 \nDEFINE ",
            " ".repeat(40)
        );
        // A sequence number and a verb have no effect here.
        assert_eq!(wrong("FILE", &long).0, UNKNOWN);
        let csd = definition("FILE", "ACCTS", "DSNAME(BANK.ACCOUNTS)\nADD(YES)").unwrap();
        assert_eq!(csd.files[0].name.as_str(), "ACCTS");
        assert_eq!(csd.files[0].dsname.as_deref(), Some("BANK.ACCOUNTS"));
        assert!(csd.files[0].permits.add);
    }

    #[test]
    fn what_is_wrong_has_the_manuals_number_and_its_offset() {
        assert_eq!(wrong("FILE", "ADD(YES) )"), (MISPLACED, 9));
        assert_eq!(wrong("FILE", "ADD(YES) COLOUR(RED)"), (UNKNOWN, 9));
        assert_eq!(wrong("TRANCLASS", ""), (OMITTED, 0));
        assert_eq!(wrong("FILE", "ADD(YES) ADD(NO)"), (TWICE, 9));
        assert_eq!(wrong("FILE", "READ(YES) ADD(MAYBE)"), (INVALID_VALUE, 10));
        let wrong = definition("TRANCLASS", "X", "MAXACTIVE(5) PURGETHRESH(0)");
        assert_eq!(wrong.unwrap_err().resp2(), 13 << 16 | 410);
    }

    proptest::proptest! {
        #[test]
        fn no_attributes_make_it_panic(text in "\\PC{0,80}") {
            for kind in ["FILE", "TRANSACTION", "TDQUEUE", "ENQMODEL", "TSMODEL"] {
                let _ = definition(kind, &text, &text);
            }
        }
    }
}
