//! Words that GnuCOBOL reserves and Enterprise COBOL does not.
//!
//! Programs from z/OS have data, conditions and paragraphs of these names, so
//! each is unreserved. GnuCOBOL 3.1 with `-std=ibm` reserves 1,012 words. All
//! that are not in IBM's table were tried as a field, a number, a condition, a
//! table, a paragraph and a section; those at which a compilation failed stand
//! here, and so do those that 3.2 adds. Most are unreserved for every program. The others mean something to
//! programs that were written for GnuCOBOL, or to IBM's own statements: a
//! program gets those that it defines as a name of its own. `COB-CRT-STATUS`
//! cannot be unreserved.
//!
//! Reference: Enterprise COBOL for z/OS, "Reserved words"; `cobc
//! --list-reserved`.

use crate::token::{Token, TokenKind};

/// One flag for each word.
macro_rules! free {
    ($($word:literal)*) => {
        &[$(concat!("-fnot-reserved=", $word)),*]
    };
}

/// The flags that give the words back, in their order.
#[rustfmt::skip]
pub(crate) const FREE: &[&str] = free![
    "ABSENT"
    "ACTIVATING"
    "ACTIVE-X"
    "AS"
    "AUTO"
    "AUTOMATIC"
    "B-SHIFT-L"
    "B-SHIFT-LC"
    "B-SHIFT-R"
    "B-SHIFT-RC"
    "BACKGROUND-COLOR"
    "BACKGROUND-HIGH"
    "BACKGROUND-LOW"
    "BACKGROUND-STANDARD"
    "BACKWARD"
    "BAR"
    "BELL"
    "BITMAP"
    "BLINK"
    "BLOB"
    "BLOB-FILE"
    "BLOB-LOCATOR"
    "BOX"
    "BOXED"
    "BYTE"
    "BYTES"
    "C"
    "CAPACITY"
    "CENTER"
    "CENTERED"
    "CHAIN"
    "CHAINING"
    "CHAR-VARYING"
    "CHECK-BOX"
    "CLASSIFICATION"
    "CLOB"
    "CLOB-FILE"
    "CLOB-LOCATOR"
    "COL"
    "COLOR"
    "COMBO-BOX"
    "COMMIT"
    "CONVERSION"
    "CRT-UNDER"
    "CURRENT"
    "DATE-ENTRY"
    "DATE-RECORD"
    "DBCLOB"
    "DBCLOB-FILE"
    "DBCLOB-LOCATOR"
    "DEFAULT-FONT"
    "DESTROY"
    "DOUBLE"
    "ECHO"
    "EDITING"
    "END-CHAIN"
    "END-SEND"
    "ENTRY-FIELD"
    "ERASE"
    "ESCAPE"
    "EVENT"
    "EXCLUSIVE"
    "EXCLUSIVE-OR"
    "EXTERNAL-FORM"
    "FILE-ID"
    "FINALLY"
    "FIXED"
    "FIXED-FONT"
    "FLOAT"
    "FLOAT-INFINITY"
    "FLOATING"
    "FONT"
    "FOREGROUND-COLOR"
    "FOREVER"
    "FULL"
    "GRAPHICAL"
    "HANDLE"
    "HIGHLIGHT"
    "ICON"
    "IDENTIFIED"
    "IGNORE"
    "INDEPENDENT"
    "INQUIRE"
    "JAVA"
    "KEPT"
    "LARGE-FONT"
    "LAYOUT-MANAGER"
    "LEFT-JUSTIFY"
    "LEFTLINE"
    "LIKE"
    "LIST-BOX"
    "LM-RESIZE"
    "LOCATION"
    "LONG-VARBINARY"
    "LONG-VARCHAR"
    "LOWER"
    "LOWLIGHT"
    "MANUAL"
    "MEDIUM-FONT"
    "MENU"
    "MESSAGE-TAG"
    "MICROSECOND-TIME"
    "MODIFY"
    "NEW"
    "NO-ECHO"
    "NOTHING"
    "NUMBERS"
    "ONLY"
    "OVERLINE"
    "PARSE"
    "PHYSICAL"
    "POP-UP"
    "POS"
    "PRIORITY"
    "PROMPT"
    "PROTECTED"
    "PUSH-BUTTON"
    "RADIO-BUTTON"
    "RECEIVED"
    "REPEATED"
    "REQUIRED"
    "RESULT-SET-LOCATOR"
    "REVERSE-VIDEO"
    "RIGHT-JUSTIFY"
    "RIGHTLINE"
    "ROLLBACK"
    "ROWID"
    "SCROLL"
    "SCROLL-BAR"
    "SECURE"
    "SHADOW"
    "SMALL-FONT"
    "SPACE-FILL"
    "STACK"
    "STATUS-BAR"
    "STEP"
    "SUBWINDOW"
    "SYMBOL"
    "SYSTEM-INFO"
    "SYSTEM-OFFSET"
    "TAB"
    "TERMINAL-INFO"
    "THREAD"
    "THREADS"
    "TIME-OUT"
    "TIME-RECORD"
    "TIMESTAMP"
    "TIMESTAMP-OFFSET"
    "TIMESTAMP-OFFSET-RECORD"
    "TIMESTAMP-RECORD"
    "TOP-LEVEL"
    "TRADITIONAL-FONT"
    "TRAILING-SIGN"
    "TREE-VIEW"
    "UNDERLINE"
    "UPDATE"
    "UPPER"
    "VARIANT"
    "WAIT"
    "WEB-BROWSER"
    "WINDOW"
    "WRAP"
    "XOR"
];

/// Words that are unreserved for the programs that define them, in their order.
#[rustfmt::skip]
const FREE_WHERE_DEFINED: &[&str] = &[
    "ACTIVE-CLASS",
    "ADJUSTABLE-COLUMNS",
    "ALIGNED",
    "ANYCASE",
    "ARGUMENT-NUMBER",
    "ARGUMENT-VALUE",
    "ATTRIBUTE",
    "B-AND",
    "B-NOT",
    "B-OR",
    "B-XOR",
    "BASED",
    "BINARY-C-LONG",
    "BINARY-CHAR",
    "BINARY-DOUBLE",
    "BINARY-LONG",
    "BINARY-SHORT",
    "BIT",
    "BITMAP-TRAILING",
    "BITMAP-TRANSPARENT-COLOR",
    "BOOLEAN",
    "CELL-PROTECTION",
    "CHAR",
    "CLEAR-SELECTION",
    "COLS",
    "COLUMN-DIVIDERS",
    "COLUMN-HEADINGS",
    "COLUMNS",
    "COMMAND-LINE",
    "COMP-0",
    "COMP-6",
    "COMP-N",
    "COMP-X",
    "COMPUTATIONAL-0",
    "COMPUTATIONAL-6",
    "COMPUTATIONAL-N",
    "COMPUTATIONAL-X",
    "CONDITION",
    "CONSTANT",
    "CRT",
    "CURSOR",
    "CURSOR-FRAME-WIDTH",
    "CUSTOM-PRINT-TEMPLATE",
    "DATA-POINTER",
    "DISPLAY-COLUMNS",
    "EC",
    "END-ACCEPT",
    "END-DISPLAY",
    "ENTRY-CONVENTION",
    "ENVIRONMENT-NAME",
    "ENVIRONMENT-VALUE",
    "EO",
    "EXCEPTION-OBJECT",
    "EXCEPTION-VALUE",
    "EXHIBIT",
    "EXTENDED-SEARCH",
    "FH--FCD",
    "FH--KEYDEF",
    "FLOAT-BINARY-128",
    "FLOAT-BINARY-32",
    "FLOAT-BINARY-64",
    "FLOAT-DECIMAL-16",
    "FLOAT-DECIMAL-34",
    "FLOAT-EXTENDED",
    "FLOAT-LONG",
    "FLOAT-NOT-A-NUMBER",
    "FLOAT-SHORT",
    "FORMAT",
    "FUNCTION-ID",
    "GET",
    "HEADING-DIVIDER-COLOR",
    "HEIGHT-IN-CELLS",
    "INITIALIZED",
    "INSERTION-INDEX",
    "INTERFACE",
    "INTERFACE-ID",
    "LINE-SEQUENTIAL",
    "LOCALE",
    "MINUS",
    "NAMESPACE-PREFIX",
    "NEAREST-AWAY-FROM-ZERO",
    "NEAREST-TOWARD-ZERO",
    "NESTED",
    "NO-AUTO-DEFAULT",
    "NOTIFY-DBLCLICK",
    "NOTIFY-SELCHANGE",
    "NUM-COL-HEADINGS",
    "NUMBER-OF-CALL-PARAMETERS",
    "OBJECT-REFERENCE",
    "OPTIONS",
    "PRESENT",
    "PRINT-NO-PROMPT",
    "PROGRAM-POINTER",
    "PROPERTY",
    "PROTOTYPE",
    "RAISE",
    "RAISING",
    "RECORD-OVERFLOW",
    "RECORD-TO-DELETE",
    "RESUME",
    "RETRY",
    "REVERSE",
    "S",
    "SCREEN",
    "SELECTION-INDEX",
    "SHARING",
    "SHOW-SEL-ALWAYS",
    "SIGNED",
    "SIGNED-INT",
    "SIGNED-LONG",
    "SIGNED-SHORT",
    "SOURCES",
    "STANDARD-BINARY",
    "STANDARD-DECIMAL",
    "SYSTEM-DEFAULT",
    "TRANSFORM",
    "TYPEDEF",
    "U",
    "UNBOUNDED",
    "UNIVERSAL",
    "UNLOCK",
    "UNSIGNED",
    "UNSIGNED-INT",
    "UNSIGNED-LONG",
    "UNSIGNED-SHORT",
    "USER-DEFAULT",
    "V",
    "VAL-STATUS",
    "VALID",
    "VALIDATE",
    "VALIDATE-STATUS",
    "XML-DECLARATION",
];

/// The flags for the words of [`FREE_WHERE_DEFINED`] that a program defines, in
/// their order: as data, a condition, a paragraph, a section, a file or an index.
pub(crate) fn defined(tokens: &[Token]) -> Vec<String> {
    let mut found: Vec<&str> = Vec::new();
    for at in 1..tokens.len() {
        let upper = tokens[at].upper();
        let Ok(place) = FREE_WHERE_DEFINED.binary_search(&upper.as_str()) else {
            continue;
        };
        if is_definition(tokens, at) {
            found.push(FREE_WHERE_DEFINED[place]);
        }
    }
    found.sort_unstable();
    found.dedup();
    let flags = found
        .into_iter()
        .map(|word| format!("-fnot-reserved={word}"));
    flags.collect()
}

fn is_definition(tokens: &[Token], at: usize) -> bool {
    let before = |n: usize| at.checked_sub(n).map(|at| &tokens[at]);
    let is_period = |token: Option<&Token>| token.is_none_or(|t| t.is_mark('.'));
    let Some(last) = before(1).filter(|_| tokens[at].kind == TokenKind::Word) else {
        return false;
    };
    let level = last
        .text
        .parse::<u8>()
        .is_ok_and(|n| (1..=49).contains(&n) || n == 66 || n == 77 || n == 88);
    let label = tokens
        .get(at + 1)
        .is_some_and(|t| t.is_mark('.') || t.is("SECTION"));
    level && is_period(before(2))
        || label && last.is_mark('.')
        || last.is_any(&["SELECT", "OPTIONAL", "FD", "SD", "INDEXED"])
        || last.is("BY") && before(2).is_some_and(|t| t.is("INDEXED"))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::copy::{CopyLibrary, expand};
    use copybook::ReferenceFormat;

    fn flags(text: &str) -> Vec<String> {
        let (path, library) = (Path::new("a"), CopyLibrary::default());
        defined(&expand(path, text.as_bytes(), ReferenceFormat::Free, &library).tokens)
    }

    #[test]
    fn the_list_is_in_order() {
        assert!(FREE_WHERE_DEFINED.is_sorted());
    }

    #[test]
    fn a_word_is_given_back_where_the_program_defines_it() {
        for text in [
            "01 R. 05 CURSOR PIC X.",
            "01 R. 88 CURSOR VALUE 'A'.",
            "MOVE A TO B. CURSOR. MOVE B TO A.",
            "GOBACK. CURSOR SECTION. P. GOBACK.",
            "05 T OCCURS 3 INDEXED BY CURSOR.",
            "SELECT CURSOR ASSIGN TO DD.",
        ] {
            assert_eq!(flags(text), ["-fnot-reserved=CURSOR"], "{text}");
        }
    }

    #[test]
    fn a_word_that_is_only_used_keeps_its_meaning() {
        assert!(flags("01 N USAGE BINARY-LONG UNSIGNED. ACCEPT X FROM COMMAND-LINE.").is_empty());
    }
}
