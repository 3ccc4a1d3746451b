//! `tupelo run`: runs one transaction from the command line.

use std::io::IsTerminal;
use std::path::PathBuf;

use miette::{Context, IntoDiagnostic, Result, miette};
use region::{ContainerType, TaskOutcome as End, Region, TaskRequest};
use serde_json::json;

use crate::Outcome;
use crate::stdout::wrong_usage;
use crate::app::Application;
use crate::app::finding::{Findings, Severity};
use crate::app::services::{
    SqlOfOneTask, requester_without_region, sockets_without_listeners, web_without_services,
};

/// Run one transaction of an application, and print its output.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo run BLST examples/bank --channel LIST\n  tupelo run HELO hello --commarea 'world' --length 67\n\n\
    Exit status: 0 it ended normally, 1 it abended, 2 it could not run.")]
pub struct Args {
    /// The transaction.
    transid: String,
    /// The application folder.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Folder of compiled programs and records; FOLDER/.tupelo when absent.
    #[arg(long)]
    state: Option<PathBuf>,
    /// A program to run instead of the transaction's own.
    #[arg(long)]
    program: Option<String>,
    /// COMMAREA: text, or @FILE for a file's bytes.
    #[arg(long, value_name = "TEXT", conflicts_with = "container")]
    commarea: Option<String>,
    /// Length of the COMMAREA; text is padded with blanks.
    #[arg(long, value_name = "BYTES")]
    length: Option<usize>,
    /// A container: NAME=TEXT, or NAME=@FILE. May be given several times.
    #[arg(long, value_name = "NAME=TEXT")]
    container: Vec<String>,
    /// Name of the channel; any container makes a channel.
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,
    /// Print one JSON object; bytes that are not text are in hexadecimal.
    #[arg(long)]
    json: bool,
}

/// Runs the transaction.
pub fn run(args: Args) -> Result<Outcome> {
    let app = Application::open(&args.folder, args.state.as_deref())?;
    let compiled = app.compile(|_| ())?;
    let mut findings = Findings::new(&app.folder);
    findings.extend(compiled.built.iter().flat_map(|b| &b.diagnostics));
    eprint!("{}", findings.text(Severity::Note, std::io::stderr().is_terminal()));
    let installed = app.install(&compiled)?;
    app.prepare_files(&installed)?;
    let mut config = app.region_config(&installed)?;
    sockets_without_listeners(&app, &mut config)?;
    web_without_services(&app, &mut config);
    requester_without_region(&app, &mut config)?;
    let sql = SqlOfOneTask::provide(&app, &mut config)?;
    let region = Region::start(config).map_err(|error| app.not_started(&error))?;
    sql.start(&region);
    let ended = region::block_on(run_task(&args, &app, &region));
    region::block_on(region.shutdown());
    ended
}

async fn run_task(args: &Args, app: &Application, region: &Region) -> Result<Outcome> {
    let handle = region.handle();
    let request = TaskRequest {
        transid: args.transid.parse().map_err(|e| miette!("transaction {}: {e}", args.transid))?,
        program: match &args.program {
            Some(name) => name.parse().map_err(|e| miette!("program {name}: {e}"))?,
            None => Default::default(),
        },
        userid: app.user()?,
        start_code: region::StartCode::Start,
        ..TaskRequest::default()
    };
    let mut task = handle.begin(&handle.default_port(), request).await.into_diagnostic()?;
    if let Some(name) = &args.channel {
        task.set_channel(name.parse().map_err(|e| miette!("channel {name}: {e}"))?);
    }
    for container in &args.container {
        let (name, value) = container
            .split_once('=')
            .ok_or_else(|| wrong_usage(format!("--container {container}: write NAME=TEXT"), None))?;
        let bytes = bytes_of(value)?;
        task.put_container(name, ContainerType::Bit, bytes.len(), |area| {
            area.copy_from_slice(&bytes);
            Ok::<usize, std::convert::Infallible>(bytes.len())
        })
        .map_err(|e| miette!("container {name}: {e}"))?;
    }
    if args.commarea.is_some() || args.length.is_some() {
        let bytes = bytes_of(args.commarea.as_deref().unwrap_or_default())?;
        let length = args.length.unwrap_or(bytes.len());
        if bytes.len() > length {
            return Err(wrong_usage(format!("the COMMAREA has {} bytes, more than --length {length}", bytes.len()), None));
        }
        task.set_commarea(length, |area| {
            area.fill(b' ');
            area[..bytes.len()].copy_from_slice(&bytes);
            Ok::<(), std::convert::Infallible>(())
        })
        .map_err(|e| miette!("COMMAREA: {e}"))?;
    }
    let reply = task.run().await;
    print(&reply, args.json)?;
    Ok(match reply.outcome() {
        End::Ok => Outcome::Clean,
        End::Abend(_) => Outcome::Findings,
    })
}

fn print(reply: &region::TaskReply, as_json: bool) -> Result<()> {
    let abend = match reply.outcome() {
        End::Ok => None,
        End::Abend(abend) => Some(abend),
    };
    if as_json {
        let containers: serde_json::Map<String, serde_json::Value> = reply
            .containers()
            .map(|c| (c.name.to_string(), json!(shown(c.bytes))))
            .collect();
        let object = json!({
            "abend": abend.map(|a| json!({
                "code": a.code(), "program": a.program.as_str(), "line": a.line, "message": a.message,
            })),
            "commarea": shown(reply.commarea()),
            "containers": containers,
            "monitoring": reply.record(),
        });
        println!("{}", serde_json::to_string(&object).into_diagnostic()?);
        return Ok(());
    }
    if let Some(abend) = abend {
        let line = if abend.line > 0 { format!(" line {}", abend.line) } else { String::new() };
        // The position of a program that had to be ended is unknown.
        let place = match abend.program.as_str().trim_end() {
            "" => String::new(),
            program => format!(" in {program}{line}"),
        };
        println!("abend     {}{place}: {}", abend.code(), abend.message);
    }
    if !reply.commarea().is_empty() {
        println!("commarea  {}", shown(reply.commarea()));
    }
    for container in reply.containers() {
        println!("container {:<16} {}", container.name, shown(container.bytes));
    }
    let record = reply.record();
    let estimated = if record.cpu_estimated { " (estimated)" } else { "" };
    println!(
        "task      {} {}, {} commands, {:.1} µs CPU{estimated}, {:.1} µs response",
        record.task,
        record.transid,
        record.commands,
        record.general_cpu_ns as f64 / 1e3,
        record.response_ns as f64 / 1e3
    );
    Ok(())
}

/// Text unchanged; anything else in hexadecimal.
fn shown(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains(|c: char| c.is_control()) => text.to_owned(),
        _ => {
            let digits = base::hex::lower(bytes);
            format!("0x{digits}")
        }
    }
}

fn bytes_of(value: &str) -> Result<Vec<u8>> {
    match value.strip_prefix('@') {
        Some(path) => std::fs::read(path)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot read {path}")),
        None => Ok(value.as_bytes().to_vec()),
    }
}
