//! The reference page of the causes, made from the rules' own table.

use std::fmt::Write;

use super::RULES;
use super::field::{Judged, Record, record};
use crate::judge::Judgement;

/// The page in Markdown.
pub fn reference_page() -> String {
    let judged = judged();
    let mut page = String::from(INTRODUCTION);
    page += &precision(&judged);
    page += "\n| cause | what it is |\n|---|---|\n";
    for rule in RULES {
        let about = rule.about();
        let _ = writeln!(
            page,
            "| [`{}`](#{}) | {} |",
            about.id,
            anchor(about.id),
            cell(about.title)
        );
    }
    for rule in RULES {
        let about = rule.about();
        let _ = write!(
            page,
            "\n## {}\n\n{}.\n\n- Linux: {}.\n- z/OS: {}.\n- Limits: {}\n{}{}- Literature: {}.\n",
            about.id,
            capital(about.title),
            one_line(about.linux).trim_end_matches('.'),
            one_line(about.zos).trim_end_matches('.'),
            one_line(about.limits),
            measured(about.id, &judged),
            met(record(about.id)),
            one_line(about.literature).trim_end_matches('.')
        );
    }
    page
}

/// The table that `cargo xtask judge --write` left.
fn judged() -> Judgement {
    serde_json::from_str(include_str!("judged.json")).unwrap_or_default()
}

/// How much is right of what is said, over all rules.
fn precision(judged: &Judgement) -> String {
    let mut text = format!(
        "\n## How much is right\n\n`cargo xtask judge` has the rules explain {} captures whose \
         truth their maker wrote down: conversations of a model, programs that really ran in \
         network namespaces, with each cause planted in many sizes and with what only looks like \
         one. Each section has its rule's share. The makers are the rules' own authors: other \
         networks have other surprises. Of claims on captures of strangers, chosen before they were opened, 78 to \
         99 in 100 of high confidence were right at first sight, and 70 to 94 of medium, from one sample to the \
         next. A rule is high at most where twenty claims of high confidence of its or more were judged there, and 98 in 100 were right, false numbers in true claims \
         counted as wrong; a change clears nothing until twenty claims of the changed rule were judged. What was right there so seldom that 85 in 100 would give it once in twenty samples at most is low.\n\n| confidence | right | wrong | share right |\n|---|---|---|---|\n",
        judged.captures
    );
    for confidence in ["high", "medium", "low"] {
        let (right, wrong) = judged.total(confidence);
        let share = right as f64 * 100.0 / (right + wrong).max(1) as f64;
        let _ = writeln!(text, "| {confidence} | {right} | {wrong} | {share:.1} % |");
    }
    let _ = writeln!(text, "\nPlanted and not named: {}.", judged.missed());
    text
}

/// One line on what was measured of a rule.
fn measured(rule: &str, judged: &Judgement) -> String {
    let said: Vec<String> = (judged.of(rule))
        .map(|line| match line.confidence.as_str() {
            "none" => format!("not named {} times although planted", line.silent),
            name => format!("{name} {} of {}", line.right, line.right + line.wrong),
        })
        .collect();
    match said.is_empty() {
        true => String::new(),
        false => format!("- Measured, right of said: {}.\n", said.join("; ")),
    }
}

/// One line on what captures of strangers showed of a rule.
fn met(record: Record) -> String {
    let said = |judged: Judged, name| {
        let count = judged.count();
        (count > 0).then(|| format!("{name} {} of {count}", judged.right))
    };
    let said = [
        said(record.present, "high"),
        said(record.before, "high before its last change"),
        said(record.medium, "medium"),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    match said.is_empty() {
        true => "- In captures of strangers: not met.\n".to_owned(),
        false => format!(
            "- In captures of strangers, right of said: {}.\n",
            said.join("; ")
        ),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().collect::<String>());
    first.unwrap_or_default() + letters.as_str()
}

/// The anchor that Markdown viewers give a heading.
fn anchor(heading: &str) -> String {
    heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '-' | ' ' | '_'))
        .map(|c| {
            if c == ' ' {
                '-'
            } else {
                c.to_ascii_lowercase()
            }
        })
        .collect()
}

const INTRODUCTION: &str = "\
# Causes

`tupelo capture explain` names these causes. This page is made by `tupelo reference causes`.

A *gap* is a time without a packet on a connection, longer than 1 ms. Rules on gaps take their cost \
out of the phase the gap lies in, so that phases and stalls add up to the exchange's time. \
`server.think` and `client.think` name a time and leave it where it is. The other rules tell of \
patterns beside the sum; their cost is an estimate and is never added.

## How this relates to the literature

- TAPO (Zhou et al., \"Demystifying and mitigating TCP stalls at the server side\", 2015) calls a \
stall a gap between two packets at the server longer than twice the smoothed round-trip time or the \
retransmission timeout, and divides stalls into server (data unavailable, resources), client (idle, \
zero window) and network (packet delay, retransmission by type). The rules here divide alike, with a \
fixed threshold, and add causes between the ends: Nagle's algorithm, delayed acknowledgements, small \
segments.
- T-RAT (Zhang et al., 2002) assigns each flow a limit: opportunity (slow start), application, sender \
window, receiver window, bandwidth, congestion, transport. Siekkinen et al. (2005, 2008) showed that \
it misjudges flows whose application does not always have data, and separates those periods first. \
The rules follow the critique: a pause in which nothing was in flight, longer than a round trip, is \
the application's before any window is looked at, and each pause is judged by itself, not the flow as \
a whole.
- Minshall, Saito, Mogul and Verghese (1999) and Mogul and Minshall (2001) describe how Nagle's \
algorithm and delayed acknowledgements harm each other in write-write-read patterns. The rule asks \
for the short segment, for bytes in flight below the window, and for the late acknowledgement.

## What no rule can know

A capture is taken at one place. Times at the far end are inferred from the handshake's round trip. \
Segments larger than the MSS are the work of segmentation offload: what was on the wire is not in the \
capture, and counts of packets are then too low. The congestion window, the send buffer and the \
application's writes are never on the wire.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_section_and_names_are_unique() {
        let page = reference_page();
        let mut names: Vec<&str> = RULES.iter().map(|r| r.about().id).collect();
        for name in &names {
            assert!(page.contains(&format!("\n## {name}\n")), "{name}");
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RULES.len());
    }
}
