//! `tupelo advise`: tuning advice for configuration text of z/OS, CICS, Linux
//! and SNA products.

mod html;
mod saved;

use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use advise::report::ReportStyle;
use advise::tcpip::{EffectiveSettings, effective};
use advise::{Document, DocumentSet, TuningFinding, DocumentKind, NotText, kinds, rules};
use miette::{IntoDiagnostic, Result, WrapErr, miette};
use serde_json::{Value, json};

use crate::Outcome;
use crate::table::Table;

/// Read configuration files and say what to change: place, value, why, what to code.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tupelo advise profile.tcpip omproute.conf region.sit bank.csd\n  \
    sysctl -a 2>/dev/null | tupelo advise -\n  \
    ip -d link | tupelo advise --rule linux.link -\n  \
    tupelo advise --html advice.html profile.tcpip region.sit\n\n\
    Files given together are compared with each other: the backlog of a listener with the limit of \
    the stack, a port with TCPCONFIG, routes and OMPROUTE.\n\n\
    Exit status: 0 no findings, 1 findings, 2 could not run, 64 wrong usage.")]
pub struct Args {
    /// Configuration files; - is standard input.
    #[arg(required_unless_present_any = ["rules", "kinds"])]
    files: Vec<PathBuf>,
    /// The kind of the files, if the content does not show it: KIND, or FILE=KIND for one of them.
    #[arg(long, value_name = "[FILE=]KIND", value_parser = parse_given_kind)]
    kind: Vec<GivenKind>,
    /// Only this rule, or those that begin with it (tcpip.mtu); may be given several times.
    #[arg(long, value_name = "NAME", value_parser = known_rule)]
    rule: Vec<String>,
    /// Print the effective settings of each port and route, and the statement that decided them.
    #[arg(long)]
    effective: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Write an HTML page in addition to the printed report.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// List the rules.
    #[arg(long, conflicts_with_all = ["files", "kinds"])]
    rules: bool,
    /// List the kinds of file.
    #[arg(long, conflicts_with = "files")]
    kinds: bool,
}

/// A kind from the command line, for one file or for all.
#[derive(Debug, Clone)]
struct GivenKind {
    file: Option<PathBuf>,
    kind: &'static DocumentKind,
}

fn parse_given_kind(text: &str) -> Result<GivenKind, String> {
    let (file, word) = match text.rsplit_once('=') {
        Some((file, word)) => (Some(PathBuf::from(file)), word),
        None => (None, text),
    };
    let kind = kinds().find(|k| k.word == word).ok_or_else(|| {
        let words: Vec<&str> = kinds().map(|k| k.word).collect();
        format!("the kinds are {}", words.join(", "))
    })?;
    Ok(GivenKind { file, kind })
}

fn known_rule(text: &str) -> Result<String, String> {
    let begins = |name: &str| {
        name.strip_prefix(text).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    if rules().any(|r| begins(r.name)) {
        Ok(text.to_owned())
    } else {
        Err("no rule has this name; --rules lists them".to_owned())
    }
}

/// Reads the files and prints the advice.
pub fn run(args: Args) -> Result<Outcome> {
    if args.rules || args.kinds {
        let list = if args.rules { list_rules(args.json) } else { list_kinds(args.json) };
        print!("{list}");
        return Ok(Outcome::Clean);
    }
    let mut documents = DocumentSet::default();
    let mut faults = Vec::new();
    for file in &args.files {
        let given = args.kind.iter().rev();
        let kind = given.filter(|t| t.file.as_ref().is_none_or(|f| f == file)).map(|t| t.kind).next();
        match document(file, kind) {
            Ok(document) => documents.all.push(document),
            Err(fault) => faults.push(fault),
        }
    }
    // All unreadable files are reported, not only the first.
    if let Some(last) = faults.pop() {
        faults.iter().for_each(|fault| eprintln!("{fault:?}"));
        return Err(last);
    }
    let findings = advise::advise(&documents, &args.rule);
    let settings = effective(&documents);
    if let Some(path) = &args.html {
        std::fs::write(path, html::html(&documents, &findings, &settings))
            .into_diagnostic()
            .wrap_err_with(|| path.display().to_string())?;
    }
    match (args.json, args.effective) {
        (true, _) => println!("{}", as_json(&documents, &findings, &settings)),
        (_, true) => print!("{}", settings_table(&settings)),
        _ => print!("{}", advise::report::text(&documents, &findings, &output_style())),
    }
    let faulty = documents.all.iter().any(Document::has_errors);
    Ok(if findings.is_empty() && !faulty { Outcome::Clean } else { Outcome::Findings })
}

/// Reads a file as a kind, or as the kind that its content shows.
fn document(file: &PathBuf, kind: Option<&'static DocumentKind>) -> Result<Document> {
    Document::read(&file.to_string_lossy(), &read(file)?, kind).map_err(|e| {
        miette!(help = "tupelo advise --kinds lists the kinds", "{e}")
    })
}

/// The text of a file.
fn read(file: &PathBuf) -> Result<String> {
    let mut bytes = Vec::new();
    if file.as_os_str() == "-" {
        std::io::stdin().read_to_end(&mut bytes).into_diagnostic().wrap_err("standard input")?;
    } else {
        bytes = std::fs::read(file).into_diagnostic().wrap_err_with(|| file.display().to_string())?;
    }
    advise::decode(&bytes).map_err(|e| {
        let help = match e {
            NotText::Ebcdic => "iconv -f IBM-1047 -t UTF-8 converts it",
            NotText::Binary => "advise reads configuration text; export or print what is in it",
        };
        miette!(help = help, "{} {e}", file.display())
    })
}

/// Colour only on a terminal, and the terminal's width within limits.
fn output_style() -> ReportStyle {
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    ReportStyle {
        width: columns.unwrap_or(100).clamp(60, 120),
        colour,
    }
}

fn list_rules(as_json: bool) -> String {
    if as_json {
        let all: Vec<Value> = rules()
            .map(|r| {
                json!({"rule": r.name, "severity": r.severity, "summary": r.summary,
                       "why": r.why, "effect": r.effect, "sources": r.sources})
            })
            .collect();
        return format!("{}\n", Value::Array(all));
    }
    let mut table = Table::new(&["rule", "severity", "what it looks for"]);
    for rule in rules() {
        table.row([rule.name.into(), rule.severity.to_string(), rule.summary.into()]);
    }
    table.to_string()
}

fn list_kinds(as_json: bool) -> String {
    if as_json {
        let all: Vec<Value> =
            kinds().map(|k| json!({"kind": k.word, "title": k.title})).collect();
        return format!("{}\n", Value::Array(all));
    }
    let mut table = Table::new(&["kind", "what it is"]);
    for kind in kinds() {
        table.row([kind.word.into(), kind.title.into()]);
    }
    table.to_string()
}

fn settings_table(settings: &[EffectiveSettings]) -> Table {
    let mut table =
        Table::new(&["port or route", "place", "acknowledges", ">MTU", ">MSS", "decided by"]);
    let number = |n: Option<u64>| n.map_or(String::new(), |n| n.to_string());
    for e in settings {
        let decided = match &e.decided.place {
            Some(place) => format!("{place}: {}", e.decided.says),
            None => e.decided.says.clone(),
        };
        table.row([
            e.subject.clone(),
            e.place.to_string(),
            e.acknowledgement.to_string(),
            number(e.mtu),
            number(e.mss),
            decided,
        ]);
    }
    table
}

fn as_json(documents: &DocumentSet, findings: &[TuningFinding], settings: &[EffectiveSettings]) -> Value {
    let files = documents.all.iter().map(|d| {
        let diagnostics = d.diagnostics.iter().map(|d| {
            json!({"severity": d.severity.to_string(), "line": d.line, "column": d.column,
                   "message": d.message, "help": d.help})
        });
        json!({"file": *d.name, "kind": d.kind.word, "diagnostics": diagnostics.collect::<Vec<_>>()})
    });
    json!({
        "documents": files.collect::<Vec<_>>(),
        "findings": findings,
        "effective": settings,
    })
}
