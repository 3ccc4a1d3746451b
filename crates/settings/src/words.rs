//! Words for keys and values that a file of settings must not have.

use base::{did_you_mean, nearest, suggestion_or_all};

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
    (message, suggestion_or_all(word, &keys, all))
}

/// The message for a value of the wrong type, or outside its bounds. `wanted` says
/// which values are allowed, `found` is the value as the file has it.
pub fn wrong_value(key: &str, wanted: &str, found: &str) -> String {
    format!("{key} is {wanted}, not {}", shortened(found))
}

/// The message and the remedy for a word that is not one of `words`.
pub fn wrong_word(key: &str, words: &[&str], found: &str) -> (String, Option<String>) {
    let wanted = format!("one of {}", words.join(", "));
    let word = found.trim_matches(['"', '\'']);
    let near = nearest(word, words.iter().copied());
    let help = near.map(|near| did_you_mean(format_args!("\"{near}\"")));
    (wrong_value(key, &wanted, found), help)
}

/// The message for a required key that a section lacks; the section has no name at the
/// top of a file.
pub fn missing_key(section: &str, key: &str) -> String {
    if section.is_empty() {
        format!("the file has no {key}, which it needs")
    } else {
        format!("[{section}] has no {key}, which it needs")
    }
}

/// The beginning of a long value.
pub fn shortened(found: &str) -> String {
    found.chars().take(LONGEST).collect()
}

/// Characters of a wrong value that are shown.
const LONGEST: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_word_is_reported_with_the_nearest_one() {
        let (message, help) = wrong_word("sandbox", &["required", "off"], "\"of\"");
        assert_eq!(message, "sandbox is one of required, off, not \"of\"");
        assert_eq!(help.as_deref(), Some("did you mean \"off\"?"));
        assert_eq!(wrong_word("sandbox", &["off"], "7").1, None);
    }

    #[test]
    fn a_long_value_is_shown_in_part() {
        let message = wrong_value("trace", "true or false", &"x".repeat(100));
        assert_eq!(
            message.len(),
            "trace is true or false, not ".len() + LONGEST
        );
    }

    #[test]
    fn a_missing_key_is_reported_for_its_section() {
        assert_eq!(
            missing_key("a.b", "url"),
            "[a.b] has no url, which it needs"
        );
        assert_eq!(
            missing_key("", "url"),
            "the file has no url, which it needs"
        );
    }
}
