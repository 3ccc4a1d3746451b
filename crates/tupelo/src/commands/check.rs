//! `tupelo check`: everything that is wrong with an application, at once.

use std::io::IsTerminal;
use std::path::PathBuf;

use cics::csd::{UriMapAnswer, UriMapUsage};
use gateway::Api;
use miette::Result;
use translator::Kind;

use crate::Outcome;
use crate::app::compile::Compiled;
use crate::app::finding::{Finding, Severity};
use crate::app::services::read_requesters;
use crate::app::socket_names::{self, Names};
use crate::app::{Application, counted, interfaces, named_files, scripts};
use crate::app::definitions::MIRRORS;
use crate::table::Table;

/// Check an application folder: settings, definitions, programs and APIs.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo check examples/bank\n\nExit status: 0 clean, 1 errors were found.")]
pub struct Args {
    /// The application folder.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Where compiled programs are kept; FOLDER/.tupelo when absent.
    #[arg(long)]
    state: Option<PathBuf>,
    /// List what is not supported yet by command, with the lines of each file.
    #[arg(long)]
    unsupported: bool,
}

/// Checks, and prints what was found.
pub fn run(args: Args) -> Result<Outcome> {
    let app = Application::open(&args.folder, args.state.as_deref())?;
    let mut findings = app.warnings.clone();
    let compiled = app.compile(|_| ())?;
    let mut unsupported = Vec::new();
    for diagnostic in compiled.built.iter().flat_map(|b| &b.diagnostics) {
        if let Kind::Unsupported(what) = &diagnostic.kind {
            let file = diagnostic.file.strip_prefix(&app.folder).unwrap_or(&diagnostic.file);
            unsupported.push((what.clone(), file.to_owned(), diagnostic.line));
            if args.unsupported {
                continue;
            }
        }
        findings.add(diagnostic);
    }
    let apis = app.load_apis(&mut findings);
    let good: Vec<&Api> = apis.good.iter().map(|api| &**api).collect();
    findings.extend(interfaces::findings(&app, &compiled, &good));
    app.policies(&mut findings);
    let scripts = scripts::check(&app);
    findings.extend(scripts::findings(&app, &scripts).iter().cloned());
    scripts::hidden(&app, &good, &mut findings);
    read_requesters(&app, &mut findings);
    let (pipelines, wrong) = crate::app::web::pipelines(&app);
    findings.extend(wrong);
    findings.extend(missing(&app, &compiled, &good, &pipelines));
    findings.extend(named_files::findings(&app, &compiled));
    print!("{}", findings.text(Severity::Note, std::io::stdout().is_terminal()));
    let mut errors = findings.count(Severity::Error);
    let warnings = findings.count(Severity::Warning);
    let known = app.config.appc.as_ref().map(|_| crate::app::appc::known(&app).map(drop));
    let installed = app.install(&compiled.programs).map(drop);
    let connections = crate::app::ipconn::config(&app).map(drop);
    let observed = app.observed().map(drop);
    let mainframe = app.mainframe(1).map(drop);
    for report in [installed, known.unwrap_or(Ok(())), connections, mainframe, observed].into_iter().filter_map(Result::err) {
        errors += 1;
        println!("{report}");
    }
    if args.unsupported && !unsupported.is_empty() {
        print!("{}", by_command(unsupported));
    }
    println!(
        "{}, {}, {}, {}: {}, {}",
        counted(compiled.programs.len(), "program"),
        counted(app.csd.transactions.len(), "transaction"),
        counted(app.csd.files.len(), "file"),
        counted(apis.good.len() + apis.bad.len(), "API"),
        counted(errors, "error"),
        counted(warnings, "warning")
    );
    Ok(match errors {
        0 => Outcome::Clean,
        _ => Outcome::Findings,
    })
}

/// What names a program that is neither here nor in another region, or a
/// transaction without a definition: it would be told at the first request only.
fn missing(app: &Application, compiled: &Compiled, apis: &[&Api], pipelines: &web::Pipelines) -> Vec<Finding> {
    let known = |name: &str| {
        let here = compiled.programs.iter().any(|p| p.name == name);
        let tried = compiled.built.iter().flat_map(|b| &b.programs);
        let elsewhere = |p: &cics::csd::ProgramDef| p.name.as_str() == name && p.remote_system.is_some();
        name.is_empty()
            || name.starts_with("DFH")
            || here
            || app.config.script.programs.contains_key(name)
            || tried.into_iter().any(|p| p == name)
            || app.csd.programs.iter().any(elsewhere)
    };
    let mut said = Vec::new();
    let mut warn = |line: u32, message: String, help: String| {
        said.push(Finding {
            severity: Severity::Warning,
            file: PathBuf::from(if line > 0 { "resources.csd" } else { "" }),
            line,
            column: 0,
            message,
            help: Some(help),
        });
    };
    // A file of that name whose program is called otherwise is what was meant.
    let compiled_from = |name: &str| {
        let mut sources = compiled.built.iter();
        let namesake = sources.find(|b| b.source.file_stem().is_some_and(|stem| stem.eq_ignore_ascii_case(name)));
        match namesake.and_then(|b| Some((b.source.file_name()?.to_string_lossy(), b.programs.first()?))) {
            Some((file, program)) => {
                format!("{file} has the program {program}: a program is called by its PROGRAM-ID, not by its file")
            }
            None => "a program is a file of cobol/, or one of another region (REMOTESYSTEM)".to_owned(),
        }
    };
    for def in &app.csd.transactions {
        if let Some(program) = def.program.as_ref().filter(|p| !known(p.as_str())) {
            let message = format!("TRANSACTION({}): there is no program {}", def.name.as_str(), program.as_str());
            warn(def.line, message, compiled_from(program.as_str()));
        }
    }
    for service in &app.csd.tcpipservices {
        if let Some(program) = service.analyzer.as_ref().filter(|p| !known(p)) {
            let message = format!("TCPIPSERVICE({}): there is no analyzer {program}", service.name);
            warn(0, message, compiled_from(program));
        }
    }
    for map in &app.csd.urimaps {
        if let UriMapUsage::Server { answer: UriMapAnswer::Program { program, converter, .. }, .. } = &map.usage {
            for (what, name) in [("program", program), ("converter", converter)] {
                let script = |name: &str| what == "program" && scripts::has_file(app, name);
                if let Some(name) = name.as_ref().filter(|p| !known(p) && !script(p)) {
                    let message = format!("URIMAP({}): there is no {what} {name}", map.name);
                    warn(0, message, compiled_from(name));
                }
            }
        }
    }
    for (pipeline, program) in pipelines.programs().filter(|(_, p)| !known(p)) {
        let message = format!("PIPELINE({pipeline}): there is no program {program}");
        warn(0, message, compiled_from(program));
    }
    let defined = |name: &str| {
        MIRRORS.contains(&name) || app.csd.transactions.iter().any(|t| t.name.as_str() == name)
    };
    for api in apis {
        for transaction in api.transactions().into_iter().filter(|name| !defined(name)) {
            let name = api.name();
            warn(
                0,
                format!("API {name}: it runs under transaction {transaction}, which is not defined"),
                format!("write DEFINE TRANSACTION({transaction}) GROUP(APIS) PROGRAM(its program) into resources.csd"),
            );
        }
        for (method, path, program) in api.operations().filter(|(_, _, p)| !known(p)) {
            let message = format!(
                "API {}: {method} {path} calls {program}, and there is no such program",
                api.name()
            );
            warn(0, message, compiled_from(program));
        }
    }
    let names = Names { program: &known, transaction: &defined, help: &compiled_from };
    said.extend(socket_names::findings(app, &names));
    said
}

/// One row a command: how often it is used, and the lines of each file.
fn by_command(mut uses: Vec<(String, PathBuf, u32)>) -> Table {
    uses.sort();
    let mut table = Table::new(&["not supported yet", ">uses", "places"]);
    for group in uses.chunk_by(|a, b| a.0 == b.0) {
        for (i, file) in group.chunk_by(|a, b| a.1 == b.1).enumerate() {
            let lines: Vec<String> = file.iter().map(|(_, _, line)| line.to_string()).collect();
            let (what, count) = match i {
                0 => (group[0].0.clone(), group.len().to_string()),
                _ => Default::default(),
            };
            table.row([what, count, format!("{}:{}", file[0].1.display(), lines.join(","))]);
        }
    }
    table
}
