//! Writes scenario text from an imported plan. Texts of requests are already
//! templates ([`literal`] makes one from plain text).

use std::fmt::Write;

/// The result of an import, before it is written.
#[derive(Clone, Debug, Default)]
pub(super) struct ImportedPlan {
    pub title: String,
    pub duration_s: Option<u64>,
    pub timeout_ms: Option<u64>,
    pub feeders: Vec<ImportedFeeder>,
    pub groups: Vec<ImportedGroup>,
}

/// Data for templates: its name, and the lines of its TOML table.
#[derive(Clone, Debug, Default)]
pub(super) struct ImportedFeeder {
    pub name: String,
    pub lines: Vec<String>,
}

/// A group of clients.
#[derive(Clone, Debug, Default)]
pub(super) struct ImportedGroup {
    pub name: String,
    pub load: ImportedLoad,
    pub think_ms: Option<u64>,
    pub new_connections: bool,
    pub requests: Vec<Request>,
}

/// How a group presents its requests.
#[derive(Clone, Debug)]
pub(super) enum ImportedLoad {
    /// Clients over time, as pieces of start level, end level and seconds; and
    /// the iterations of all clients.
    Closed {
        clients: u64,
        pieces: Vec<(u64, u64, u64)>,
        iterations: Option<u64>,
    },
    /// An open loop, in iterations/s.
    Open {
        rate: f64,
        poisson: bool,
        outstanding: u64,
    },
}

/// One request.
#[derive(Clone, Debug, Default)]
pub(super) struct Request {
    pub name: String,
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<String>,
    /// Statuses to accept, such as `200` or `2xx`.
    pub status: Vec<String>,
    pub contains: Option<String>,
    pub matches: Option<String>,
    pub size: Option<u64>,
    /// The name, the kind and the expression of each capture.
    pub captures: Vec<(String, &'static str, String)>,
    pub think_ms: Option<u64>,
}

impl Default for ImportedLoad {
    fn default() -> ImportedLoad {
        ImportedLoad::Closed {
            clients: 1,
            pieces: Vec::new(),
            iterations: None,
        }
    }
}

/// The text of the scenario.
pub(super) fn scenario(found: &ImportedPlan) -> String {
    let mut out = String::new();
    write_scenario(found, &mut out).expect("writing to a string does not fail");
    out
}

fn write_scenario(found: &ImportedPlan, out: &mut String) -> std::fmt::Result {
    writeln!(out, "title = {}", quoted(&plain(&found.title)))?;
    if let Some(seconds) = found.duration_s {
        writeln!(out, "duration = \"{seconds}s\"")?;
    }
    if let Some(ms) = found.timeout_ms {
        writeln!(out, "timeout = \"{ms}ms\"")?;
    }
    for feeder in &found.feeders {
        writeln!(out, "\n[feeders.{}]", quoted(&feeder.name))?;
        for line in &feeder.lines {
            writeln!(out, "{line}")?;
        }
    }
    for group in &found.groups {
        write_group(group, out)?;
    }
    Ok(())
}

fn write_group(group: &ImportedGroup, out: &mut String) -> std::fmt::Result {
    writeln!(
        out,
        "\n[[population]]\nname = {}",
        quoted(&plain(&group.name))
    )?;
    match &group.load {
        ImportedLoad::Closed {
            clients,
            pieces,
            iterations,
        } => {
            if pieces.is_empty() {
                writeln!(out, "clients = {}", clients.max(&1))?;
            } else {
                let piece = |(from, to, seconds): &(u64, u64, u64)| {
                    format!("{{ from = {from}, to = {to}, for = \"{seconds}s\" }}")
                };
                let pieces: Vec<String> = pieces.iter().map(piece).collect();
                writeln!(out, "clients = [{}]", pieces.join(", "))?;
            }
            if let Some(n) = iterations {
                writeln!(out, "iterations = {n}")?;
            }
        }
        ImportedLoad::Open {
            rate,
            poisson,
            outstanding,
        } => {
            writeln!(out, "rate = {rate}")?;
            if *poisson {
                writeln!(out, "arrivals = \"poisson\"")?;
            }
            writeln!(out, "outstanding = {}", outstanding.max(&1))?;
        }
    }
    if let Some(ms) = group.think_ms.filter(|ms| *ms > 0) {
        writeln!(out, "think = \"{ms}ms\"")?;
    }
    if group.new_connections {
        writeln!(out, "keep_alive = false")?;
    }
    for request in &group.requests {
        write_request(request, out)?;
    }
    Ok(())
}

fn write_request(request: &Request, out: &mut String) -> std::fmt::Result {
    writeln!(out, "\n[[population.step]]")?;
    if !request.name.is_empty() {
        writeln!(out, "name = {}", quoted(&plain(&request.name)))?;
    }
    let line = format!("{} {}", request.method, request.url);
    writeln!(out, "request = {}", quoted(&line))?;
    if !request.status.is_empty() {
        let number = |s: &String| match s.parse::<u16>() {
            Ok(n) => n.to_string(),
            Err(_) => quoted(s),
        };
        let statuses: Vec<String> = request.status.iter().map(number).collect();
        writeln!(out, "status = [{}]", statuses.join(", "))?;
    }
    for (key, value) in [
        ("contains", &request.contains),
        ("matches", &request.matches),
        ("body", &request.body),
    ] {
        if let Some(text) = value {
            writeln!(out, "{key} = {}", quoted(text))?;
        }
    }
    if let Some(bytes) = request.size {
        writeln!(out, "size = {bytes}")?;
    }
    if let Some(ms) = request.think_ms {
        writeln!(out, "think = \"{ms}ms\"")?;
    }
    if !request.headers.is_empty() {
        writeln!(out, "[population.step.headers]")?;
        for (name, value) in &request.headers {
            writeln!(out, "{} = {}", quoted(name), quoted(value))?;
        }
    }
    if !request.captures.is_empty() {
        writeln!(out, "[population.step.capture]")?;
        for (name, kind, from) in &request.captures {
            writeln!(out, "{} = {{ {kind} = {} }}", quoted(name), quoted(from))?;
        }
    }
    Ok(())
}

/// Converts text of the other tool to a template: characters that would start a
/// hole or a loop variable are written as a literal.
pub(crate) fn literal(text: &str) -> String {
    text.replace("{{", "{{\"{{\"}}").replace("${", "{{\"$\"}}{")
}

/// Converts text for a key without templates, in which only loop variables are
/// literal.
pub(crate) fn plain(text: &str) -> String {
    text.replace("${", "$ {")
}

/// A TOML string.
pub(crate) fn quoted(text: &str) -> String {
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

/// Headers that the driver writes itself or that would be wrong.
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
