//! Three sentences: how the time was spent, what cost most, what to change.

use super::{ms, percent, total_ns};
use crate::rules::{is_own_time, rule};
use crate::{Cause, Explanation, Phase, Totals};

/// The sentences.
pub fn summary(explanation: &Explanation) -> [String; 3] {
    [spent(explanation), worst(explanation), change(explanation)]
}

fn spent(explanation: &Explanation) -> String {
    let totals = &explanation.totals;
    let total = total_ns(explanation);
    if totals.exchanges == 0 {
        return format!(
            "The capture holds {} on {} and no request with an answer.",
            count(explanation.capture.packets, "packet"),
            connections(totals)
        );
    }
    let think = totals.phases.of(Phase::ServerThink);
    format!(
        "{} on {} took {} ms{} on average; {:.0} % of that time was stalls on the network, {:.0} % \
         the server's own, and {:.0} % set-up and transfer.",
        count(totals.exchanges, "request"),
        connections(totals),
        ms(total / totals.exchanges.max(1) as i64),
        if totals.exchanges == 1 { "" } else { " each" },
        percent(totals.stalled_ns, total),
        percent(think, total),
        percent(total - totals.stalled_ns - think, total)
    )
}

/// How many connections, and how many of them are halves of links.
fn connections(totals: &Totals) -> String {
    let all = count(totals.connections, "connection");
    match totals.paired_links {
        0 => all,
        links => format!("{all} ({} of two)", count(links, "DLSw link")),
    }
}

/// A number and what it counts.
fn count(number: u64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

/// The costliest cause that can be changed: stalls first, then what is told
/// beside the sum.
fn costliest(explanation: &Explanation) -> Option<&Cause> {
    let fault = |c: &&Cause| !is_own_time(c.rule);
    let causes = || explanation.causes.iter().filter(fault);
    let stall = causes()
        .filter(|c| c.stalled_ns > 0)
        .max_by_key(|c| c.stalled_ns);
    stall.or_else(|| causes().max_by_key(|c| c.cost_ns))
}

fn worst(explanation: &Explanation) -> String {
    let Some(cause) = costliest(explanation) else {
        return match explanation.totals.exchanges {
            0 => nothing(&explanation.totals),
            _ => "No cause on the network was found; what time there is, the server and the path \
                  themselves took."
                .to_owned(),
        };
    };
    let title = rule(cause.rule).map_or(cause.rule, |r| r.about().title);
    let times = match cause.count {
        1 => "once".to_owned(),
        n => format!("{n} times"),
    };
    let evidence = explanation.findings.iter().find(|f| f.rule == cause.rule);
    let evidence = evidence.map_or(String::new(), |f| packets(&f.packets));
    match cause.stalled_ns {
        0 => format!("Found {times}: {title} ({}){evidence}.", cause.rule),
        stalled => format!(
            "Most of the stalled time, {} of {} ms, has one cause, found {times}: {title} \
             ({}){evidence}.",
            ms(stalled),
            ms(explanation.totals.stalled_ns),
            cause.rule
        ),
    }
}

/// What was there instead of requests.
fn nothing(totals: &Totals) -> String {
    let tcp = totals.segments;
    let other = totals.other_frames - totals.search_frames - totals.llc_frames;
    let parts = [
        (tcp, "of TCP or SNA, none of them an answer to a request"),
        (
            totals.search_frames,
            "802.2 TEST or XID, with which stations look for each other: no session came of them",
        ),
        (
            totals.llc_frames,
            "802.2 of other users (spanning tree, NetBIOS, SNAP)",
        ),
        (other, "neither TCP nor 802.2"),
        (
            totals.undecodable_frames,
            "cut, damaged or of a link type not read here",
        ),
    ];
    let told: Vec<String> = (parts.iter())
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    match told.is_empty() {
        true => "Nothing could be judged.".to_owned(),
        false => format!(
            "Nothing could be judged; of the packets are {}.",
            told.join("; ")
        ),
    }
}

fn packets(packets: &[u64]) -> String {
    let numbers: Vec<String> = packets.iter().map(u64::to_string).collect();
    match numbers.len() {
        0 => String::new(),
        1 => format!(", for example packet {}", numbers[0]),
        _ => format!(", for example packets {}", numbers.join(", ")),
    }
}

fn change(explanation: &Explanation) -> String {
    let Some((cause, rule)) = costliest(explanation).and_then(|c| Some((c, rule(c.rule)?))) else {
        let total = total_ns(explanation);
        if total == 0 && explanation.totals.exchanges == 0 {
            return "Nothing can be said of what to change.".to_owned();
        }
        let think = explanation.totals.phases.of(Phase::ServerThink);
        return match percent(think, total) > 50.0 {
            true => "There is nothing to change on the network; look at the server.".to_owned(),
            false => "There is nothing to change on the network.".to_owned(),
        };
    };
    let n = explanation.totals.exchanges.max(1) as i64;
    let total = total_ns(explanation);
    let gain = match cause.stalled_ns {
        0 => String::new(),
        stalled => format!(
            "; without it a request would take {} instead of {} ms on average",
            ms((total - stalled) / n),
            ms(total / n)
        ),
    };
    format!(
        "What to change on Linux: {}; on z/OS: {}{gain}.",
        flat(rule.about().linux),
        flat(rule.about().zos)
    )
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
