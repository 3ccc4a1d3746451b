//! Tables of a report: the times of a population, and the CPU of driver and servers.

use maud::{Markup, Render, html};
use page::{PageTable, note, short};

use super::html::{or_dash, three};
use super::model::{LatencyReport, LoadReport, PopulationReport, Server};

/// A population: its counts, and a row for each kind of time.
pub(super) fn population_section(p: &PopulationReport) -> Markup {
    let heads = ["ms", "mean", "p50", "p90", "p95", "p99", "p99.9", "max"];
    let mut table = PageTable::new(heads);
    let mut row = |name: &str, l: &LatencyReport| {
        let times = [l.mean, l.p50, l.p90, l.p95, l.p99, l.p999, l.max];
        let times = times.map(|ms| or_dash((l.count > 0).then(|| three(ms))));
        table.row_of(std::iter::once(name.to_owned()).chain(times));
    };
    row("response", &p.response);
    row("wire", &p.wire);
    row("lateness", &p.lateness);
    if p.connect.count > 0 {
        row("connect", &p.connect);
    }
    for step in &p.steps {
        row(&step.name, &step.response);
    }
    let failures = p.failures.iter().filter(|f| *f.1 > 0);
    html! {
        h2 { (p.name) }
        div.card.scroll {
            p {
                (p.sent) " sent = " (p.answered) " answered + " (p.failed) " failed + "
                (p.outstanding) " outstanding; " (p.checks_failed) " failed a check"
                @for (kind, n) in failures { "; " (kind) ": " (n) }
                @if p.held > 0 { "; " (p.held) " waited for the bound on outstanding requests" }
            }
            (table)
            @if !p.wire_end.is_empty() { (note(format_args!("wire ends at {}", p.wire_end))) }
        }
    }
}

/// MB/s in and out of a server's namespace; a dash if unknown.
fn network(server: &Server, seconds: f64) -> String {
    let a_second = |bytes: u64| short(bytes as f64 / 1e6 / seconds);
    let known = server.network_in + server.network_out > 0;
    or_dash(known.then(|| {
        let (received, sent) = (server.network_in, server.network_out);
        format!("{} / {}", a_second(received), a_second(sent))
    }))
}

/// The CPU of the driver and of every server with its threads and counters.
pub(super) fn cpu_section(report: &LoadReport) -> Markup {
    let heads = [
        "who",
        "µs per answer",
        "of a processor",
        "user s",
        "system s",
        "switches",
        "MB",
        "net in / out, MB/s",
    ];
    let mut table = PageTable::new(heads);
    let driver = &report.driver;
    let seconds = report.measured_s.max(1e-9);
    let threads = match driver.threads {
        1 => "1 thread".to_owned(),
        n => format!("{n} threads"),
    };
    let percent = |value: f64| format!("{} %", short(value));
    let dash = &"–" as &dyn Render;
    table.row(&[
        &format_args!("driver ({threads})"),
        &short(driver.cpu_us),
        &percent(driver.cpu_s / seconds * 100.0),
        dash,
        dash,
        dash,
        dash,
        dash,
    ]);
    for server in &report.servers {
        server_rows(server, seconds, &mut table);
    }
    let notes = report.server_cpu.as_ref().map_or(Vec::new(), |cpu| {
        let notes = cpu.notes();
        if !notes.is_empty() {
            let name = html! { b { "servers, every process once" } };
            sparse_row(&name, &short(cpu.us), &percent(cpu.percent), &mut table);
        }
        notes
    });
    html! {
        h2 { "CPU at " (short(report.throughput)) " answers/s" }
        div.card.scroll {
            (table)
            @for text in &notes { (note(text)) }
        }
    }
}

fn server_rows(server: &Server, seconds: f64, table: &mut PageTable) {
    // A figure that an endpoint does not report is not zero.
    let reported = |v: f64| or_dash((v > 0.0).then(|| short(v)));
    table.row(&[
        &server.subject,
        &short(server.cpu_us),
        &format_args!("{} %", short(server.cpu_percent)),
        &reported(server.user_s),
        &reported(server.system_s),
        &reported(server.switches),
        &short(server.resident_bytes as f64 / 1e6),
        &network(server, seconds),
    ]);
    let part = |name: &str, more: &str| html! { span.soft { "\u{2003}" (name) (more) } };
    for thread in server.threads.iter().filter(|t| t.percent >= 1.0) {
        let share = format!("{} % of it", short(thread.percent));
        sparse_row(
            &part(&thread.name, ""),
            &short(thread.cpu_us),
            &share,
            table,
        );
    }
    for (name, each) in &server.counters {
        sparse_row(&part(name, ", each answer"), &short(*each), "", table);
    }
}

/// A row with the first three cells only.
fn sparse_row(name: &Markup, cpu: &str, share: &str, table: &mut PageTable) {
    let empty = &"" as &dyn Render;
    table.row(&[name, &cpu, &share, empty, empty, empty, empty, empty]);
}
