//! Compares an output with the shape of the output on a page.

/// The first line of a page that the output does not have, in the page's order.
pub fn missing(expected: &[String], output: &str) -> Option<String> {
    let mut lines = output.lines().map(shape);
    for line in expected {
        let wanted = shape(line);
        let parts: Vec<&str> = wanted.split('…').map(str::trim).collect();
        if parts.iter().all(|part| part.is_empty()) {
            continue;
        }
        if !lines.any(|line| has_parts(&line, &parts)) {
            return Some(line.clone());
        }
    }
    None
}

/// Whether a line begins with the first part, ends with the last and has the
/// others between them.
fn has_parts(line: &str, parts: &[&str]) -> bool {
    let [first, between @ .., last] = parts else {
        return parts.first().is_none_or(|part| *part == line);
    };
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    for part in between {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// A line without what differs from run to run: numbers, times, addresses, and the
/// width of columns.
fn shape(line: &str) -> String {
    let line = line.replace(" ... ", " … ").replace("...", "…");
    let words = line.split_whitespace().map(word);
    words.collect::<Vec<_>>().join(" ")
}

fn word(word: &str) -> String {
    const CALENDAR: &str =
        "Mon Tue Wed Thu Fri Sat Sun Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";
    let bare = word.trim_matches(',');
    if CALENDAR.split(' ').any(|name| name == bare) {
        return word.replace(bare, "DAY");
    }
    let mut shape = String::new();
    for c in word.chars() {
        let in_number = shape.ends_with('#');
        match c {
            '0'..='9' if !in_number => shape.push('#'),
            '0'..='9' => {}
            // Points and colons within numbers, addresses and times.
            '.' | ',' | ':' if in_number => shape.push(c),
            c => shape.push(c),
        }
        for inner in ["#.#", "#,#", "#:#"] {
            if shape.ends_with(inner) {
                shape.truncate(shape.len() - 2);
            }
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lacks(expected: &str, output: &str) -> bool {
        missing(&[expected.to_owned()], output).is_some()
    }

    #[test]
    fn numbers_times_and_columns_may_differ_and_words_may_not() {
        for (expected, output) in [
            ("served  12 of 1,204", "served 7 of 9"),
            (
                "from 127.0.0.1:3010 at 10:15:07",
                "from 127.0.0.1:80 at 1:02:03",
            ),
            ("date: Sun, 22 Nov 2026", "date: Mon, 1 Dec 2027"),
            ("{\"a\":1, … \"z\":2}", "{\"a\":5, \"m\":7, \"z\":0}"),
            ("…", "whatever"),
        ] {
            assert!(!lacks(expected, output), "{expected} / {output}");
        }
        for (expected, output) in [
            ("HELLO is compiled", "HELO is compiled"),
            ("a 1 b", "a b"),
            ("compiled  1 programs", "compiled  1 program"),
            ("x", ""),
        ] {
            assert!(lacks(expected, output), "{expected} / {output}");
        }
    }

    #[test]
    fn lines_come_in_the_order_of_the_page() {
        let page = ["b".to_owned(), "a".to_owned()];
        assert_eq!(missing(&page, "a\nb\n").as_deref(), Some("a"));
    }
}
