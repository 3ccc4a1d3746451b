//! Words for keys that a file of settings does not have.

use base::nearest;

/// The message and the remedy for an unknown key of a section; the section has no name at
/// the top of a file.
pub fn unknown_key<'a>(
    section: &str,
    word: &str,
    keys: impl IntoIterator<Item = &'a str>,
) -> (String, String) {
    let keys: Vec<&str> = keys.into_iter().collect();
    let (message, all) = if section.is_empty() {
        (format!("there is no key {word}"), "keys are")
    } else {
        (format!("[{section}] has no key {word}"), "the section has")
    };
    let help = match nearest(word, keys.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("{all} {}", keys.join(", ")),
    };
    (message, help)
}
