//! The reference page of the causes, made from the rules' own table.

use std::fmt::Write;

use super::RULES;

/// The page in Markdown.
pub fn reference_page() -> String {
    let mut page = String::from(INTRODUCTION);
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
            "\n## {}\n\n{}.\n\n- Linux: {}.\n- z/OS: {}.\n- Limits: {}\n- Literature: {}.\n",
            about.id,
            capital(about.title),
            one_line(about.linux).trim_end_matches('.'),
            one_line(about.zos).trim_end_matches('.'),
            one_line(about.limits),
            one_line(about.literature).trim_end_matches('.')
        );
    }
    page
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
