//! Names that a person misspelt.

/// The candidate that is spelled most like a word, if one is close. The case of
/// ASCII letters does not count.
///
/// Close means that at most a third of the word's characters, and at least one, are
/// inserted, deleted, replaced or exchanged with their neighbour (the optimal string
/// alignment distance). A word of one character is near to no other. The first of
/// several nearest candidates is taken.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let limit = match length {
        0 | 1 => 0,
        _ => (length / 3).max(1),
    };
    let word = word.to_ascii_uppercase();
    candidates
        .into_iter()
        .filter(|name| name.chars().count().abs_diff(length) <= limit)
        .map(|name| {
            let distance = strsim::osa_distance(&word, &name.to_ascii_uppercase());
            (distance, name)
        })
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_a_far_one_is_not() {
        let names = ["RIDFLD", "KEYLENGTH", "LENGTH", "INTO"];
        assert_eq!(nearest("RIDFDL", names), Some("RIDFLD"));
        assert_eq!(nearest("keylenght", names), Some("KEYLENGTH"));
        assert_eq!(nearest("BANANA", names), None);
        assert_eq!(nearest("into", names), Some("INTO"));
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest("A", ["B"]), None);
        assert_eq!(nearest("of", ["required", "off"]), Some("off"));
    }
}
