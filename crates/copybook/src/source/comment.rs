//! Text without meaning: comment entries and listing statements.

/// Paragraphs of the identification division whose text is a comment.
pub const COMMENT_ENTRIES: &[&str] = &[
    "AUTHOR",
    "INSTALLATION",
    "DATE-WRITTEN",
    "DATE-COMPILED",
    "SECURITY",
    "REMARKS",
];

/// What ends a comment entry when it is in area A.
pub const AFTER_COMMENT_ENTRY: &[&str] = &[
    "ENVIRONMENT",
    "DATA",
    "PROCEDURE",
    "CONFIGURATION",
    "FILE",
    "WORKING-STORAGE",
    "LINKAGE",
    "LOCAL-STORAGE",
    "INPUT-OUTPUT",
    "IDENTIFICATION",
    "ID",
    "PROGRAM-ID",
    "COPY",
];

/// EJECT, SKIP1 to SKIP3, TITLE and *CBL are alone on their line.
pub fn is_listing_statement(line: &str) -> bool {
    let upper = line.to_ascii_uppercase();
    if upper.starts_with("*CBL ") || upper.starts_with("*CONTROL ") {
        return true;
    }
    let word = upper.trim_end_matches('.').trim_end();
    if matches!(word, "EJECT" | "SKIP1" | "SKIP2" | "SKIP3") {
        return true;
    }
    upper
        .strip_prefix("TITLE ")
        .is_some_and(|rest| rest.trim_start().starts_with(['"', '\'']))
}
