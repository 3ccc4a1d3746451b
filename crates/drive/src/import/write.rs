//! Writes scenario text from what an import found.

use std::fmt::Write;

/// One request found.
#[derive(Clone, Debug, Default)]
pub(super) struct Request {
    pub name: String,
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<String>,
    pub status: Option<u16>,
    pub think_ms: Option<u64>,
}

/// A group of clients found.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub name: String,
    pub clients: u64,
    pub ramp_s: u64,
    pub iterations: Option<u64>,
    pub requests: Vec<Request>,
}

/// The scenario of some groups.
pub(super) fn scenario(title: &str, duration_s: Option<u64>, groups: &[Group]) -> String {
    let mut out = String::new();
    write_scenario(title, duration_s, groups, &mut out).expect("writing to a string does not fail");
    out
}

fn write_scenario(
    title: &str,
    duration_s: Option<u64>,
    groups: &[Group],
    out: &mut String,
) -> std::fmt::Result {
    writeln!(out, "title = {}", quoted(&plain(title)))?;
    let seconds = duration_s.unwrap_or(60);
    if !groups.iter().all(|g| g.iterations.is_some()) {
        writeln!(out, "duration = \"{seconds}s\"")?;
    }
    for group in groups {
        writeln!(
            out,
            "\n[[population]]\nname = {}",
            quoted(&plain(&group.name))
        )?;
        let clients = group.clients.max(1);
        if group.ramp_s > 0 {
            writeln!(
                out,
                "clients = [{{ from = 0, to = {clients}, for = \"{}s\" }}, {{ to = {clients}, for = \"{seconds}s\" }}]",
                group.ramp_s
            )?;
        } else {
            writeln!(out, "clients = {clients}")?;
        }
        if let Some(n) = group.iterations {
            writeln!(out, "iterations = {}", n * clients)?;
        }
        for request in &group.requests {
            write_request(request, out)?;
        }
    }
    Ok(())
}

fn write_request(request: &Request, out: &mut String) -> std::fmt::Result {
    writeln!(out, "\n[[population.step]]")?;
    if !request.name.is_empty() {
        writeln!(out, "name = {}", quoted(&plain(&request.name)))?;
    }
    let line = format!("{} {}", request.method, request.url);
    writeln!(out, "request = {}", quoted(&literal(&line)))?;
    if let Some(status) = request.status {
        writeln!(out, "status = [{status}]")?;
    }
    if let Some(body) = &request.body {
        writeln!(out, "body = {}", quoted(&literal(body)))?;
    }
    if let Some(ms) = request.think_ms.filter(|ms| *ms > 0) {
        writeln!(out, "think = \"{ms}ms\"")?;
    }
    if !request.headers.is_empty() {
        writeln!(out, "[population.step.headers]")?;
        for (name, value) in &request.headers {
            writeln!(out, "{} = {}", quoted(name), quoted(&literal(value)))?;
        }
    }
    Ok(())
}

/// Text of the other tool as text in a template: what would open a hole or
/// name a loop here is written as a literal.
fn literal(text: &str) -> String {
    text.replace("{{", "{{\"{{\"}}").replace("${", "{{\"$\"}}{")
}

/// A name, which knows no templates but loops.
fn plain(text: &str) -> String {
    text.replace("${", "$ {")
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\t' => out += "\\t",
            c if c.is_control() => out += &format!("\\u{:04X}", c as u32),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Headers that the driver writes itself or that would say something untrue.
pub(super) fn belongs_to_driver(name: &str) -> bool {
    let own = [
        "host",
        "content-length",
        "connection",
        "accept-encoding",
        "transfer-encoding",
        "upgrade-insecure-requests",
    ];
    name.starts_with(':') || own.iter().any(|o| name.eq_ignore_ascii_case(o))
}
