//! `tupelo check`: reports all errors of an application at once.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use cics::csd::{UriMapAnswer, UriMapUsage};
use gateway::LoadedApi;
use miette::Result;
use translator::{BuildResult, DiagnosticKind};

use crate::Outcome;
use crate::app::compile::CompiledPrograms;
use crate::app::definitions::MIRRORS;
use crate::app::finding::{Finding, Findings, Severity};
use crate::app::interfaces::{literal, literal_at};
use crate::app::services::read_requesters;
use crate::app::socket_names::{self, SocketNames};
use crate::app::{
    Application, changes, counted, interfaces, named, region_limits, scripts, settings, sql_check, zoned_signs,
};
use crate::commands::batch::{FOLDER, RunnablePrograms, in_folder};
use crate::commands::record::source::read_source;
use crate::table::Table;

/// Check an application folder: settings, definitions, programs, APIs and scenarios of load.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tupelo check examples/bank\n\nExit status: 0 no errors (there may be warnings), 1 errors were found, 2 the folder cannot\nbe read, 64 wrong usage."
)]
pub struct Args {
    /// The application folder.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Where compiled programs are kept; FOLDER/.tupelo when absent.
    #[arg(long)]
    state: Option<PathBuf>,
    /// List unsupported features by command, with the lines of each file.
    #[arg(long)]
    unsupported: bool,
    /// Compare EXEC SQL with the tables even if the SQL server does not run yet or is the
    /// server of [sql] url. A private server that runs is used in any case.
    #[arg(long)]
    database: bool,
}

/// Checks, and prints the findings. No kind of error hides another: if settings or
/// definitions have errors, the programs are compiled nevertheless, and only findings that
/// follow from those errors are omitted.
pub fn run(args: Args) -> Result<Outcome> {
    let app = Application::open_in_spite(&args.folder, args.state.as_deref())?;
    changes::confine(&app);
    app.not_empty()?;
    let mut findings = app.warnings.clone();
    let mut has_all = app.has_settings;
    let compiled = app.compile(|_| ()).unwrap_or_else(|report| {
        has_all = false;
        findings.add(no_compiler(&report));
        CompiledPrograms::default()
    });
    let batch = batch_with_sql(&app, &mut findings);
    let unsupported = compiler_findings(&app, &compiled, &batch, args.unsupported, &mut findings);
    let apis = app.load_apis(&mut findings);
    let good: Vec<&LoadedApi> = apis.good.iter().map(|api| &**api).collect();
    let mut reports = Vec::new();
    if has_all {
        let mut further = Findings::new(&app.folder);
        cross_checks(&app, &compiled, &good, &mut further);
        findings.extend(
            further
                .iter()
                .filter(|f| !follows(&app, &f.message))
                .cloned(),
        );
        reports = installation(&app, &compiled);
        reports.retain(|report| !follows(&app, report));
    }
    scenario_findings(&app, &mut findings);
    let statements = sql_check::report(&app, &compiled, &batch, args.database);
    findings.extend(statements.findings);
    print!(
        "{}",
        findings.text(Severity::Note, std::io::stdout().is_terminal())
    );
    if let Some(note) = &statements.note {
        println!("{note}");
    }
    for report in &reports {
        println!("{report}");
    }
    if args.unsupported && !unsupported.is_empty() {
        print!("{}", by_command(unsupported));
    }
    let errors = findings.count(Severity::Error) + reports.len();
    println!(
        "{}, {}, {}, {}: {}, {}",
        counted(compiled.programs.len(), "program"),
        counted(app.csd.transactions.len(), "transaction"),
        counted(app.csd.files.len(), "file"),
        counted(apis.good.len() + apis.bad.len(), "API"),
        counted(errors, "error"),
        counted(findings.count(Severity::Warning), "warning")
    );
    Ok(match errors {
        0 => Outcome::Clean,
        _ => Outcome::Findings,
    })
}

/// Mistakes of the scenarios of `tupelo drive` in the application's folder: TOML files
/// with populations.
fn scenario_findings(app: &Application, findings: &mut Findings) {
    let entries = std::fs::read_dir(&app.folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .filter(|path| path.file_name().is_some_and(|name| name != "tupelo.toml"))
        .collect();
    paths.sort();
    for path in paths {
        // Servers that the command line observes are not known here.
        let observing = true;
        if let Ok(text) = sources::read_to_string(&path)
            && drive::scenario::is_scenario(&text)
            && let Err(mistakes) = drive::scenario::read_observing(&text, &app.folder, observing)
        {
            findings.extend(mistakes.into_iter().map(|mistake| mistake.in_file(&path)));
        }
    }
}

/// Batch programs that have EXEC SQL, compiled as `tupelo batch` compiles them. Other
/// batch programs are checked by the job that runs them.
fn batch_with_sql(app: &Application, findings: &mut Findings) -> Vec<BuildResult> {
    let mut sources = in_folder(&app.folder.join(FOLDER));
    sources.retain(|path| {
        std::fs::read(path).is_ok_and(|bytes| {
            let text = String::from_utf8_lossy(&bytes).to_ascii_uppercase();
            text.lines().any(|line| {
                let mut words = line.split_whitespace();
                words.any(|word| word == "EXEC") && words.next() == Some("SQL")
            })
        })
    });
    if sources.is_empty() {
        return Vec::new();
    }
    RunnablePrograms::compile(app, sources).unwrap_or_else(|report| {
        findings.add(no_compiler(&report));
        Vec::new()
    })
}

/// The compiler's findings about maps and programs. With `apart`, uses of unsupported
/// features are returned instead of findings.
fn compiler_findings(
    app: &Application,
    compiled: &CompiledPrograms,
    batch: &[BuildResult],
    apart: bool,
    findings: &mut Findings,
) -> Vec<(String, PathBuf, u32)> {
    findings.extend(compiled.maps.iter().cloned());
    let mut unsupported = Vec::new();
    let built = compiled.built.iter().chain(batch);
    for diagnostic in built.flat_map(|b| &b.diagnostics) {
        if let DiagnosticKind::Unsupported(what) = &diagnostic.kind {
            let file = diagnostic
                .file
                .strip_prefix(&app.folder)
                .unwrap_or(&diagnostic.file);
            unsupported.push((what.clone(), file.to_owned(), diagnostic.line));
            if apart {
                continue;
            }
        }
        findings.add(diagnostic);
    }
    unsupported
}

/// Compares texts with each other: programs, definitions, APIs, scripts, settings.
fn cross_checks(
    app: &Application,
    compiled: &CompiledPrograms,
    good: &[&LoadedApi],
    findings: &mut Findings,
) {
    findings.extend(interfaces::findings(app, compiled, good));
    app.policies(findings);
    findings.extend(app.user_store());
    findings.extend(app.security_faults());
    findings.extend(app.shut_doors());
    let scripts = scripts::check(app);
    findings.extend(scripts::findings(app, &scripts).iter().cloned());
    scripts::hidden(app, good, findings);
    read_requesters(app, findings);
    let (pipelines, wrong) = crate::app::web::pipelines(app);
    findings.extend(wrong);
    findings.extend(missing(app, compiled, good, &pipelines));
    findings.extend(named::findings(app, compiled));
    findings.extend(settings::findings(app));
    findings.extend(region_limits::same_ports(&app.folder, &app.config));
    findings.extend(zoned_signs::findings(app));
    findings.extend(compiled.built.iter().filter_map(long_name));
    findings.extend(compiled.namesakes());
}

/// Errors that would stop a server from starting and have no place in a text.
fn installation(app: &Application, compiled: &CompiledPrograms) -> Vec<String> {
    let known = app
        .config
        .appc
        .as_ref()
        .map(|_| crate::app::appc::known(app).map(drop));
    let installed = app.install(compiled).map(drop);
    let connections = crate::app::ipconn::config(app).map(drop);
    let observed = app.observed().map(drop);
    let mainframe = app.mainframe(1).map(drop);
    let all = [
        installed,
        known.unwrap_or(Ok(())),
        connections,
        mainframe,
        observed,
    ];
    all.into_iter()
        .filter_map(Result::err)
        .map(|report| report.to_string())
        .collect()
}

/// Whether a message is about a definition that has errors itself.
fn follows(app: &Application, message: &str) -> bool {
    let part = |c: char| !(c.is_alphanumeric() || matches!(c, '@' | '#' | '$' | '-' | '_'));
    message
        .split(part)
        .any(|word| app.broken_definitions.contains(word))
}

/// The finding that programs cannot be compiled at all.
fn no_compiler(report: &miette::Report) -> Finding {
    Finding::new(Severity::Error, (0, 0), report.to_string()).maybe_help(report.help().map(|help| help.to_string()))
}

/// Names of programs that are neither here nor in another region, and of undefined
/// transactions. Without this check the error would appear only at the first request.
fn missing(
    app: &Application,
    compiled: &CompiledPrograms,
    apis: &[&LoadedApi],
    pipelines: &web::PipelineTable,
) -> Vec<Finding> {
    let known = |name: &str| named::is_program(app, compiled, name);
    // Perhaps the file's name was given instead of its PROGRAM-ID.
    let compiled_from = |name: &str| {
        let mut sources = compiled.built.iter();
        let namesake = sources.find(|b| {
            b.source
                .file_stem()
                .is_some_and(|stem| stem.eq_ignore_ascii_case(name))
        });
        match namesake.and_then(|b| Some((b.source.file_name()?.to_string_lossy(), b.programs.first()?))) {
            Some((file, program)) => {
                format!("{file} contains the program {program}: use the PROGRAM-ID, not the name of the file")
            }
            None => "a program is a file of cobol/ whose name ends with .cbl, .cob, .cobol or .ccp, or a program of another region (REMOTESYSTEM)".to_owned(),
        }
    };
    let mut callers = Vec::new();
    for def in &app.csd.transactions {
        if let Some(program) = def.program.as_ref().filter(|p| !known(p.as_str())) {
            callers.push(ProgramCaller::defined(
                format!("TRANSACTION({})", def.name.as_str()),
                def.line,
                "program",
                program.as_str(),
            ));
        }
    }
    for service in &app.csd.tcpipservices {
        if let Some(program) = service.analyzer.as_ref().filter(|p| !known(p)) {
            callers.push(ProgramCaller::defined(
                format!("TCPIPSERVICE({})", service.name),
                service.line,
                "analyzer",
                program,
            ));
        }
    }
    for map in &app.csd.urimaps {
        if let UriMapUsage::Server {
            answer: UriMapAnswer::Program {
                program, converter, ..
            },
            ..
        } = &map.usage
        {
            for (what, name) in [("program", program), ("converter", converter)] {
                let script = |name: &str| what == "program" && scripts::has_file(app, name);
                if let Some(name) = name.as_ref().filter(|p| !known(p) && !script(p)) {
                    callers.push(ProgramCaller::defined(
                        format!("URIMAP({})", map.name),
                        map.line,
                        what,
                        name,
                    ));
                }
            }
        }
    }
    for (pipeline, program) in pipelines.programs().filter(|(_, p)| !known(p)) {
        callers.push(ProgramCaller::defined(
            format!("PIPELINE({pipeline})"),
            0,
            "program",
            program,
        ));
    }
    for api in apis {
        let all = api.operations().zip(api.connections());
        let here = all.filter(|(_, connection)| !is_elsewhere(app, compiled, *connection));
        for (method, path, program) in here.map(|(o, _)| o).filter(|(_, _, p)| !known(p)) {
            let (file, line, column) = asset_place(app, api, program);
            callers.push(ProgramCaller {
                who: format!("API {}: {method} {path}", api.name()),
                file,
                line,
                column,
                message: format!(
                    "API {}: {method} {path} calls {program}, and there is no such program",
                    api.name()
                ),
                program: program.to_owned(),
            });
        }
    }
    for (source, name, (line, column)) in called(compiled).filter(|(_, name, _)| !known(name)) {
        let file = source
            .strip_prefix(&app.folder)
            .unwrap_or(source)
            .to_owned();
        callers.push(ProgramCaller {
            who: file.display().to_string(),
            file,
            line,
            column,
            message: format!("CALL of {name}: there is no such program, and the task abends"),
            program: name,
        });
    }
    let mut findings = Vec::new();
    let finding =
        |(file, line, column): (PathBuf, u32, u32), message: String, help: String| {
            Finding::new(Severity::Warning, (line, column), message)
                .in_file(file)
                .with_help(help)
        };
    // A missing program is reported once, with all its callers.
    while let Some(first) = callers.first() {
        let (program, mut message) = (first.program.clone(), first.message.clone());
        let place = (first.file.clone(), first.line, first.column);
        let (same, others) = callers
            .into_iter()
            .partition::<Vec<_>, _>(|c| c.program == program);
        callers = others;
        let too: Vec<&str> = same.iter().skip(1).map(|c| c.who.as_str()).collect();
        if !too.is_empty() {
            let shown = too.len().min(MOST_CALLERS);
            let more = match too.len() - shown {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            message += &format!("; also called by {}{more}", too[..shown].join(", "));
        }
        findings.push(finding(place, message, compiled_from(&program)));
    }
    let defined = |name: &str| {
        MIRRORS.contains(&name) || app.csd.transactions.iter().any(|t| t.name.as_str() == name)
    };
    for api in apis {
        let here = api.transactions(|connection| !is_elsewhere(app, compiled, connection));
        for transaction in here.into_iter().filter(|name| !defined(name)) {
            let name = api.name();
            findings.push(finding(
                Default::default(),
                format!("API {name}: its transaction {transaction} is not defined"),
                format!("write DEFINE TRANSACTION({transaction}) GROUP(APIS) PROGRAM(its program) into resources.csd"),
            ));
        }
    }
    let names = SocketNames {
        program: &known,
        transaction: &defined,
        help: &compiled_from,
    };
    findings.extend(socket_names::findings(app, &names));
    findings
}

/// Whether the program of an asset with this connection runs elsewhere: in a region or
/// mainframe that is called, or in any region if this is a gateway without programs.
fn is_elsewhere(app: &Application, compiled: &CompiledPrograms, connection: Option<&str>) -> bool {
    let Ok(regions) = crate::app::ipconn::config(app) else {
        return false;
    };
    let mainframes = &app.config.mainframe.connections;
    let named = |name: &str| {
        regions.connections.contains_key(name)
            || regions.groups.contains_key(name)
            || mainframes.contains_key(name)
    };
    let alone =
        compiled.built.is_empty() && !(regions.connections.is_empty() && mainframes.is_empty());
    connection.is_some_and(named) || app.config.gateway.connection.is_some() || alone
}

/// Reports a program whose name is too long for a resource.
fn long_name(built: &translator::BuildResult) -> Option<Finding> {
    let name = built.programs.first().filter(|name| name.len() > 8)?;
    Some(Finding::new(Severity::Note, (0, 0), format!(
            "the PROGRAM-ID {name} has {} characters: no API, transaction or LINK can name it",
            name.len()
        )).in_file(&built.source).with_help("names of programs have 1 to 8 characters; only CALL can use longer names"))
}

/// The place where an API's asset names a program.
fn asset_place(app: &Application, api: &gateway::LoadedApi, program: &str) -> (PathBuf, u32, u32) {
    let Some(file) = api.asset_file(program) else {
        return (PathBuf::new(), 0, 0);
    };
    let text = sources::read_to_string(file).unwrap_or_default();
    let at = (1..).zip(text.lines()).find_map(|(line, text)| {
        let (key, value) = text.split_once(':')?;
        let column = text
            .find(program)
            .filter(|_| key.trim() == "program" && value.contains(program))?;
        Some((line, u32::try_from(column + 1).ok()?))
    });
    let (line, column) = at.unwrap_or_default();
    (
        file.strip_prefix(&app.folder).unwrap_or(file).to_owned(),
        line,
        column,
    )
}

/// A caller of a missing program.
struct ProgramCaller {
    who: String,
    /// The place of the call; empty and 0 if unknown.
    file: PathBuf,
    line: u32,
    column: u32,
    /// The message if this is the first caller.
    message: String,
    program: String,
}

impl ProgramCaller {
    /// A resource definition.
    fn defined(who: String, line: u32, what: &str, program: &str) -> ProgramCaller {
        ProgramCaller {
            message: format!("{who}: there is no {what} {program}"),
            who,
            file: PathBuf::from(if line > 0 { "resources.csd" } else { "" }),
            line,
            column: 0,
            program: program.to_owned(),
        }
    }
}

/// The programs that are called by a literal, with the place of each literal. Routines of
/// other products are skipped by the prefixes of their names.
fn called(compiled: &CompiledPrograms) -> impl Iterator<Item = (&Path, String, (u32, u32))> {
    let all = compiled.built.iter().filter_map(|built| {
        let text = read_source(&built.source).ok()?;
        let words = copybook::words(&text);
        let calls = words.windows(2).filter(|w| w[0] == "CALL");
        let names: BTreeSet<String> = calls.filter_map(|w| literal(&w[1])).collect();
        // Programs that the source contains are known.
        let own = |name: &str| {
            words
                .windows(3)
                .any(|w| w[0] == "PROGRAM-ID" && (w[1] == name || w[2] == name))
        };
        let strange = |name: &&String| {
            let brought = [
                "CEE", "DFH", "MQ", "EZA", "BAQ", "CBL_", "C$", "DSNHLI", "DSNTIA", "IGZ", "CM", "ILBO", "SYSTEM",
                "X\"",
            ];
            !brought.iter().any(|start| name.starts_with(start)) && !own(name)
        };
        let reported: Vec<_> = names
            .iter()
            .filter(strange)
            .map(|name| {
                (
                    &*built.source,
                    name.to_ascii_uppercase(),
                    literal_at(&text, name).unwrap_or_default(),
                )
            })
            .collect();
        Some(reported)
    });
    all.flatten()
}

/// Most callers of a missing program that are listed; more are counted.
const MOST_CALLERS: usize = 4;

/// One row for each command: the number of uses, and the lines of each file.
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
            table.row([
                what,
                count,
                format!("{}:{}", file[0].1.display(), lines.join(",")),
            ]);
        }
    }
    table
}
