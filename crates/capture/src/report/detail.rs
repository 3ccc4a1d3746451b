//! One exchange, packet by packet, with its gaps between them.

use std::fmt::Write;

use super::columns::columns;
use super::{ms, percent};
use crate::{Connection, Exchange, Explanation, Phase, Segment, Side, Vantage, station};

/// The exchange of this number (its request's first packet), if it was kept.
pub fn detail(explanation: &Explanation, number: u64) -> Option<String> {
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
    out += &split(exchange);
    let findings: Vec<_> = explanation
        .findings
        .iter()
        .filter(|f| f.exchange == Some(number))
        .collect();
    if !findings.is_empty() {
        out += "\n";
        for finding in findings {
            let _ = writeln!(out, "{}: {}", finding.rule, finding.text);
        }
    }
    out += "\n";
    out += &packets(exchange);
    Some(out)
}

/// The second TCP connection of the DLSw link that this one is the first of.
pub(super) fn second<'a>(
    explanation: &'a Explanation,
    connection: &Connection,
) -> Option<&'a Connection> {
    let link = connection.link?;
    explanation.connections.iter().find(|c| c.id == link)
}

/// The port of a link's second connection at one end of the link: as a rule the
/// server of the first one opened it.
pub(super) fn second_port(second: &Connection, first: &Connection, side: Side) -> u16 {
    let side = match second.server.address == first.client.address {
        true => side.other(),
        false => side,
    };
    second.end(side).port
}

fn ends(connection: &Connection) -> String {
    let end = |side: Side| {
        let end = connection.end(side);
        let mss = end.mss.map_or(String::new(), |mss| format!(" (MSS {mss})"));
        format!("{}{mss}", station::end_name(end.address, end.port))
    };
    let rtt = connection
        .rtt_ns()
        .map_or(String::new(), |rtt| format!(", round trip {} ms", ms(rtt)));
    format!(
        "{} to {}{rtt}; {}",
        end(Side::Client),
        end(Side::Server),
        taken(connection.vantage)
    )
}

fn taken(vantage: Vantage) -> &'static str {
    match vantage {
        Vantage::Unknown => "where it was captured is not known",
        Vantage::Client => "captured near the client",
        Vantage::Server => "captured near the server",
        Vantage::Middle => "captured between them",
        Vantage::Both => "captured near both",
    }
}

fn split(exchange: &Exchange) -> String {
    let total = exchange.total_ns();
    let row = |name: String, ns: i64| vec![name, ms(ns), format!("{:.1}", percent(ns, total))];
    let mut rows: Vec<Vec<String>> = Phase::ALL[1..]
        .iter()
        .filter(|p| exchange.split.phases.of(**p) != 0)
        .map(|p| row(p.name().to_owned(), exchange.split.phases.of(*p)))
        .collect();
    rows.extend(
        exchange
            .split
            .stalls
            .iter()
            .map(|s| row(format!("stall: {}", s.rule), s.cost_ns)),
    );
    rows.push(row("sum".to_owned(), total));
    columns(&["", ">ms", ">%"], &rows)
}

fn packets(exchange: &Exchange) -> String {
    let Some(first) = exchange.segments.first() else {
        return "its packets were not kept\n".to_owned();
    };
    let mut rows = Vec::new();
    let mut previous: Option<&Segment> = None;
    for segment in &exchange.segments {
        let gap = exchange.gaps.iter().find(|g| g.after == segment.packet);
        if let Some(gap) = gap {
            let cause = gap.rule.unwrap_or("unexplained, stays in its phase");
            rows.push(vec![
                String::new(),
                String::new(),
                String::new(),
                format!(
                    "-- {} ms: {cause} ({})",
                    ms(gap.to_ns - gap.from_ns),
                    gap.phase.name()
                ),
            ]);
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

/// A packet in words.
pub(super) fn describe(segment: &Segment) -> String {
    let arrow = match segment.from {
        Side::Client => "client ->",
        Side::Server => "       <- server",
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
    let marks = match marks.is_empty() {
        true => String::new(),
        false => format!(" [{}]", marks.join(", ")),
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
