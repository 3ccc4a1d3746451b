//! Not kept.
use capture::{Options, explain};

#[test]
#[ignore]
fn sample() {
    for (list, out) in [
        ("sample11.json", "after11c"),
        ("sample12.json", "after12c"),
        ("sample10.json", "after10c"),
    ] {
        let text = std::fs::read_to_string(format!("/tmp/claims/{list}")).unwrap();
        let rows: Vec<(String, String, String)> = serde_json::from_str(&text).unwrap();
        std::fs::create_dir_all(format!("/tmp/claims/{out}")).unwrap();
        for (_, _, sha) in rows {
            let file = std::fs::File::open(format!("/tmp/claims/cap/{sha}")).unwrap();
            let value = match explain(std::io::BufReader::new(file), &Options::default()) {
                Ok(explanation) => serde_json::json!({ "explanation": explanation }),
                Err(_) => continue,
            };
            std::fs::write(format!("/tmp/claims/{out}/{sha}.json"), value.to_string()).unwrap();
        }
    }
}

#[test]
#[ignore]
fn table() {
    let (table, misses) = capture::judge::judge(&capture::synth::corpus::cases(1, 40));
    let text = serde_json::to_string_pretty(&table).unwrap() + "\n";
    std::fs::write("/tmp/claims/judged.json", text).unwrap();
    let list: Vec<String> = misses
        .iter()
        .map(|m| format!("{:?} {} {}: {}", m.confidence, m.rule, m.case, m.text))
        .collect();
    std::fs::write("/tmp/claims/misses9.txt", list.join("\n")).unwrap();
}

#[test]
#[ignore]
fn page() {
    std::fs::write("/tmp/claims/causes.md", capture::rules::reference_page()).unwrap();
}
