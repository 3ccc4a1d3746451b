//! The report as one page: the sentences, the sum as a bar and a table, causes
//! with what to change, the worst exchanges with their pictures.

use measure::report::{escape, page, three_and_others};

use super::detail::second;
use super::split_bar::split_bar;
use super::text::sum_rows;
use super::{ms, percent, sequence_svg, summary, time_sequence, total_ns};
use crate::rules::{is_own_time, rule};
use crate::{Cause, Exchange, Explanation, Phase, station};

/// The page. `pictures` exchanges are drawn.
pub fn html(explanation: &Explanation, title: &str, pictures: usize) -> String {
    let mut body = format!("<h1>{}</h1>", escape(title));
    let [spent, worst, change] = summary(explanation);
    body += &format!(
        "<p class=verdict>{}</p><p>{}</p><p>{}</p>",
        escape(&spent),
        escape(&worst),
        escape(&change)
    );
    for problem in &explanation.capture.problems {
        body += &format!(
            "<p class=warn>{}{}: {}</p>",
            problem.id,
            match problem.offset {
                0 => String::new(),
                offset => format!(" at offset {offset}"),
            },
            escape(&problem.text)
        );
    }
    body += &tiles(explanation);
    if explanation.totals.exchanges > 0 {
        body += "<h2>Where the time went</h2><div class=card>";
        body += &split_bar(&sum_rows(explanation));
        body += &sum_table(explanation);
        body += "</div>";
    }
    body += &causes(explanation);
    body += &services(explanation);
    let drawn: Vec<&Exchange> = explanation
        .exchanges
        .iter()
        .filter(|e| !e.segments.is_empty())
        .take(pictures)
        .collect();
    if !drawn.is_empty() {
        body += "<h2>The worst exchanges</h2>";
        body += "<p class=soft>Time runs down. A packet has a little height of its own, gaps share the rest by their \
                 length; bands are coloured by cause.</p>";
    }
    for exchange in drawn {
        body += &picture(explanation, exchange);
    }
    page(title, &body)
}

fn tiles(explanation: &Explanation) -> String {
    let totals = &explanation.totals;
    let total = total_ns(explanation);
    let n = totals.exchanges.max(1) as i64;
    let matter = [
        (format!("{} ms", ms(total / n)), "a request, mean"),
        (
            format!("{:.0} %", percent(totals.stalled_ns, total)),
            "of it stalled on the network",
        ),
        (
            format!("{} ms", ms(totals.phases.of(Phase::ServerThink) / n)),
            "server think, mean",
        ),
    ];
    let mut others = vec![
        (totals.exchanges.to_string(), "requests"),
        (totals.connections.to_string(), "connections"),
        (explanation.capture.packets.to_string(), "packets"),
    ];
    if totals.paired_links > 0 {
        let links = totals.paired_links.to_string();
        others.push((links, "DLSw links of two connections"));
    }
    three_and_others(&matter, &others)
}

fn sum_table(explanation: &Explanation) -> String {
    let total = total_ns(explanation);
    let n = explanation.totals.exchanges.max(1) as i64;
    let row = |name: &str, ns: i64| {
        format!(
            "<tr><td>{}<td>{}<td>{}<td>{:.1}</tr>",
            escape(name),
            ms(ns),
            ms(ns / n),
            percent(ns, total)
        )
    };
    let rows: String = sum_rows(explanation)
        .iter()
        .map(|(name, ns, _)| row(name, *ns))
        .collect();
    format!(
        "<table><tr><th><th>ms<th>ms a request<th>%</tr>{rows}{}</table>",
        row("sum", total)
    )
}

/// Causes by what they cost, each with a bar of it; what is under a twentieth
/// of the whole is folded.
fn causes(explanation: &Explanation) -> String {
    let mut causes: Vec<&Cause> = explanation
        .causes
        .iter()
        .filter(|c| !is_own_time(c.rule))
        .collect();
    causes.sort_by_key(|c| std::cmp::Reverse((c.stalled_ns, c.cost_ns)));
    let large = |c: &&Cause| {
        c.stalled_ns * SMALL >= total_ns(explanation) || c.stalled_ns == 0 && c.cost_ns > 0
    };
    let (large, small): (Vec<&Cause>, Vec<&Cause>) = causes.into_iter().partition(large);
    let cards = |causes: &[&Cause]| -> String {
        causes
            .iter()
            .filter_map(|c| cause_card(explanation, c))
            .collect()
    };
    let (mut out, small_cards) = (cards(&large), cards(&small));
    if !small_cards.is_empty() {
        let cost: i64 = small.iter().map(|c| c.stalled_ns).sum();
        out += &format!(
            "<details><summary>{} more, each under {} % of the time ({} ms together)</summary><br>{small_cards}</details>",
            match small.len() {
                1 => "1 cause".to_owned(),
                n => format!("{n} causes"),
            },
            100 / SMALL,
            ms(cost)
        );
    }
    match out.is_empty() {
        true => out,
        false => format!("<h2>Causes, and what to change</h2>{out}"),
    }
}

fn cause_card(explanation: &Explanation, cause: &Cause) -> Option<String> {
    let about = rule(cause.rule)?.about();
    let examples: String = explanation
        .told
        .iter()
        .filter(|told| told.rule == cause.rule)
        .take(3)
        .map(|told| {
            let packets: Vec<String> = told.packets.iter().map(u64::to_string).collect();
            let packets = match packets.is_empty() {
                true => String::new(),
                false => format!("packets {}; ", packets.join(", ")),
            };
            let sure = format!("{:?}", told.confidence).to_lowercase();
            let again = told
                .again()
                .map_or(String::new(), |again| format!("; {again}"));
            format!(
                "<p class=soft>{}{} ({packets}{sure} confidence)</p>",
                escape(&told.text),
                escape(&again)
            )
        })
        .collect();
    Some(format!(
        "<div class=card><h3>{}: {}</h3><p>{} × · {} ms · of it {} ms taken out of requests</p>{}{examples}\
         <dl><dt>Linux</dt><dd>{}</dd><dt>z/OS</dt><dd>{}</dd><dt>What this cannot know</dt><dd>{}</dd></dl></div><br>",
        about.id,
        escape(about.title),
        cause.count,
        ms(cause.cost_ns),
        ms(cause.stalled_ns),
        saving(explanation, cause),
        escape(about.linux),
        escape(about.zos),
        escape(about.limits)
    ))
}

/// What a change would save: a request as it is, and without the cause.
fn saving(explanation: &Explanation, cause: &Cause) -> String {
    let total = total_ns(explanation);
    if cause.stalled_ns <= 0 || total <= 0 {
        return String::new();
    }
    let n = explanation.totals.exchanges.max(1) as i64;
    let share = percent(cause.stalled_ns, total).min(100.0);
    format!(
        "<div class=saving><span>now {} ms a request</span><i><b style=\"width:{share:.1}%\"></b></i>\
         <span>without it {} ms</span><i style=\"width:{:.1}%\"></i></div>",
        ms(total / n),
        ms((total - cause.stalled_ns) / n),
        100.0 - share
    )
}

/// A cause is small below this part of the whole time: a twentieth.
const SMALL: i64 = 20;

fn services(explanation: &Explanation) -> String {
    let rows: String = explanation
        .services
        .iter()
        .take(20)
        .map(|s| {
            let n = s.exchanges.max(1) as f64;
            format!(
                "<tr><td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{:.1}<td>{:.1}</tr>",
                s.address.map_or("others".to_owned(), station::name),
                s.port,
                s.protocol.name(),
                s.connections,
                s.exchanges,
                ms(s.times.mean_ns()),
                ms(s.times.quantile_ns(0.99)),
                s.request_segments as f64 / n,
                s.response_segments as f64 / n
            )
        })
        .collect();
    match rows.is_empty() {
        true => rows,
        false => format!(
            "<h2>Services</h2><div class=\"card scroll\"><table><tr><th>server<th>port<th>protocol<th>connections<th>requests\
             <th>mean ms<th>p99 ms<th>packets a request<th>packets a response</tr>{rows}</table></div>"
        ),
    }
}

fn picture(explanation: &Explanation, exchange: &Exchange) -> String {
    let connection = explanation
        .connections
        .iter()
        .find(|c| c.id == exchange.connection);
    let plot = time_sequence(exchange);
    let mut parts: Vec<(String, i64, u64)> = Phase::ALL[1..]
        .iter()
        .filter(|p| exchange.split.phases.of(**p) != 0)
        .map(|p| (p.name().to_owned(), exchange.split.phases.of(*p), 1))
        .collect();
    parts.extend(
        exchange
            .split
            .stalls
            .iter()
            .map(|s| (format!("stall: {}", s.rule), s.cost_ns, 1)),
    );
    let left_out = match exchange.segments_omitted {
        0 => String::new(),
        n => format!("<p class=soft>{n} packets are left out.</p>"),
    };
    format!(
        "<div class=card><h3>Exchange {}: {} ({} ms)</h3>{}<div class=\"plots ladder\"><div>{}{left_out}</div>\
         <div class=beside><h3>{}</h3>{}{}</div></div></div><br>",
        exchange.id,
        escape(&exchange.label),
        ms(exchange.total_ns()),
        split_bar(&parts),
        sequence_svg(
            connection,
            connection.and_then(|c| second(explanation, c)),
            exchange
        ),
        escape(&plot.title),
        plot.legend(),
        plot.svg()
    )
}
