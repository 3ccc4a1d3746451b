//! The packet ladder of an exchange: time runs down, one line for each end, an
//! arrow for each packet, a band for each wait in the colour of its kind.
//!
//! Every packet has a little height of its own and the rest is shared out by
//! time, so that a wait of 200 ms is tall and packets microseconds apart can
//! still be read. Bursts of many packets become one arrow each way. A long
//! exchange shows the packets around its longest waits.

use maud::{Markup, html};
use page::chart::{PxLength, SvgPicture};

use super::detail::second_port;
use super::ms;
use super::paint::paint;
use crate::{Connection, ConnectionSide, Exchange, LedgerInterval, Segment, TcpFlags, station};

/// The diagram for a page: a wide and a narrow SVG element, of which the page's
/// style shows one. For a DLSw link with two TCP connections, `second` is the
/// second one.
pub fn ladder_svg(
    connection: Option<&Connection>,
    second: Option<&Connection>,
    exchange: &Exchange,
) -> Markup {
    html! {
        (diagram(&WIDE, connection, second, exchange))
        (diagram(&NARROW, connection, second, exchange))
    }
}

/// The measures of a diagram, in its own units.
struct Frame {
    class: &'static str,
    width: f64,
    /// Position of the client's line.
    left: f64,
    /// Position of the server's line.
    right: f64,
    /// Whether whole addresses do not fit above a line.
    tight: bool,
}

impl Frame {
    /// Position between both lines.
    fn middle(&self) -> f64 {
        (self.left + self.right) / 2.0
    }
}

/// Some 640 px wide next to a plot, so that its letters stay above 12 px.
const WIDE: Frame = Frame {
    class: "plot packets wide",
    width: 660.0,
    left: 100.0,
    right: 570.0,
    tight: false,
};

/// On a telephone, where 340 units are some 340 px.
const NARROW: Frame = Frame {
    class: "plot packets narrow",
    width: 340.0,
    left: 66.0,
    right: 290.0,
    tight: true,
};

fn diagram(
    frame: &Frame,
    connection: Option<&Connection>,
    second: Option<&Connection>,
    exchange: &Exchange,
) -> Markup {
    let (arrows, left_out) = fewer(arrows(exchange));
    let Some(start_ns) = arrows.first().map(|a| a.at_ns) else {
        return html! {};
    };
    let heights = heights(&arrows, exchange);
    let last = heights.last().copied().unwrap_or(TOP);
    let bottom = last + 24.0;
    let title = format!("Packets of exchange {}", exchange.id);
    let description = format!(
        "Time runs down from the first packet. {} arrows between client and server, {} waits.",
        arrows.len(),
        exchange.waits.len()
    );
    let picture = SvgPicture {
        class: frame.class,
        view: [0.0, 0.0, frame.width, (bottom + 12.0).round()],
        title: &title,
        description: &description,
    };
    let name = |side| connection.map_or(String::new(), |c| end_name(c, second, side));
    picture.around(&html! {
        (end(frame, ConnectionSide::Client, &name(ConnectionSide::Client)))
        (end(frame, ConnectionSide::Server, &name(ConnectionSide::Server)))
        (bands(frame, exchange, &arrows, &heights))
        @for (arrow, y) in arrows.iter().zip(&heights) {
            (drawn_arrow(frame, arrow, *y, start_ns, connection))
        }
        @for x in [frame.left, frame.right] {
            line x1=(x) x2=(x) y1=(TOP - 4.0) y2=(bottom) style="stroke:var(--ink)" stroke-width="1.5" {}
        }
        @if left_out > 0 {
            text.faint x=(whole(frame.middle())) y=(whole(bottom)) text-anchor="middle" {
                (left_out) " arrows are left out"
            }
        }
    })
}

/// The height of each arrow, from the top of the picture.
fn heights(arrows: &[LadderArrow], exchange: &Exchange) -> Vec<f64> {
    let start_ns = arrows.first().map_or(0, |a| a.at_ns);
    let end_ns = arrows.last().map_or(start_ns, |a| a.to_ns);
    let span = (end_ns - start_ns).max(1) as f64;
    let tall = (TIME_HEIGHT).max(arrows.len() as f64 * 2.0);
    let mut y = TOP;
    let mut before_ns = start_ns;
    let mut heights = Vec::with_capacity(arrows.len());
    for arrow in arrows {
        let waits = |wait: &&LedgerInterval| wait.from_ns < arrow.at_ns && wait.to_ns > before_ns;
        let least = match exchange.waits.iter().filter(waits).count().min(MOST_LINES) {
            0 => ARROW_HEIGHT,
            lines => GAP_HEIGHT + (lines - 1) as f64 * LINE_HEIGHT,
        };
        y += least + (arrow.at_ns - before_ns).max(0) as f64 / span * tall;
        heights.push(y);
        before_ns = arrow.to_ns;
    }
    heights
}

/// A band for each wait, from the arrow before it to the one that ended it. Packets
/// within the wait are drawn over the band.
fn bands(frame: &Frame, exchange: &Exchange, arrows: &[LadderArrow], heights: &[f64]) -> Markup {
    let ends = |wait: &LedgerInterval| {
        let first = arrows.iter().rposition(|a| a.at_ns <= wait.from_ns)?;
        let last = arrows.iter().position(|a| a.at_ns >= wait.to_ns)?;
        (first < last).then_some((first, last))
    };
    let waits = exchange.waits.iter();
    let placed: Vec<_> = waits.filter_map(|wait| Some((ends(wait)?, wait))).collect();
    html! {
        @for (at, (ends, wait)) in placed.iter().enumerate() {
            // Waits between the same two arrows are drawn one below the other.
            @let same = |one: &&(_, &LedgerInterval)| one.0 == *ends;
            @let part = placed[..at].iter().filter(same).count();
            @let parts = placed.iter().filter(same).count();
            (band(frame, wait, &heights[ends.0..=ends.1], (part, parts)))
        }
    }
}

/// The name and port of an end of a connection; for a link of two, both ports.
fn end_name(c: &Connection, second: Option<&Connection>, side: ConnectionSide) -> String {
    let end = c.end(side);
    let name = station::end_name(end.address, end.port);
    match second {
        Some(second) => format!("{name}, :{}", second_port(second, c, side)),
        None => name,
    }
}

/// The heading above the line of an end.
fn end(frame: &Frame, side: ConnectionSide, name: &str) -> Markup {
    let (word, x) = match side {
        ConnectionSide::Client => ("client", frame.left),
        ConnectionSide::Server => ("server", frame.right),
    };
    let (at, anchor) = match (frame.tight, side) {
        (false, _) => (x, "middle"),
        (true, ConnectionSide::Client) => (2.0, "start"),
        (true, ConnectionSide::Server) => (frame.width - 2.0, "end"),
    };
    html! {
        text.label x=(at) y="16" text-anchor=(anchor) { (word) }
        text.faint x=(at) y="30" text-anchor=(anchor) { (name) }
    }
}

/// A position without decimals.
fn whole(value: f64) -> f64 {
    value.round()
}

/// One arrow: a packet, or a burst of them.
struct LadderArrow {
    packet: u64,
    at_ns: i64,
    to_ns: i64,
    from: ConnectionSide,
    bytes: u64,
    packets: usize,
    text: String,
    resent: bool,
}

fn arrows(exchange: &Exchange) -> Vec<LadderArrow> {
    let single = exchange.segments.len() <= SINGLE;
    let mut arrows: Vec<LadderArrow> = Vec::new();
    let mut burst = 0;
    for (n, segment) in exchange.segments.iter().enumerate() {
        let after_gap = n > 0 && segment.time_ns - exchange.segments[n - 1].time_ns > BURST_NS;
        if after_gap {
            burst = arrows.len();
        }
        let control = segment
            .flags
            .any(TcpFlags::SYN | TcpFlags::FIN | TcpFlags::RST);
        let first = burst.min(arrows.len());
        let joined = arrows[first..].iter_mut().find(|a| {
            !single && !control && a.from == segment.from && (a.bytes > 0) == (segment.len > 0)
        });
        match joined {
            Some(arrow) => {
                arrow.to_ns = segment.time_ns;
                arrow.bytes += u64::from(segment.len);
                arrow.packets += 1;
                arrow.resent |= segment.marks.any(crate::SegmentMarks::RESENT);
            }
            None => arrows.push(LadderArrow {
                packet: segment.packet,
                at_ns: segment.time_ns,
                to_ns: segment.time_ns,
                from: segment.from,
                bytes: u64::from(segment.len),
                packets: 1,
                text: words(segment),
                resent: segment.marks.any(crate::SegmentMarks::RESENT),
            }),
        }
    }
    arrows
}

/// Keeps the arrows around the longest times between two; the number of the
/// others is the second value.
fn fewer(arrows: Vec<LadderArrow>) -> (Vec<LadderArrow>, usize) {
    if arrows.len() <= MOST_ARROWS {
        return (arrows, 0);
    }
    let mut gaps: Vec<(i64, usize)> = (1..arrows.len())
        .map(|at| (arrows[at].at_ns - arrows[at - 1].to_ns, at))
        .collect();
    gaps.sort_by_key(|(ns, at)| (std::cmp::Reverse(*ns), *at));
    let mut keep = vec![false; arrows.len()];
    keep[..2].fill(true);
    keep[arrows.len() - 1] = true;
    let mut kept = 3;
    for (_, at) in gaps {
        for one in [at - 1, at] {
            kept += usize::from(!keep[one]);
            keep[one] = true;
        }
        if kept >= MOST_ARROWS {
            break;
        }
    }
    let left_out = arrows.len() - keep.iter().filter(|one| **one).count();
    let kept = arrows.into_iter().zip(keep);
    (
        kept.filter(|(_, keep)| *keep)
            .map(|(arrow, _)| arrow)
            .collect(),
        left_out,
    )
}

fn words(segment: &Segment) -> String {
    match segment.via {
        0 => what(segment),
        _ => format!("{} (second)", what(segment)),
    }
}

fn what(segment: &Segment) -> String {
    if segment.flags.has(TcpFlags::SYN | TcpFlags::ACK) {
        return "SYN ACK".to_owned();
    }
    let flags = [
        (TcpFlags::SYN, "SYN"),
        (TcpFlags::FIN, "FIN"),
        (TcpFlags::RST, "RST"),
    ];
    let named: Vec<&str> = flags
        .iter()
        .filter(|(bit, _)| segment.flags.has(*bit))
        .map(|(_, n)| *n)
        .collect();
    match (segment.len, named.is_empty()) {
        (0, true) => format!("ACK {}", segment.ack),
        (0, false) => named.join(" "),
        (len, _) => format!("{len} bytes"),
    }
}

fn drawn_arrow(
    frame: &Frame,
    arrow: &LadderArrow,
    y: f64,
    start_ns: i64,
    connection: Option<&Connection>,
) -> Markup {
    let (from, to) = match arrow.from {
        ConnectionSide::Client => (frame.left, frame.right),
        ConnectionSide::Server => (frame.right, frame.left),
    };
    // Arrows slope by the way's share that is on either side of the capture.
    let far = connection.map_or(0, |c| c.end(arrow.from.other()).rtt.best_ns().unwrap_or(0));
    let slope = if far > 200_000 { 8.0 } else { 3.0 };
    let head = if to > from { -8.0 } else { 8.0 };
    let text = match (arrow.packets, arrow.bytes) {
        (1, _) => arrow.text.clone(),
        (n, 0) => format!("{n} acknowledgements"),
        (n, bytes) => format!("{n} packets, {bytes} bytes"),
    };
    let stroke = match (arrow.resent, arrow.bytes > 0) {
        (true, _) => "var(--c3)",
        (_, true) => "var(--c0)",
        _ => "var(--faint)",
    };
    let (style, fill) = (format!("stroke:{stroke}"), format!("fill:{stroke}"));
    let end = y + slope;
    html! {
        line x1=(from) y1=(PxLength(y)) x2=(to) y2=(PxLength(end)) style=(style) stroke-width="1.5" {}
        path d={ "M" (to) " " (PxLength(end)) "l" (head) " -4v7z" } style=(fill) {}
        text x=(whole(frame.middle())) y=(PxLength(y - 5.0 + slope / 2.0)) text-anchor="middle" {
            (text)
            @if arrow.resent { ", sent again" }
        }
        text.faint x=(whole(frame.left - 6.0)) y=(PxLength(y + 4.0)) text-anchor="end" {
            (ms(arrow.at_ns - start_ns)) " ms"
        }
        text.faint x=(whole(frame.right + 6.0)) y=(PxLength(y + 4.0)) { "#" (arrow.packet) }
    }
}

/// The band of a wait over the heights of its arrows, its text where there is
/// most room.
fn band(
    frame: &Frame,
    wait: &LedgerInterval,
    heights: &[f64],
    (part, parts): (usize, usize),
) -> Markup {
    let kind = wait.reason.kind();
    let (colour, opacity) = paint(kind);
    let (style, opacity) = (format!("fill:{colour}"), opacity * BAND_OPACITY);
    let (from, to) = (heights[0], heights[heights.len() - 1]);
    let height = (to - from - 26.0).max(2.0) / parts as f64;
    let top = from + 11.0 + height * part as f64;
    let rooms = heights.windows(2).map(|pair| (pair[1] - pair[0], pair[0]));
    let (room, start) = rooms.fold(
        (0.0, from),
        |best, one| if one.0 > best.0 { one } else { best },
    );
    let width = frame.right - frame.left;
    let mut words = format!("{} ms  {}", ms(wait.length_ns()), kind.title());
    if words.chars().count() as f64 * CHARACTER > width {
        // The legend has the kind by its colour.
        words = format!("{} ms", ms(wait.length_ns()));
    }
    let text_y = if parts == 1 {
        start + room / 2.0 + 2.0
    } else {
        top + height / 2.0 + 4.0
    };
    html! {
        rect x=(frame.left) y=(PxLength(top)) width=(width) height=(PxLength(height)) style=(style)
            opacity=(format_args!("{opacity:.2}")) {}
        text.label x=(whole(frame.middle())) y=(PxLength(text_y)) text-anchor="middle" { (words) }
    }
}

/// Width of a character of a band's text, in units of the diagram.
const CHARACTER: f64 = 6.6;

/// More arrows make a page too long.
const MOST_ARROWS: usize = 22;

/// Up to so many packets each has its arrow.
const SINGLE: usize = 22;

/// Packets closer than this are one burst.
const BURST_NS: i64 = 500_000;

const TOP: f64 = 44.0;
const ARROW_HEIGHT: f64 = 20.0;

/// A gap has room for its own line of text above its arrow's.
const GAP_HEIGHT: f64 = 42.0;

/// Bands are paler than bars: there is text on them.
const BAND_OPACITY: f64 = 0.22;

/// One more line of text in a gap.
const LINE_HEIGHT: f64 = 16.0;

/// Lines of text for which a gap makes room.
const MOST_LINES: usize = 4;

/// Height that is shared out by time.
const TIME_HEIGHT: f64 = 260.0;
