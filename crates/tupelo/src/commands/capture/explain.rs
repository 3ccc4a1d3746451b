//! `tupelo capture explain`: where the time went, why, and what to change.

use std::fs;
use std::path::{Path, PathBuf};

use capture::join::{CaptureDelay, TraceReconciliation, TimeOfDay, parse_tasks, parse_trace, reconcile};
use capture::points::JoinedPoints;
use capture::report::{SCHEMA_VERSION, compare, detail, html, mask, text};
use capture::{Connection, EvidenceKind, CaptureExplanation, KeyLog, AnalysisOptions, AdvicePlatform, AppProtocol};
use miette::{IntoDiagnostic, Result, WrapErr, bail, miette};

use super::filter::FilterTerms;
use super::source::{explained, packets};
use crate::Outcome;

/// Explain where the time in a packet capture went, and what to change.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tupelo capture explain slow.pcapng
  tupelo capture explain slow.pcapng --exchange 4
  tcpdump -i any -w - port 8080 | tupelo capture explain -
  tupelo capture explain slow.pcapng --filter 'port 8080 and after 11:15:39' --html slow.html
  tupelo capture explain slow.pcapng --mask --json
  tupelo capture explain client.pcap server.pcap
  tupelo capture explain --compare before.pcap after.pcap
  tupelo capture explain --tasks monitor.txt --trace aux.txt

Reads pcap and pcapng, compressed or not, and z/OS packet traces as IPCS formats
them. Exit status: 0 no remedy, 1 the verdict has a remedy,
2 could not run, 64 usage.")]
pub struct Args {
    /// The capture; - reads it from standard input. Several files are captures of one
    /// conversation at several places, in any order.
    #[arg(required_unless_present_any = ["compare", "tasks"], value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Two captures of the same work, before and after a change.
    #[arg(long, num_args = 2, value_names = ["BEFORE", "AFTER"], conflicts_with_all = ["files", "tasks"])]
    compare: Option<Vec<PathBuf>>,
    /// Show one exchange packet by packet (the table has its number).
    #[arg(long, value_name = "NUMBER")]
    exchange: Option<u64>,
    /// Packets to analyse: host ADDRESS, port NUMBER, not before either, after and before
    /// hh:mm:ss, joined by `and`.
    #[arg(long, default_value = "", value_parser = parse_filter)]
    filter: String,
    /// The protocol of a server port: http, tls, framed2, framed4, dlsw, turns.
    #[arg(long = "protocol", value_name = "PORT=NAME", value_parser = parse_protocol)]
    protocols: Vec<(u16, AppProtocol)>,
    /// TLS secrets, as SSLKEYLOGFILE writes them; those in a pcapng file are used automatically.
    #[arg(long = "key-log", alias = "keylog", value_name = "FILE")]
    key_log: Option<PathBuf>,
    /// A task list: monitoring records, or a table of time, transaction, task, response, CPU.
    #[arg(long, value_name = "FILE")]
    tasks: Option<PathBuf>,
    /// A formatted trace with the socket calls of these tasks.
    #[arg(long, value_name = "FILE", requires = "tasks")]
    trace: Option<PathBuf>,
    /// The task that waited for the others; the longest task when absent.
    #[arg(long, value_name = "TASK", requires = "tasks")]
    client_task: Option<u64>,
    /// Hours that the trace's clock is ahead of the capture's (UTC).
    #[arg(long, value_name = "HOURS", default_value_t = 0.0, allow_negative_numbers = true)]
    hours_ahead: f64,
    /// Only connections that this client opened.
    #[arg(long, value_name = "ADDRESS")]
    client: Option<std::net::IpAddr>,
    /// Only connections to this server.
    #[arg(long, value_name = "ADDRESS")]
    server: Option<std::net::IpAddr>,
    /// Only the connection that begins with this packet.
    #[arg(long, value_name = "NUMBER")]
    connection: Option<u64>,
    /// Systems that advice is for: linux, windows, zos [default: those that the packets indicate]
    #[arg(long, value_name = "SYSTEMS", value_delimiter = ',', value_parser = parse_platform)]
    advice: Vec<AdvicePlatform>,
    /// Mask addresses, names and requests, so that the result can be shared.
    #[arg(long)]
    mask: bool,
    /// Shorter waits are summed but not listed.
    #[arg(long, value_name = "MS", default_value_t = 1.0, value_parser = parse_gap)]
    gap_ms: f64,
    /// Threads that analyse [default: one a processor, four at most]
    #[arg(long)]
    threads: Option<usize>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Write a page with pictures.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The title of the page, instead of the file's name.
    #[arg(long, value_name = "TEXT", requires = "html")]
    title: Option<String>,
}

fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get().min(4))
}

fn parse_filter(text: &str) -> Result<String, String> {
    FilterTerms::parse(text).map(|_| text.to_owned())
}

fn parse_platform(text: &str) -> Result<AdvicePlatform, String> {
    AdvicePlatform::named(text).ok_or_else(|| format!("`{text}`: expected linux, windows or zos"))
}

fn parse_gap(text: &str) -> Result<f64, String> {
    let ms: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if (0.001..=1e6).contains(&ms) {
        Ok(ms)
    } else {
        Err("expected 0.001 to 1000000 milliseconds".to_owned())
    }
}

fn parse_protocol(text: &str) -> Result<(u16, AppProtocol), String> {
    let (port, name) = text.split_once('=').ok_or("expected PORT=NAME")?;
    let port = port.parse().map_err(|_| format!("`{port}` is not a port"))?;
    let protocol = AppProtocol::named(name).ok_or_else(|| format!("`{name}` is not a known protocol"))?;
    Ok((port, protocol))
}

/// Runs the analysis.
pub fn run(args: &Args) -> Result<Outcome> {
    if let Some([before, after]) = args.compare.as_deref() {
        return compared(args, before, after);
    }
    let explanation = match args.files.as_slice() {
        [] => None,
        [file] => Some(load(args, file)?),
        files => Some(joined(args, files)?),
    };
    let account = account(args, explanation.as_ref())?;
    if let (Some(page), Some(explanation)) = (&args.html, &explanation) {
        let files = || {
            if args.mask { "Capture".to_owned() } else { point_names(&args.files).join(", ") }
        };
        let title = args.title.clone().unwrap_or_else(files);
        let page_text = html(explanation, &title, PICTURES);
        fs::write(page, page_text).into_diagnostic().wrap_err_with(|| page.display().to_string())?;
    }
    if args.json {
        print_json(explanation.as_ref(), account.as_ref())?;
    } else {
        match (&explanation, args.exchange) {
            (Some(explanation), Some(number)) => {
                let shown = detail(explanation, number)
                    .ok_or_else(|| miette!("exchange {number} is not among the worst; narrow --filter to it"))?;
                print!("{shown}");
            }
            (Some(explanation), None) => print!("{}", text(explanation)),
            (None, _) => {}
        }
        if let Some(account) = &account {
            if explanation.is_some() {
                println!("\nTasks and receives");
            }
            print!("{account}");
        }
    }
    let stalled = account.is_some_and(|a| a.explained_s > 0.0);
    Ok(if stalled || explanation.is_some_and(|e| has_causes(&e)) {
        Outcome::Findings
    } else {
        Outcome::Clean
    })
}

/// Explains the capture nearest to the client, with data of the other captures.
fn joined(args: &Args, files: &[PathBuf]) -> Result<CaptureExplanation> {
    let wanted = FilterTerms::parse(&args.filter).map_err(|why| miette!("--filter: {why}"))?;
    // The names of files may contain names of hosts.
    let masked = || (1..=files.len()).map(|number| format!("capture {number}")).collect();
    let names: Vec<String> = if args.mask { masked() } else { point_names(files) };
    let points = JoinedPoints::new(
        (files.iter().zip(&names)).map(|(file, name)| packets(file, name, &wanted, options(args)?)).collect::<Result<_>>()?,
    )
    .into_diagnostic()?;
    let first = names.iter().position(|name| name == points.first_name()).unwrap_or(0);
    let all = AnalysisOptions { keep_waits: JOINED_WAITS, ..options(args)? };
    let mut explanation = explained(&files[first], &wanted, all)?;
    points.describe(&mut explanation);
    explanation.waits.truncate(AnalysisOptions::default().keep_waits);
    if args.mask {
        mask(&mut explanation);
    }
    Ok(explanation)
}

/// The names of files without the folders that they share.
fn point_names(files: &[PathBuf]) -> Vec<String> {
    let short = |file: &PathBuf| file.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let names: Vec<String> = files.iter().map(short).collect();
    let unique = names.iter().collect::<std::collections::BTreeSet<_>>().len() == names.len();
    if unique { names } else { files.iter().map(|file| file.display().to_string()).collect() }
}

fn load(args: &Args, file: &Path) -> Result<CaptureExplanation> {
    let wanted = FilterTerms::parse(&args.filter).map_err(|why| miette!("--filter: {why}"))?;
    let mut explanation = explained(file, &wanted, options(args)?)?;
    if args.mask {
        mask(&mut explanation);
    }
    warn_of_closed_tls(args, &explanation);
    Ok(explanation)
}

/// The options of an analysis.
fn options(args: &Args) -> Result<AnalysisOptions> {
    Ok(AnalysisOptions {
        threads: args.threads.unwrap_or_else(default_threads).clamp(1, 64),
        protocols: args.protocols.clone(),
        gap_ns: (args.gap_ms * 1e6) as i64,
        client: args.client,
        server: args.server,
        connection: args.connection,
        advice: args.advice.clone(),
        from_zos: is_from_zos(args)?,
        key_log: args.key_log.as_deref().map(key_log).transpose()?.unwrap_or_default(),
        ..AnalysisOptions::default()
    })
}

/// Whether records that are joined come from z/OS: a formatted CICS trace, or a
/// monitor's table. Records of this project are JSON.
fn is_from_zos(args: &Args) -> Result<bool> {
    let Some(tasks) = &args.tasks else {
        return Ok(false);
    };
    let list = fs::read(tasks).into_diagnostic().wrap_err_with(|| tasks.display().to_string())?;
    Ok(args.trace.is_some() || !list.trim_ascii_start().starts_with(b"{"))
}

/// Reports a key log that decrypts nothing.
fn warn_of_closed_tls(args: &Args, explanation: &CaptureExplanation) {
    let opened = |c: &Connection| c.tls.as_ref().is_some_and(|tls| tls.opened);
    if let Some(key_log) = args.key_log.as_deref().filter(|_| !explanation.connections.iter().any(opened)) {
        eprintln!(
            "{}: the key log decrypts none of the captured TLS connections: it belongs to other connections, their \
             handshake was not captured, or their cipher is neither AES-GCM nor ChaCha20-Poly1305",
            key_log.display()
        );
    }
}

/// Reads a key log.
fn key_log(path: &Path) -> Result<KeyLog> {
    let named = || path.display().to_string();
    let text = fs::read_to_string(path).into_diagnostic().wrap_err_with(named)?;
    let keys = KeyLog::default();
    let secrets = keys.add(&text).into_diagnostic().wrap_err_with(named)?;
    match secrets {
        0 => Err(miette!("{}: the file has no secret; SSLKEYLOGFILE=FILE makes most clients write one", named())),
        _ => Ok(keys),
    }
}

fn compared(args: &Args, before: &Path, after: &Path) -> Result<Outcome> {
    let (before, after) = (load(args, before)?, load(args, after)?);
    let comparison = compare(&before, &after);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&comparison).into_diagnostic()?)
    } else {
        print!("{comparison}")
    }
    Ok(if has_causes(&after) { Outcome::Findings } else { Outcome::Clean })
}

/// The reconciliation of tasks and receives, if a task list was given.
fn account(args: &Args, explanation: Option<&CaptureExplanation>) -> Result<Option<TraceReconciliation>> {
    let Some(tasks) = &args.tasks else {
        return Ok(None);
    };
    let read = |path: &Path| -> Result<String> {
        let bytes = fs::read(path).into_diagnostic().wrap_err_with(|| path.display().to_string())?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let list = parse_tasks(&read(tasks)?);
    let trace = match &args.trace {
        Some(trace) => parse_trace(&read(trace)?),
        None => capture::join::SocketTrace::default(),
    };
    for unread in list.unread.iter().chain(&trace.unread) {
        eprintln!("line {}: {}", unread.line, unread.why);
    }
    let delays = explanation.map_or(Vec::new(), |e| delays(e, args.hours_ahead));
    match reconcile(&list.tasks, &trace.receives, args.client_task, &delays) {
        Some(account) => Ok(Some(account)),
        None => match args.client_task {
            Some(task) => {
                bail!("task {task} is not in {}", tasks.display());
            }
            None => {
                bail!("{} has no task", tasks.display());
            }
        },
    }
}

/// The explained waits between the ends, on the trace's clock.
fn delays(explanation: &CaptureExplanation, hours_ahead: f64) -> Vec<CaptureDelay> {
    let east_s = (hours_ahead * 3600.0) as i64;
    let time = |ns: i64| TimeOfDay::of_unix_ns(u64::try_from(ns).unwrap_or(0), east_s);
    let own = [EvidenceKind::HostWait, EvidenceKind::SlowPath, EvidenceKind::Unexplained];
    let waits = explanation.exchanges.iter().flat_map(|e| &e.waits);
    waits
        .filter(|wait| !own.contains(&wait.reason.kind()))
        .map(|wait| CaptureDelay {
            began: time(wait.from_ns),
            ended: time(wait.to_ns),
            cause: wait.reason.name().to_owned(),
            packets: vec![wait.before, wait.after],
        })
        .collect()
}

/// Prints the explanation at the top level, so that a program finds the verdict there.
fn print_json(explanation: Option<&CaptureExplanation>, account: Option<&TraceReconciliation>) -> Result<()> {
    let mut value = match explanation {
        Some(explanation) => serde_json::to_value(explanation).into_diagnostic()?,
        None => serde_json::json!({}),
    };
    value["schema_version"] = SCHEMA_VERSION.into();
    value["tasks"] = serde_json::to_value(account).into_diagnostic()?;
    println!("{}", serde_json::to_string_pretty(&value).into_diagnostic()?);
    Ok(())
}

/// Whether a cause was found that can be changed.
fn has_causes(explanation: &CaptureExplanation) -> bool {
    (explanation.verdict.iter()).any(|verdict| verdict.remedy.is_some())
}

/// Most waits that are assigned to tasks; an ordinary capture has fewer.
const JOINED_WAITS: usize = 20_000;

/// Exchanges drawn in a page.
const PICTURES: usize = 4;
