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

/// The remedy for a misspelt name: the nearest candidate, if one is close.
pub fn suggestion<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, candidates).map(did_you_mean)
}

/// The remedy for a misspelt name: the nearest candidate, or all of them after the words
/// `all`, such as "there are".
pub fn suggestion_or_all(word: &str, candidates: &[&str], all: &str) -> String {
    suggestion(word, candidates.iter().copied())
        .unwrap_or_else(|| format!("{all} {}", candidates.join(", ")))
}

/// The remedy that suggests a name.
pub fn did_you_mean(name: impl std::fmt::Display) -> String {
    format!("did you mean {name}?")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_near_no_other_gets_the_list() {
        let names = ["pod", "app"];
        let remedy = |word| suggestion_or_all(word, &names, "there are");
        assert_eq!(remedy("pdo"), "did you mean pod?");
        assert_eq!(remedy("nothing"), "there are pod, app");
        assert_eq!(suggestion("nothing", names), None);
    }

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
