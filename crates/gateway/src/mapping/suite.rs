//! The language's own test suite, through both ways to a value.
//!
//! The suite is not part of this project. Its cases are the folder `test/test-suite` of
//! JSONata's reference implementation, which the tests read where
//! `JSONATA_SUITE` says:
//!
//! ```sh
//! JSONATA_SUITE=jsonata/test/test-suite cargo test -p gateway suite -- --nocapture
//! ```
//!
//! Each expression runs unchanged, below `$body`, and within the forms that
//! need no evaluator; each of these alone and as `(0; E)`.

use super::expr::{self, CompiledExpression, Condition};
use super::meaning::{EvaluationResult, doubled, with_request};
use serde_json::Value;
use std::path::Path;

/// The counts of the suite.
#[derive(Debug, Default)]
struct SuiteCounts {
    cases: usize,
    /// Cases with the suite's result, among those that can be compared.
    right: usize,
    compared: usize,
    expressions: usize,
    conditions: usize,
    /// The expressions among them that need no evaluator.
    direct: usize,
    differing: Vec<String>,
}

impl SuiteCounts {
    fn case(&mut self, case: &Value, data: &str) {
        let Some(source) = case["expr"].as_str() else {
            return;
        };
        self.cases += 1;
        let mut forms = vec![source.to_owned()];
        let first = source.trim_start().chars().next().unwrap_or('$');
        if first.is_alphabetic() || first == '`' {
            let below = format!("$body.{}", source.trim_start());
            self.rightness(case, data, &below);
            forms.extend([
                format!("$trim({below})"),
                format!("$replace({below}, / +$/, '')"),
                format!("($a := {below}; $a != null ? $a : [])"),
                format!("$exists({below})"),
                format!("$not({below})"),
                format!("{below} = 'x'"),
                format!("{below} != 1"),
                below,
            ]);
        }
        for form in forms {
            self.form(&form, data);
        }
    }

    /// Compares the direct evaluation of a path with the suite's result.
    fn rightness(&mut self, case: &Value, data: &str, below: &str) {
        let direct = matches!(expr::compile(below), Ok(CompiledExpression::Path(..)));
        let expected = match (case.get("result"), case.get("undefinedResult")) {
            (Some(result), _) => Some(doubled(result.clone())),
            (None, Some(_)) => None,
            _ => return,
        };
        if !direct || !data.starts_with('{') {
            return;
        }
        let mut found: EvaluationResult = Ok(None);
        with_request(Some(data), "x", |asked| found = asked.values(below).0);
        self.compared += 1;
        if found == Ok(expected.clone()) {
            self.right += 1
        } else {
            self.differing
                .push(format!("{below}: {found:?}, the suite has {expected:?}"))
        }
    }

    fn form(&mut self, source: &str, data: &str) {
        if let Ok(compiled) = expr::compile(source)
            && expr::general(&format!("(0; {source})")).is_ok()
        {
            self.expressions += 1;
            self.direct += usize::from(!matches!(compiled, CompiledExpression::General(_)));
            with_request(Some(data), "x", |asked| {
                let (fast, whole) = asked.values(source);
                self.compare(source, &fast, &whole);
            });
        }
        if let Ok(compiled) = expr::compile_condition(source)
            && expr::general(&format!("(0; {source})")).is_ok()
        {
            self.conditions += 1;
            self.direct += usize::from(!matches!(compiled, Condition::General(_)));
            with_request(Some(data), "x", |asked| {
                let (fast, whole) = asked.conditions(source);
                self.compare(source, &fast, &whole);
            });
        }
    }

    fn compare<T: PartialEq + std::fmt::Debug>(&mut self, source: &str, fast: &T, whole: &T) {
        // Random values and times differ between two evaluations.
        let fickle = ["$random", "$shuffle", "$now", "$millis"];
        if fast != whole && !fickle.iter().any(|name| source.contains(name)) {
            self.differing
                .push(format!("{source}: {fast:?} and evaluated {whole:?}"));
        }
    }
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or(Value::Null)
}

fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn the_language_s_own_suite_means_the_same_on_both_ways() {
    let Some(folder) = std::env::var_os("JSONATA_SUITE") else {
        println!("skipped: JSONATA_SUITE names no folder");
        return;
    };
    let folder = Path::new(&folder);
    let mut seen = SuiteCounts::default();
    for group in files(&folder.join("groups")) {
        for file in files(&group) {
            let cases = match read(&file) {
                Value::Array(cases) => cases,
                case => vec![case],
            };
            for mut case in cases {
                if let Some(name) = case["expr-file"].as_str() {
                    case["expr"] = std::fs::read_to_string(group.join(name)).unwrap().into();
                }
                let data = match case["dataset"].as_str() {
                    Some(name) => read(&folder.join(format!("datasets/{name}.json"))),
                    None => case["data"].clone(),
                };
                seen.case(&case, &data.to_string());
            }
        }
    }
    let (right, compared) = (seen.right, seen.compared);
    println!(
        "{} cases: {} expressions and {} conditions, {} of them without the evaluator; \
         {right} of {compared} direct paths give what the suite says",
        seen.cases, seen.expressions, seen.conditions, seen.direct
    );
    assert!(seen.cases > 1_000, "this is not the suite");
    assert!(
        seen.differing.is_empty(),
        "{} differ:\n{}",
        seen.differing.len(),
        seen.differing.join("\n")
    );
}
