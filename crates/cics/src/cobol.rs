//! The COBOL compiler's form of names, and the words that begin its
//! statements.
//!
//! Reference: GnuCOBOL Programmer's Guide, "Program names"; IBM, *Enterprise
//! COBOL for z/OS Language Reference*, "PROCEDURE DIVISION statements".

/// The symbol under which GnuCOBOL exports a program.
pub fn entry_symbol(program: &str) -> String {
    let mut symbol = String::with_capacity(program.len() + 4);
    if program.starts_with(|c: char| c.is_ascii_digit()) {
        symbol.push('_');
    }
    for byte in program.bytes() {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' => symbol.push(char::from(byte)),
            b'-' => symbol.push_str("__"),
            _ => symbol.push_str(&format!("_{byte:02X}")),
        }
    }
    symbol
}

/// Words that begin a statement, or end one that others are in.
pub const VERBS: &[&str] = &[
    "ACCEPT",
    "ADD",
    "ALTER",
    "CALL",
    "CANCEL",
    "CLOSE",
    "COMPUTE",
    "CONTINUE",
    "DELETE",
    "DISPLAY",
    "DIVIDE",
    "ELSE",
    "END-EVALUATE",
    "END-IF",
    "END-PERFORM",
    "EVALUATE",
    "EXEC",
    "EXECUTE",
    "EXIT",
    "GO",
    "GOBACK",
    "IF",
    "INITIALIZE",
    "INSPECT",
    "MERGE",
    "MOVE",
    "MULTIPLY",
    "OPEN",
    "PERFORM",
    "READ",
    "RELEASE",
    "RETURN",
    "REWRITE",
    "SEARCH",
    "SET",
    "SORT",
    "START",
    "STOP",
    "STRING",
    "SUBTRACT",
    "UNSTRING",
    "WHEN",
    "WRITE",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_those_that_cobc_writes() {
        assert_eq!(entry_symbol("ACCT01"), "ACCT01");
        assert_eq!(entry_symbol("MY-PROG"), "MY__PROG");
        assert_eq!(entry_symbol("1ST"), "_1ST");
        assert_eq!(entry_symbol("A$B"), "A_24B");
    }
}
