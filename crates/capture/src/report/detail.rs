//! One exchange, packet by packet, with its waits between them.

use std::fmt::Write;

use super::columns::columns;
use super::{ms, percent};
use crate::{
    CaptureExplanation, CapturePoint, Connection, ConnectionSide, EvidenceKind, Exchange, Segment,
    station,
};

/// The exchange of this number (its request's first packet), if it was kept.
pub fn detail(explanation: &CaptureExplanation, number: u64) -> Option<String> {
    let exchange = explanation.exchanges.iter().find(|e| e.id == number)?;
    let connection = explanation
        .connections
        .iter()
        .find(|c| c.id == exchange.connection);
    let mut out = String::new();
    let _ = writeln!(out, "Exchange {}: {}", exchange.id, exchange.label);
    if let Some(connection) = connection {
        let _ = writeln!(out, "{}", ends(connection));
        if let Some(second) = second(explanation, connection) {
            let _ = writeln!(out, "second TCP connection of the link: {}", ends(second));
        }
    }
    out += "\n";
    out += &slices(exchange);
    out += "\n";
    out += &packets(exchange);
    Some(out)
}

/// The second TCP connection of the DLSw link that this one is the first of.
pub(super) fn second<'a>(
    explanation: &'a CaptureExplanation,
    connection: &Connection,
) -> Option<&'a Connection> {
    let link = connection.link?;
    explanation.connections.iter().find(|c| c.id == link)
}

/// The port of a link's second connection at one end of the link: as a rule the
/// server of the first one opened it.
pub(super) fn second_port(second: &Connection, first: &Connection, side: ConnectionSide) -> u16 {
    let side = if second.server.address == first.client.address {
        side.other()
    } else {
        side
    };
    second.end(side).port
}

fn ends(connection: &Connection) -> String {
    let end = |side: ConnectionSide| {
        let end = connection.end(side);
        let mss = end.mss.map_or(String::new(), |mss| format!(" (MSS {mss})"));
        format!("{}{mss}", station::end_name(end.address, end.port))
    };
    let rtt = connection
        .rtt_ns()
        .map_or(String::new(), |rtt| format!(", round trip {} ms", ms(rtt)));
    format!(
        "{} to {}{rtt}; {}",
        end(ConnectionSide::Client),
        end(ConnectionSide::Server),
        taken(connection.capture_point)
    )
}

fn taken(point: CapturePoint) -> &'static str {
    match point {
        CapturePoint::Unknown => "place of capture unknown",
        CapturePoint::Client => "captured near the client",
        CapturePoint::Server => "captured near the server",
        CapturePoint::Middle => "captured between them",
        CapturePoint::Both => "captured near both",
    }
}

fn slices(exchange: &Exchange) -> String {
    let total = exchange.total_ns();
    let row = |name: &str, ns: i64| {
        vec![
            name.to_owned(),
            ms(ns),
            format!("{:.1}", percent(ns, total)),
        ]
    };
    let mut rows: Vec<Vec<String>> = EvidenceKind::ALL
        .iter()
        .filter(|kind| exchange.slices.of(**kind) > 0)
        .map(|kind| row(kind.title(), exchange.slices.of(*kind)))
        .collect();
    rows.push(row("sum", total));
    columns(&["", ">ms", ">%"], &rows)
}

fn packets(exchange: &Exchange) -> String {
    let Some(first) = exchange.segments.first() else {
        return "its packets were not kept\n".to_owned();
    };
    let mut rows = Vec::new();
    let mut previous: Option<&Segment> = None;
    for segment in &exchange.segments {
        for wait in exchange
            .waits
            .iter()
            .filter(|wait| wait.after == segment.packet)
        {
            let text = format!(
                "-- {} ms: {} ({}, {})",
                ms(wait.length_ns()),
                wait.reason.kind().title(),
                wait.reason.name(),
                wait.owner.name()
            );
            rows.push(vec![String::new(), String::new(), String::new(), text]);
        }
        let apart = previous.map_or(0, |p| segment.time_ns - p.time_ns);
        rows.push(vec![
            segment.packet.to_string(),
            ms(segment.time_ns - first.time_ns),
            ms(apart),
            describe(segment),
        ]);
        previous = Some(segment);
    }
    let mut out = columns(&[">packet", ">at ms", ">after ms", ""], &rows);
    if exchange.segments_omitted > 0 {
        let _ = writeln!(out, "{} packets are left out", exchange.segments_omitted);
    }
    out
}

/// A packet as text.
pub(super) fn describe(segment: &Segment) -> String {
    let arrow = match segment.from {
        ConnectionSide::Client => "client ->",
        ConnectionSide::Server => "       <- server",
    };
    let what = match segment.len {
        0 => format!("ACK {}", segment.ack),
        len => format!("{len} bytes, seq {}", segment.seq),
    };
    let flags = [(0x02, " SYN"), (0x01, " FIN"), (0x04, " RST")];
    let flags: String = flags
        .iter()
        .filter(|(bit, _)| segment.flags.has(*bit))
        .map(|(_, name)| *name)
        .collect();
    let marks: Vec<&str> = segment.marks.names().filter(|n| *n != "advances").collect();
    let marks = if marks.is_empty() {
        String::new()
    } else {
        format!(" [{}]", marks.join(", "))
    };
    let via = match segment.via {
        0 => "",
        _ => " (second)",
    };
    format!(
        "{arrow:<16} {what}{flags} win {}{via}{marks}",
        segment.window
    )
}
