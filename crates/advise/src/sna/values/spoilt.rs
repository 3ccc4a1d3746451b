//! Every number that a rule reads has a row, and no number of any fixture can be
//! spoilt silently.

use std::collections::BTreeMap;
use std::fs;

use super::TABLES;
use super::tests::{errors, read, root, row_names};
use crate::sna::syntax::statement::reads;
use crate::{Document, DocumentSet, advise, kinds};

#[test]
fn every_number_that_a_rule_reads_has_a_row() {
    let rows = row_names();
    reads::clear();
    for set in fixtures().values() {
        advise(
            &DocumentSet::new(set.iter().map(|(f, k, t)| read(f, k, t))),
            &["sna".to_owned()],
        );
    }
    let read = reads::all();
    assert!(read.len() > 20, "{read:?}");
    let without: Vec<_> = read
        .iter()
        .filter(|n| !rows.contains(&n.as_str()))
        .collect();
    assert!(without.is_empty(), "{without:?}");
}

/// Documents that are judged together: file, kind, text.
type Set = Vec<(String, &'static str, String)>;

/// The examples, the clean files and the fixtures of every rule.
fn fixtures() -> BTreeMap<String, Set> {
    let sna = |text: &str| {
        let kind = crate::kind::recognise(text).expect("a kind fits").word;
        TABLES
            .iter()
            .any(|t| t.kinds.contains(&kind))
            .then_some(kind)
    };
    let mut sets: BTreeMap<String, Set> = BTreeMap::new();
    let examples = root().join("../../examples/advise/appc");
    for folder in ["baseline", "tuned", "batch"]
        .map(|f| examples.join(f))
        .into_iter()
        .chain([root().join("testdata/clean")])
    {
        for entry in fs::read_dir(&folder).expect("the folder is there") {
            let path = entry.expect("an entry").path();
            let text = fs::read_to_string(&path).expect("text");
            if let Some(kind) = sna(&text) {
                let set = sets.entry(folder.display().to_string()).or_default();
                set.push((
                    path.file_name().expect("a name").to_string_lossy().into(),
                    kind,
                    text,
                ));
            }
        }
    }
    for entry in fs::read_dir(root().join("testdata/rules")).expect("the fixtures are there") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&path).expect("text");
        for part in text
            .split(">>> ")
            .skip(1)
            .filter(|_| name.starts_with("sna."))
        {
            let (heading, body) = part.split_once('\n').unwrap_or((part, ""));
            let words: Vec<&str> = heading.split_whitespace().collect();
            let (set, file) = match words[..] {
                ["expected"] => continue,
                ["good", file, ..] => (format!("{name} good"), file),
                [file, ..] => (name.clone(), file),
                [] => continue,
            };
            let reported = kinds()
                .find(|k| words.last() == Some(&k.word))
                .map(|k| k.word);
            if let Some(kind) = reported.or_else(|| sna(body)) {
                sets.entry(set)
                    .or_default()
                    .push((file.to_owned(), kind, body.to_owned()));
            }
        }
    }
    for set in sets.values_mut() {
        set.sort();
    }
    sets
}

/// The numbers of a text, as byte ranges: decimal ones and `X'3F'`, not those
/// inside names.
fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let part = |c: char| c.is_alphanumeric() || "'.#$@_*-&".contains(c);
    let mut found = Vec::new();
    let mut start = None;
    for (i, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (part(c), start) {
            (true, None) => start = Some(i),
            (false, Some(begin)) => {
                let word = &text[begin..i];
                let decimal = word.bytes().all(|b| b.is_ascii_digit());
                let hex = word.starts_with("X'") && word.ends_with('\'');
                if decimal || hex {
                    found.push(begin..i);
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// A number of several digits with a comma after the first.
fn thousands(number: &str) -> Option<String> {
    let decimal = number.len() > 1 && number.bytes().all(|b| b.is_ascii_digit());
    decimal.then(|| format!("{},{}", &number[..1], &number[1..]))
}

/// The text with something else in place of a number. If that is longer on a card
/// with a mark in column 72, a blank is removed so that the mark stays in its
/// column.
fn with(kind: &str, text: &str, range: &std::ops::Range<usize>, wrong: &str) -> String {
    let mut changed = text.to_owned();
    changed.replace_range(range.clone(), wrong);
    if is_marked(kind, text, range) && wrong.len() == range.len() + 1 {
        let line = text[..range.start].rfind('\n').map_or(0, |i| i + 1);
        let blanks = changed[line..].find("  ").expect("a card has blanks");
        changed.remove(line + blanks);
    }
    changed
}

/// Whether a place is on a card with a mark in column 72.
fn is_marked(kind: &str, text: &str, range: &std::ops::Range<usize>) -> bool {
    let begin = text[..range.start].rfind('\n').map_or(0, |i| i + 1);
    let line = text[begin..].lines().next().unwrap_or("");
    let assembler = ["vtam-modes", "vtam-node", "ncp", "vtam-start"].contains(&kind);
    assembler && line.chars().nth(71).is_some_and(|c| !c.is_whitespace())
}

/// Replacements for a number. On a card with a mark in column 72 they are as
/// wide as the number, or the mark would move; a comma finds room.
fn spoilers(kind: &str, text: &str, range: &std::ops::Range<usize>) -> Vec<String> {
    let mut all: Vec<String> = if is_marked(kind, text, range) {
        vec![
            "z".repeat(range.len()),
            format!("-{}", "1".repeat(range.len() - 1)),
        ]
    } else {
        ["abc", "-1", "99999999999999999999", ""]
            .map(str::to_owned)
            .into()
    };
    all.extend(thousands(&text[range.clone()]));
    all
}

/// The findings, without the line that they quote.
fn finding_counts(documents: Vec<Document>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for f in advise(&DocumentSet::new(documents), &["sna".to_owned()]) {
        let because: Vec<_> = f
            .because
            .iter()
            .map(|(p, w)| (p.file.clone(), p.line, w))
            .collect();
        let reported = format!(
            "{} {}:{} {} {:?} {:?} {because:?}",
            f.rule, f.place.file, f.place.line, f.value, f.code, f.needs
        );
        *counts.entry(reported).or_default() += 1;
    }
    counts
}

/// Spoils every number of every fixture in turn. Each time there is a new error
/// and no other new finding, or no rule reads the number and the advice is the
/// same. An empty value may also mean an omitted one with its default: then a
/// new finding is about its line.
#[test]
fn no_number_of_a_fixture_can_be_spoilt_in_silence() {
    let mut spoilt = 0;
    for (name, set) in fixtures() {
        let all: Vec<Document> = set.iter().map(|(f, k, t)| read(f, k, t)).collect();
        let before = finding_counts(all.clone());
        for (i, (file, kind, text)) in set.iter().enumerate() {
            for range in numbers(text) {
                for wrong in spoilers(kind, text, &range) {
                    let wrong = wrong.as_str();
                    let number = &text[range.clone()];
                    let changed = with(kind, text, &range, wrong);
                    let comma = thousands(number).is_some_and(|t| t == wrong);
                    let mut documents = all.clone();
                    documents[i] = read(file, kind, &changed);
                    spoilt += 1;
                    let reported = errors(&documents[i]).len() > errors(&all[i]).len();
                    // The value is open for any error.
                    if reported && !comma && !matches!(wrong, "abc" | "") {
                        continue;
                    }
                    let mut after = finding_counts(documents);
                    // Of a buffer pool's values in their places rules read the
                    // size, and quote all.
                    if comma && !reported && *kind == "vtam-start" {
                        let plain = |(k, n): (String, usize)| (k.replace(wrong, number), n);
                        after = after.into_iter().map(plain).collect();
                    }
                    let new: Vec<_> = after.keys().filter(|k| !before.contains_key(*k)).collect();
                    if reported {
                        // A finding that is independent of the value is also one
                        // for the right value.
                        assert!(
                            new.is_empty(),
                            "{name}: {file}: {:?} became {wrong:?}: {new:#?}",
                            &text[range.clone()]
                        );
                        continue;
                    }
                    let line = text[..range.start].matches('\n').count() + 1;
                    let here = new.iter().any(|k| k.contains(&format!(" {file}:{line} ")));
                    assert!(
                        after == before || (wrong.is_empty() && here),
                        "{name}: {file}:{line}: {:?} became {wrong:?} in silence\n{after:#?}\n{before:#?}",
                        &text[range.clone()]
                    );
                }
            }
        }
    }
    assert!(spoilt > 1000, "{spoilt}");
}
