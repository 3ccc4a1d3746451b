//! Several capture points in a report: their clocks, time and losses of each part
//! of the path, and the places of the waits.

use maud::{Markup, html};
use page::{PageTable, note};

use super::columns::columns;
use super::ms;
use crate::capture_points::{CaptureFile, CapturePoints, HopWay};

/// The section of the text.
pub(super) fn points_text(points: &CapturePoints) -> String {
    let mut out = String::new();
    for (name, rows) in tables(points) {
        out += &columns(&name, &rows);
    }
    for line in notes(points) {
        out += &line;
        out.push('\n');
    }
    out
}

/// The section of the page.
pub(super) fn points_html(points: &CapturePoints) -> Markup {
    let table = |(heads, rows): Table| {
        let heads = heads.into_iter().map(|head| head.trim_start_matches('>'));
        let mut table = PageTable::new(heads);
        for row in rows {
            table.row_of(row);
        }
        table.scrolling()
    };
    html! {
        h2 { "Where on the way" }
        div.card {
            p { (points.sentence) }
            @for one in tables(points) { (table(one)) }
            @for line in notes(points) { (note(line)) }
        }
    }
}

type Table = (Vec<&'static str>, Vec<Vec<String>>);

/// The captures, the parts of the path, and the places of the time.
fn tables(points: &CapturePoints) -> [Table; 3] {
    let captures = points.points.iter().map(capture_row).collect();
    let mut ways = Vec::new();
    for (hop, pair) in points.hops.iter().zip(points.points.windows(2)) {
        ways.push(way_row(&pair[0].name, &pair[1].name, &hop.out));
        ways.push(way_row(&pair[1].name, &pair[0].name, &hop.back));
    }
    let places = (points.places.iter())
        .filter(|place| place.all_ms > 0.0)
        .map(|place| {
            let in_ms = |value: f64| ms((value * 1e6) as i64);
            vec![
                place.place.clone(),
                in_ms(place.verdict_ms),
                in_ms(place.all_ms),
            ]
        })
        .collect();
    [
        (
            vec![
                "capture",
                ">packets",
                ">clock ahead ms",
                ">± ms",
                ">drift ppm",
            ],
            captures,
        ),
        (
            vec![
                "from",
                "to",
                ">packets",
                ">lost",
                ">least ms",
                ">median",
                ">p99",
                ">most",
            ],
            ways,
        ),
        (vec!["place", ">verdict ms", ">all waits ms"], places),
    ]
}

fn capture_row(file: &CaptureFile) -> Vec<String> {
    let mut row = vec![file.name.clone(), file.packets.to_string()];
    match &file.clock {
        Some(clock) => {
            let error = clock
                .error_ms
                .map_or("?".to_owned(), |ms| format!("{ms:.3}"));
            row.extend([format!("{:.3}", clock.ahead_ms), error]);
            row.push(format!("{:.1}", clock.drift_ppm));
        }
        None => row.extend(["0".to_owned(), String::new(), String::new()]),
    }
    row
}

fn way_row(from: &str, to: &str, way: &HopWay) -> Vec<String> {
    let mut row = vec![
        from.to_owned(),
        to.to_owned(),
        way.packets.to_string(),
        way.lost.to_string(),
    ];
    match way.delay_ms {
        Some(delays) => row.extend(delays.map(|delay| ms((delay * 1e6) as i64))),
        None => row.extend(std::iter::repeat_n(String::new(), 4)),
    }
    row
}

/// Notes in addition to the tables.
fn notes(points: &CapturePoints) -> Vec<String> {
    let mut notes = Vec::new();
    let ways = || points.hops.iter().flat_map(|hop| [&hop.out, &hop.back]);
    let sum = |of: fn(&HopWay) -> u64| ways().map(of).sum::<u64>();
    let counts = [
        (sum(|way| way.lost_acks), "acknowledgements lost on the way"),
        (
            sum(|way| way.not_recorded),
            "packets that arrived and that the capture there does not have",
        ),
        (
            sum(|way| way.unseen),
            "packets that only the receiver's capture has",
        ),
        (sum(|way| way.overtaken), "packets that overtook another"),
        (
            points.repeats.past_last,
            "requests' segments sent again although the last capture had them: lost after it, or \
             acknowledged late",
        ),
        (
            points.repeats.past_first,
            "answers' segments sent again although the first capture had them: lost after it, or \
             acknowledged late",
        ),
        (
            points.points.iter().map(|point| point.left_out).sum(),
            "packets beyond the limit of pairing; use --filter",
        ),
    ];
    for (count, text) in counts {
        if count > 0 {
            notes.push(format!("{count} {text}"));
        }
    }
    notes.extend(losses(points));
    notes
}

/// The first losses of each direction of each hop.
fn losses(points: &CapturePoints) -> Vec<String> {
    let mut lines = Vec::new();
    for (hop, pair) in points.points.windows(2).enumerate() {
        for request_way in [true, false] {
            let lost: Vec<String> = (points.losses.iter())
                .filter(|lost| (lost.hop, lost.request_way) == (hop, request_way))
                .take(LOSSES)
                .map(|lost| lost.packet.to_string())
                .collect();
            let (from, to) = if request_way {
                (&pair[0].name, &pair[1].name)
            } else {
                (&pair[1].name, &pair[0].name)
            };
            if !lost.is_empty() {
                let packets = lost.join(", ");
                lines.push(format!(
                    "lost: packets {packets} of {from} did not reach {to}"
                ));
            }
        }
    }
    lines
}

/// Lost packets that are named.
const LOSSES: usize = 8;
