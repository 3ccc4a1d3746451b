//! Phrases that make a reader read twice, and what is written in their place.
//!
//! The whole text of a crate's Rust files counts: comments, messages and names
//! that are such a word alone. `cargo xtask tidy` compares each crate's number
//! with its row in [`super::ratchets::PHRASES`]; a crate over its row gets the
//! places listed with the replacement.

/// A phrase in lower case, and what to write.
pub const PHRASES: &[(&str, &str)] = &[
    (
        "told",
        "reported, logged, returned, passed to, distinguished",
    ),
    ("tell", "report, log, return, notify, distinguish"),
    ("tells", "reports, logs, returns, notifies"),
    ("telling", "reporting, sending, committing"),
    ("heard", "received, noticed"),
    ("hear", "receive, notice, be notified"),
    ("hears", "receives, notices, is notified"),
    (
        "nobody",
        "no task, no client, no caller; or `Returns None if`",
    ),
    ("somebody", "a task, a client, a caller"),
    ("anybody", "any task, any client, any caller"),
    ("whoever", "the caller, every task that"),
    ("behind", "after, beyond; a proxy may be in front"),
    ("beside", "next to, in addition to, except"),
    ("but for", "except"),
    ("of ours", "of this process, Tupelo's"),
    ("of theirs", "of the peer, of the client"),
    ("of its own making", "that it made"),
    ("is none of", "name the values that are expected"),
    ("there is none", "Returns `None` if, … is missing"),
    ("as the caller says", "the caller guarantees it"),
    ("what came of", "the outcome of, the result of"),
    ("no word of", "no … arrived"),
    ("has a word on", "describes, decides"),
    ("in vain", "without a result"),
    ("as it were", "leave it out"),
    ("for reasons of its own", "name the reason"),
    ("half within", "p50"),
    ("of 100 within", "p99"),
    ("one after another (σ)", "contention (σ)"),
    ("cost of agreement", "coherency (κ)"),
];

/// A phrase that was found.
#[derive(Debug, PartialEq, Eq)]
pub struct FoundPhrase {
    /// Line of the file, from 1.
    pub line: usize,
    /// The phrase, as the table has it.
    pub phrase: &'static str,
    /// What to write.
    pub better: &'static str,
}

/// The phrases of a file's text, line by line.
///
/// A phrase that is wrapped over two lines of a comment is not found. A word in
/// capitals, such as the transaction TELL, is a name of a program.
pub fn find(text: &str) -> Vec<FoundPhrase> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let lower = line.to_lowercase();
        for &(phrase, better) in PHRASES {
            let count = lower
                .match_indices(phrase)
                .filter(|(at, _)| is_whole(&lower, *at, phrase.len()))
                .filter(|(at, _)| !is_in_capitals(line, *at, phrase.len()))
                .count();
            found.extend((0..count).map(|_| FoundPhrase {
                line: number,
                phrase,
                better,
            }));
        }
    }
    found
}

/// Whether the line has these bytes in capitals. Lower case may have another
/// length outside ASCII: then they count as they are.
fn is_in_capitals(line: &str, at: usize, length: usize) -> bool {
    let bytes = line.as_bytes().get(at..at + length).unwrap_or_default();
    bytes.iter().all(|byte| !byte.is_ascii_lowercase()) && bytes.iter().any(u8::is_ascii_uppercase)
}

/// Whether no letter, digit or underscore touches a match.
fn is_whole(line: &str, at: usize, length: usize) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = line[..at].chars().next_back();
    let after = line[at + length..].chars().next();
    !before.is_some_and(is_word) && !after.is_some_and(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_counts_as_whole_words_in_any_case() {
        let found = find("// Nobody\nlet retold = untold_story;\n\"is Told, and none of ours\"");
        let shown: Vec<_> = found.iter().map(|f| (f.line, f.phrase)).collect();
        assert_eq!(shown, [(1, "nobody"), (3, "told"), (3, "of ours")]);
    }
}
