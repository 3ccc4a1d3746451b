//! The rules against generated captures: a bound that a regression breaks.
//! `cargo xtask judge` judges many more.

use capture::judge::judge;
use capture::synth::corpus::cases;

#[test]
fn what_is_said_with_confidence_is_right() {
    let (judgement, misses) = judge(&cases(7, 5));
    let list = |wanted: &str| -> String {
        misses
            .iter()
            .filter(|m| {
                m.confidence
                    .is_some_and(|c| format!("{c:?}").to_lowercase() == wanted)
            })
            .map(|m| format!("\n{}: {}: {}", m.case, m.rule, m.text))
            .collect()
    };
    let (right, wrong) = judgement.total("high");
    assert!(
        wrong * 50 <= right,
        "high: {right} right, {wrong} wrong{}",
        list("high")
    );
    let (right, wrong) = judgement.total("medium");
    assert!(
        wrong * 6 <= right,
        "medium: {right} right, {wrong} wrong{}",
        list("medium")
    );
    let silent: String = (misses.iter().filter(|m| m.confidence.is_none()))
        .map(|m| format!("\n{}: {}", m.case, m.rule))
        .collect();
    assert!(
        judgement.missed() <= 8,
        "silent: {}{silent}",
        judgement.missed()
    );
}
