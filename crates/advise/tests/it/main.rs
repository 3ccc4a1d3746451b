//! No text makes a parser, a rule or the report panic, and every place that is
//! told lies in its file. The texts are made from the words of the fixtures,
//! so that they reach deep, and from fixtures with pieces cut and repeated.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use advise::report::{Look, text};
use advise::tcpip::effective;
use advise::{Document, Documents, advise, kinds};
use proptest::prelude::*;

/// The texts under testdata.
static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let testdata = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let folders = ["rules", "clean"].map(|f| testdata.join(f));
    let entries = folders
        .iter()
        .flat_map(|f| fs::read_dir(f).expect("testdata is there"));
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.sort();
    paths
        .iter()
        .map(|p| fs::read_to_string(p).expect("text"))
        .collect()
});

/// Their words.
static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let split = |c: char| c.is_whitespace() || "=,();{}".contains(c);
    let mut words: Vec<String> = TEXTS
        .iter()
        .flat_map(|t| t.split(split))
        .map(str::to_owned)
        .collect();
    words.sort();
    words.dedup();
    words
});

/// Reads the texts as each kind and as what they look like, and judges all.
fn judge(texts: &[String]) {
    for kind in kinds().map(Some).chain([None]) {
        let read = |(i, t): (usize, &String)| Document::read(&format!("f{i}"), t, kind).ok();
        let documents = Documents::new(texts.iter().enumerate().filter_map(read));
        for d in documents.all.iter().flat_map(|d| &d.diagnostics) {
            assert!(d.line > 0, "{kind:?} {d}");
        }
        let findings = advise(&documents, &[]);
        for finding in &findings {
            let file = documents.all.iter().find(|d| d.name == finding.place.file);
            assert!(file.is_some(), "{finding:?}");
        }
        let look = Look {
            width: 0,
            colour: true,
        };
        assert!(!text(&documents, &findings, &look).is_empty());
        effective(&documents);
    }
}

/// A text of words, numbers and marks.
fn made() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        8 => any::<prop::sample::Index>().prop_map(|i| i.get(&WORDS).clone()),
        1 => any::<u64>().prop_map(|n| n.to_string()),
        1 => "\\PC{0,4}",
    ];
    let mark = prop::sample::select(vec![
        " ", " ", " ", "\n", "\n", "\n  ", "=", ",", ",\n", "(", ")", ";", "'", "{", "}\n", "\t",
    ]);
    prop::collection::vec((word, mark), 0..60)
        .prop_map(|parts| parts.into_iter().map(|(w, m)| w + m).collect())
}

/// A fixture with a piece cut out and a piece repeated.
fn mangled() -> impl Strategy<Value = String> {
    let index = any::<prop::sample::Index>;
    (index(), index(), index(), index()).prop_map(|(which, a, b, c)| {
        let text: Vec<char> = which.get(&TEXTS).chars().collect();
        if text.is_empty() {
            return String::new();
        }
        let at = |i: prop::sample::Index| i.index(text.len());
        let (from, to) = (at(a).min(at(b)), at(a).max(at(b)));
        let again = &text[at(c)..(at(c) + 20).min(text.len())];
        text[..from]
            .iter()
            .chain(again)
            .chain(&text[to..])
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn made_texts_are_judged_without_a_panic(texts in prop::collection::vec(made(), 1..4)) {
        judge(&texts);
    }

    #[test]
    fn mangled_fixtures_are_judged_without_a_panic(texts in prop::collection::vec(mangled(), 1..3)) {
        judge(&texts);
    }
}

#[test]
fn a_large_file_takes_no_time() {
    let line = |i: usize| format!("DEFINE PROGRAM(P{i:07}) GROUP(G) CONCURRENCY(THREADSAFE)\n");
    let csd: String = (0..5_000).map(line).collect();
    let port = |i: usize| format!("  {} TCP J{i} NODELAYACKS\n", 1024 + i);
    let profile: String = std::iter::once("PORT\n".to_owned())
        .chain((0..5_000).map(port))
        .collect();
    judge_as_is(&[profile, csd]);
}

fn judge_as_is(texts: &[String]) {
    let read = |(i, t): (usize, &String)| Document::read(&format!("f{i}"), t, None).ok();
    let documents = Documents::new(texts.iter().enumerate().filter_map(read));
    assert_eq!(documents.all.len(), texts.len());
    advise(&documents, &[]);
}
