//! No text makes a parser, a rule or the report panic, and every place of a
//! finding is in one of the files. The texts are made from the words of the fixtures,
//! so that they reach deep, and from fixtures with pieces cut and repeated.

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use advise::report::{ReportStyle, text};
use advise::tcpip::effective;
use advise::{Document, DocumentSet, advise, kinds};
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
        let documents = DocumentSet::new(texts.iter().enumerate().filter_map(read));
        for d in documents.all.iter().flat_map(|d| &d.diagnostics) {
            assert!(d.line > 0, "{kind:?} {d}");
        }
        let findings = advise(&documents, &[]);
        for finding in &findings {
            let file = documents.all.iter().find(|d| d.name == finding.place.file);
            assert!(file.is_some(), "{finding:?}");
        }
        let look = ReportStyle {
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
fn a_line_of_a_large_file_costs_what_one_of_a_small_file_does() {
    let line = |i: usize| format!("DEFINE PROGRAM(P{i:07}) GROUP(G) CONCURRENCY(THREADSAFE)\n");
    let port = |i: usize| format!("  {} TCP J{i} NODELAYACKS\n", 1024 + i);
    let judged_ns = |lines: usize| {
        let csd: String = (0..lines).map(line).collect();
        let profile = (0..lines).map(port).collect::<String>();
        let texts = [format!("PORT\n{profile}"), csd];
        // Other processes can only add time, so the least of some runs counts.
        let run = || {
            let before = cpu_ns();
            judge_as_is(&texts);
            cpu_ns() - before
        };
        (0..3).map(|_| run()).min().unwrap()
    };
    let (few, many) = (judged_ns(1_000), judged_ns(8_000));
    // Eight times the work; a search through all lines for each would be 64.
    assert!(
        many < 24 * few,
        "{few} ns for 1,000 lines, {many} for 8,000"
    );
}

/// Time on the processor of this thread so far, in nanoseconds; scheduling
/// statistics begin with it.
fn cpu_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse().unwrap()
}

fn judge_as_is(texts: &[String]) {
    let read = |(i, t): (usize, &String)| Document::read(&format!("f{i}"), t, None).ok();
    let documents = DocumentSet::new(texts.iter().enumerate().filter_map(read));
    assert_eq!(documents.all.len(), texts.len());
    advise(&documents, &[]);
}
