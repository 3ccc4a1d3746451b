//! The fixture of every rule, run.
//!
//! `testdata/rules/NAME.txt` contains documents and the findings of the rule. `>>>
//! FILE [KIND]` begins a document, `>>> expected` the findings (created by
//! `ADVISE_UPDATE=1 cargo test -p advise`; review them before a commit). `>>> good
//! FILE [KIND]` begins a document of a second set, in which the rule must have no
//! finding. Files under `testdata/clean/` have no finding of any rule.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use advise::{Document, DocumentSet, TuningFinding, advise, kinds, rules};

fn testdata() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata")
}

/// Sections of a fixture: heading words, text.
fn sections(text: &str) -> Vec<(Vec<&str>, String)> {
    let mut found: Vec<(Vec<&str>, String)> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix(">>> ") {
            Some(heading) => found.push((heading.split_whitespace().collect(), String::new())),
            None => {
                if let Some((_, body)) = found.last_mut() {
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
    }
    found
}

fn read(heading: &[&str], text: &str) -> Document {
    let kind = heading.get(1).map(|word| {
        kinds()
            .find(|k| k.word == *word)
            .unwrap_or_else(|| panic!("no kind {word}"))
    });
    Document::read(heading[0], text, kind).unwrap_or_else(|e| panic!("{e}"))
}

/// The compared text: everything that depends on the documents.
fn shown(findings: &[TuningFinding]) -> String {
    let mut out = String::new();
    for f in findings {
        let _ = writeln!(out, "{}: {}: {}: {}", f.place, f.severity, f.rule, f.value);
        for line in &f.code {
            let _ = writeln!(out, "  code: {line}");
        }
        for line in &f.needs {
            let _ = writeln!(out, "  needs: {line}");
        }
        for (place, what) in &f.because {
            let _ = writeln!(out, "  because: {place}: {what}");
        }
        if let Some(effect) = &f.effect {
            let _ = writeln!(out, "  effect: {effect}");
        }
    }
    out
}

#[test]
fn every_rule_finds_its_fault_and_is_silent_once_it_is_mended() {
    let mut wrong = Vec::new();
    for rule in rules() {
        let path = testdata().join("rules").join(format!("{}.txt", rule.name));
        let Ok(text) = fs::read_to_string(&path) else {
            wrong.push(format!("{}: no fixture {}", rule.name, path.display()));
            continue;
        };
        let (mut bad, mut good, mut expected) = (Vec::new(), Vec::new(), String::new());
        for (heading, body) in sections(&text) {
            match heading[..] {
                ["expected"] => expected = body,
                ["good", ..] => good.push(read(&heading[1..], &body)),
                _ => bad.push(read(&heading, &body)),
            }
        }
        let only = [rule.name.to_owned()];
        let found = shown(&advise(&DocumentSet::new(bad), &only));
        if found.is_empty() {
            wrong.push(format!("{}: finds nothing", rule.name));
        }
        if found.trim_end() != expected.trim_end() {
            if std::env::var_os("ADVISE_UPDATE").is_some() {
                fs::write(&path, updated(&text, &found)).expect("the fixture is written");
            } else {
                wrong.push(format!("{}: found\n{found}expected\n{expected}", rule.name));
            }
        }
        if good.is_empty() {
            wrong.push(format!("{}: no good document", rule.name));
        }
        let silent = shown(&advise(&DocumentSet::new(good), &only));
        if !silent.is_empty() {
            wrong.push(format!("{}: on the good document: {silent}", rule.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whole sets, written as shops write them: cards with marks and sequence
/// numbers, operands on groups, applications and terminals that have nothing
/// to do with LU 6.2. Every finding of every rule is compared.
#[test]
fn sets_of_definitions_give_their_findings_and_no_others() {
    for entry in fs::read_dir(testdata().join("sets")).expect("testdata/sets is there") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("text");
        let (mut documents, mut expected) = (Vec::new(), String::new());
        for (heading, body) in sections(&text) {
            match heading[..] {
                ["expected"] => expected = body,
                _ => documents.push(read(&heading, &body)),
            }
        }
        let found = shown(&advise(&DocumentSet::new(documents), &["sna".to_owned()]));
        if std::env::var_os("ADVISE_UPDATE").is_some() {
            fs::write(&path, updated(&text, &found)).expect("the set is written");
        } else {
            assert_eq!(found.trim_end(), expected.trim_end(), "{}", path.display());
        }
    }
}

/// `testdata/boundaries.txt`: for each rule documents just beyond the boundary
/// value, just at it, and its exceptions. `=== RULE speaks: WHY` begins a case with
/// a finding, `=== RULE is silent: WHY` one without.
#[test]
fn rules_speak_on_one_side_of_their_boundaries_only() {
    let text = fs::read_to_string(testdata().join("boundaries.txt")).expect("the cases");
    let mut wrong = Vec::new();
    let mut cases = 0;
    for case in text.split("=== ").skip(1) {
        let (heading, body) = case.split_once('\n').expect("a heading");
        let (rule, _) = heading.split_once(' ').expect("a rule");
        let documents = sections(body).into_iter().map(|(h, b)| read(&h, &b));
        let found = advise(&DocumentSet::new(documents), &[rule.to_owned()]);
        let spoke = found.iter().any(|f| f.rule == rule);
        if spoke != heading.contains(" speaks:") {
            wrong.push(format!("{heading}: {}", shown(&found)));
        }
        cases += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases > 200, "{cases}");
}

/// The fixture with new findings after its bad documents.
fn updated(text: &str, found: &str) -> String {
    let mut out = String::new();
    let mut skipping = false;
    let mut written = false;
    for line in text.lines() {
        if line.starts_with(">>> ") {
            skipping = line == ">>> expected";
            if skipping || (line.starts_with(">>> good") && !written) {
                written = true;
                let _ = write!(out, ">>> expected\n{found}");
            }
        }
        if !skipping {
            let _ = writeln!(out, "{line}");
        }
    }
    if !written {
        let _ = write!(out, ">>> expected\n{found}");
    }
    out
}

#[test]
fn a_clean_configuration_gives_no_finding() {
    for entry in fs::read_dir(testdata().join("clean")).expect("testdata/clean is there") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("text");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let document = Document::read(&name, &text, None).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(
            path.extension().unwrap_or_default(),
            document.kind.word,
            "{name}"
        );
        assert_eq!(document.diagnostics, [], "{name}");
        let found = shown(&advise(&DocumentSet::new([document]), &[]));
        assert!(found.is_empty(), "{found}");
    }
}

/// The guide's output equals that of the examples.
#[test]
fn the_guide_shows_what_is_printed() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guide = fs::read_to_string(root.join("docs/guide/advise.md")).expect("the guide is there");
    let folder = root.join("examples/advise/web");
    let look = advise::report::ReportStyle {
        width: 100,
        colour: false,
    };
    let prompt = "$ tupelo advise --rule ";
    let mut shown = 0;
    for block in guide
        .split("```")
        .filter(|b| b.trim_start().starts_with(prompt))
    {
        let (command, printed) = block
            .trim_start()
            .split_once('\n')
            .expect("a command and output");
        let mut words = command[2..].split_whitespace().skip(2);
        let (mut only, mut documents) = (Vec::new(), DocumentSet::default());
        while let Some(word) = words.next() {
            if word == "--rule" {
                only.extend(words.next().map(str::to_owned));
                continue;
            }
            let text = fs::read_to_string(folder.join(word)).expect("the example is there");
            documents.all.push(read(&[word], &text));
        }
        let report = advise::report::text(&documents, &advise(&documents, &only), &look);
        assert_eq!(printed, report, "{command}");
        shown += 1;
    }
    assert_eq!(shown, 2);
}
