//! The saving of a change as two bars: before and after.
//!
//! The figures are read from the text of a rule's known effect: `0.9042 s to 0.0888 s`,
//! or `-38 %`. An effect without figures has no bars.

use page::ChangeBars;

/// A figure before and after a change.
#[derive(Debug, PartialEq)]
struct FigureChange<'t> {
    /// What is measured, and under which conditions.
    of: &'t str,
    before: String,
    after: String,
    /// The figure after the change as a fraction of the one before.
    left: f64,
}

/// The bars of an effect: one pair for each figure that it states.
pub fn bars(effect: &str) -> Vec<ChangeBars> {
    let bars = |change: FigureChange| ChangeBars {
        subject: change.of.to_owned(),
        before: format!("as it is: {}", change.before),
        after: format!("changed: {}", change.after),
        left: change.left,
        colour: "var(--c1)".to_owned(),
        opacity: 1.0,
    };
    effect.split(';').filter_map(saving).map(bars).collect()
}

/// The saving that a part of an effect states.
fn saving(part: &str) -> Option<FigureChange<'_>> {
    let words = part.split_whitespace().map(|w| w.trim_end_matches(','));
    let words: Vec<&str> = words.collect();
    let of = |word: &str| {
        let at = part.find(word).unwrap_or(0);
        part[..at].trim().trim_end_matches([':', ','])
    };
    // A time, and the word after it.
    let times: Vec<[&str; 3]> = words
        .windows(3)
        .filter(|w| w[0].parse::<f64>().is_ok() && ["s", "ms", "µs"].contains(&w[1]))
        .map(|w| [w[0], w[1], w[2]])
        .chain(words.last_chunk::<2>().map(|w| [w[0], w[1], ""]))
        .collect();
    let from_to = times.windows(2).find_map(|pair| {
        let [first, second] = pair else { return None };
        let (before, after) = (first[0].parse::<f64>().ok()?, second[0].parse::<f64>().ok()?);
        let joined = first[2] == "to" || (first[2] == "before" && second[2] == "after");
        let fits = joined && first[1] == second[1] && before > 0.0;
        (fits && (0.0..=before).contains(&after)).then(|| FigureChange {
            of: of(first[0]),
            before: first[..2].join(" "),
            after: second[..2].join(" "),
            left: after / before,
        })
    });
    let percent = || {
        words.windows(2).find_map(|w| {
            let less = w[0].strip_prefix('-')?.parse::<f64>().ok()?;
            (w[1] == "%" && (0.0..=100.0).contains(&less)).then(|| FigureChange {
                of: of(w[0]),
                before: "100 %".to_owned(),
                after: format!("{} %", 100.0 - less),
                left: 1.0 - less / 100.0,
            })
        })
    };
    from_to.or_else(percent)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of the bars, and what is left in per cent.
    fn shown(effect: &str) -> Vec<String> {
        let text = |bars: &ChangeBars| {
            let left = bars.left * 100.0;
            format!("{} | {} | {} | {left:.1} %", bars.subject, bars.before, bars.after)
        };
        bars(effect).iter().map(text).collect()
    }

    #[test]
    fn a_time_before_and_after_is_two_bars_to_scale() {
        let effect = "published, Web Services without SSL: response 0.9042 s to 0.0888 s; with SSL 1.6228 s to 0.1344 s";
        assert_eq!(
            shown(effect),
            [
                "published, Web Services without SSL: response | as it is: 0.9042 s | changed: 0.0888 s | 9.8 %",
                "with SSL | as it is: 1.6228 s | changed: 0.1344 s | 8.3 %",
            ]
        );
    }

    #[test]
    fn before_and_after_may_follow_their_times() {
        let effect = "paper 004, for NS/DOS to VTAM: 100,000 bytes in 31 s before all changes, 0.53 s after";
        let found = shown(effect);
        assert!(found[0].contains("as it is: 31 s | changed: 0.53 s"), "{found:?}");
        let found = shown("1,000,000 bytes in 6.4 s before, 5.1 s after");
        assert!(found[0].ends_with("79.7 %"), "{found:?}");
    }

    #[test]
    fn a_percentage_less_is_the_rest_of_a_hundred() {
        let found = shown("published: with NODELAYACKS on the route: response time -38 %");
        assert!(found[0].ends_with("changed: 62 % | 62.0 %"), "{found:?}");
    }

    #[test]
    fn words_alone_have_no_bars() {
        assert!(bars("at a round trip of 10 ms at most 13 Mb/s a connection").is_empty());
        assert!(bars("").is_empty());
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[-0-9.;: a-zµ%<]{0,60}") {
            let _ = bars(&text);
        }
    }
}
