//! `tupelo api`: API projects.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use gateway::{
    CallInterface, RedefineChoice, DateField, ImportRequest, ImportBook, ImportNames, NameStyle, FieldOverrides, Redefines, BooleanField, import,
    import_archives,
};
use miette::{Context, IntoDiagnostic, Result, bail, miette};
use serde_json::Value;

use crate::Outcome;
use crate::stdout::wrong_usage;
use crate::app::operate::encoded;
use crate::app::{Application, counted};
use crate::app::finding::{Findings, Severity};
use crate::commands::record::source::read_text;
use crate::operator::{OperatorArgs, cell};
use crate::table::Table;

/// Make API projects, and list, stop, start and redeploy those of a running server.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo api import quote --program QUOTE01 --request copybooks/QUOTE.cpy")]
pub struct Args {
    #[command(subcommand)]
    what: ApiAction,
}

#[derive(Debug, clap::Subcommand)]
#[allow(clippy::large_enum_variant, reason = "one value a process")]
enum ApiAction {
    Import(ImportArgs),
    Structures(StructuresArgs),
    Requester(RequesterArgs),
    /// List the APIs of a running server: their operations and programs.
    #[command(after_help = "Example:\n  tupelo api list")]
    List(OperatorArgs),
    /// Stop an API of a running server: its callers get 503.
    #[command(after_help = "Example:\n  tupelo api stop accounts\n  tupelo api stop accounts --operation \"GET /accounts/{number}\"")]
    Stop(SwitchArgs),
    /// Start an API again that was stopped.
    #[command(after_help = "Example:\n  tupelo api start accounts")]
    Start(SwitchArgs),
    /// Read the project of an API again and put it in force; with errors in it the
    /// old version stays in force.
    #[command(after_help = "Example:\n  tupelo api redeploy accounts")]
    Redeploy(RedeployArgs),
}

/// The API to redeploy.
#[derive(Debug, clap::Args)]
pub struct RedeployArgs {
    /// Its name.
    name: String,
    #[command(flatten)]
    ask: OperatorArgs,
}

/// An API, or one operation of it.
#[derive(Debug, clap::Args)]
pub struct SwitchArgs {
    /// Its name.
    name: String,
    /// Only this operation: its operationId, or "METHOD /path".
    #[arg(long, value_name = "OPERATION")]
    operation: Option<String>,
    #[command(flatten)]
    ask: OperatorArgs,
}

/// Write the copybooks of an API-first project: the structures that its program
/// receives and returns, derived from the project's JSON schemas.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  tupelo api structures apis/orders\n  tupelo api structures apis/orders --to copybooks")]
pub struct StructuresArgs {
    /// The project: the folder that has src/main.
    project: PathBuf,
    /// Folder to write them to, one file each; printed when absent.
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

/// Write the copybooks for programs that call a REST API: for each operation its
/// information block, its request and its response, from an OpenAPI document.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  tupelo api requester requesters/books --to copybooks\n  \
    tupelo api requester requesters/books --stub --prefix BKS --to copybooks\n\n\
    The folder holds openapi.yaml (or .json, or swagger.json) and, if it is to say\n\
    requesterPrefix, defaultCharacterMaxLength or defaultFractionDigits,\n\
    options.yaml.")]
pub struct RequesterArgs {
    /// The folder of the API.
    folder: PathBuf,
    /// For programs that call BAQCSTUB instead of the host API.
    #[arg(long)]
    stub: bool,
    /// Prefix of the copybooks' names, 1 to 3 characters.
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// Folder to write them to, one file each; printed when absent.
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

/// Make an API project from copybooks and the name of a program: an OpenAPI
/// document, an asset and the mappings of one operation, to be edited. Or from
/// archives of z/OS Connect EE 3.0.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  tupelo api import quote --program QUOTE01 --request QUOTEREQ.cpy --response QUOTERPL.cpy --channel\n  \
    tupelo api import accounts --program ACCT01 --transid AC01 --request ACCT.cpy --names camel --strip-prefix ACCT\n  \
    tupelo api import accounts --update\n  \
    tupelo api import catalog.aar placeOrder.sar inquireSingle.sar\n\n\
    A COMMAREA that is the same both ways needs one --request. If the program is\n\
    below cobol/, the fields that it only reads belong to the request and those\n\
    that it only writes to the response. A copybook may name its container:\n\
    --request IN-DATA=QUOTEREQ.cpy. A level-88 condition named for all values\n\
    (VALID-KIND) becomes an enum of the request, and with --enums all do. The\n\
    counter of OCCURS DEPENDING ON is made from the array.")]
pub struct ImportArgs {
    /// Name of the API, and its base path; or archives: an API's .aar with the .sar of
    /// each of its services, or a single .sar.
    #[arg(value_name = "NAME|ARCHIVE", required = true)]
    what: Vec<String>,
    /// The program.
    #[arg(long)]
    program: Option<String>,
    /// The transaction to run it under; its definition is added to
    /// resources.csd when it is not there.
    #[arg(long)]
    transid: Option<String>,
    /// The program has a channel with containers, not a COMMAREA.
    #[arg(long)]
    channel: bool,
    /// Copybook of the request. May be given several times with --channel.
    #[arg(long, value_name = "[CONTAINER=]COPYBOOK")]
    request: Vec<String>,
    /// Copybook of the response; that of the request when absent.
    #[arg(long, value_name = "[CONTAINER=]COPYBOOK")]
    response: Vec<String>,
    /// How names are spelt in JSON: ACCT-NO as acct_no, acctNo or ACCT-NO.
    #[arg(long, value_enum, default_value = "snake")]
    names: NamingChoice,
    /// Remove this prefix from every name that begins with it; several prefixes with commas
    /// between them.
    #[arg(long, value_name = "PREFIX")]
    strip_prefix: Option<String>,
    /// Storage with several descriptions: the first, or all of them as members
    /// of which a request gives one.
    #[arg(long, value_enum, default_value = "first")]
    redefines: VariantChoice,
    /// The description of redefined storage that is valid, by the value of a field: one
    /// response for each value.
    #[arg(long, value_name = "ITEM:FIELD:VALUE=NAME,…,*=NAME", value_parser = choice, conflicts_with = "redefines")]
    redefines_by: Option<RedefineChoice>,
    /// A field that is a JSON boolean, and its two values. May be given several
    /// times.
    #[arg(long, value_name = "FIELD=YES/NO", value_parser = truth)]
    boolean: Vec<BooleanField>,
    /// A field that is a date in JSON, and its format: YYYY or YY, MM and DD in any order.
    /// May be given several times.
    #[arg(long, value_name = "FIELD=YYYYMMDD", value_parser = day)]
    date: Vec<DateField>,
    /// Omit the empty rows at the end of tables of a fixed size.
    #[arg(long)]
    trim_tables: bool,
    /// Allow only the values of level 88 in the fields of a request.
    #[arg(long)]
    enums: bool,
    /// A field or group that the program sets itself: it is in the response only. May be
    /// given several times.
    #[arg(long, value_name = "FIELD")]
    set_by_program: Vec<String>,
    /// Pictures have a comma as the decimal point; the default if a program of the folder
    /// has DECIMAL-POINT IS COMMA.
    #[arg(long)]
    decimal_comma: bool,
    /// The application folder.
    #[arg(long, default_value = ".")]
    app: PathBuf,
    /// Overwrite an existing project.
    #[arg(long, conflicts_with = "update")]
    force: bool,
    /// Apply changes of the copybooks to an existing project. Edited files are kept and
    /// listed.
    #[arg(long, conflicts_with_all = ["program", "transid", "channel", "request", "response", "strip_prefix", "redefines_by", "boolean", "date", "trim_tables", "enums", "set_by_program", "decimal_comma"])]
    update: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum NamingChoice {
    /// acct_no
    Snake,
    /// acctNo
    Camel,
    /// ACCT-NO
    Kept,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum VariantChoice {
    /// The first description.
    First,
    /// Every description; a response has those that are text.
    All,
}

/// Runs the action.
pub fn run(args: Args) -> Result<Outcome> {
    match args.what {
        ApiAction::Structures(args) => run_structures(&args),
        ApiAction::Requester(args) => run_requester(&args),
        ApiAction::List(ask) => run_list(&ask),
        ApiAction::Stop(args) => run_switch(&args, "stop"),
        ApiAction::Start(args) => run_switch(&args, "start"),
        ApiAction::Redeploy(args) => run_redeploy(&args),
        ApiAction::Import(args) => {
            let app = Application::open(&args.app, None)?;
            if args.what.iter().any(|name| is_requester_archive(name)) {
                return run_requester_archives(&args, &app);
            }
            if args.what.iter().all(|name| is_archive(name)) {
                return run_archives(&args, &app);
            }
            let [name] = args.what.as_slice() else {
                return Err(wrong_usage("give one name of an API, or archives that end with .aar and .sar", None));
            };
            let name = plain_name(name)?;
            if args.update {
                run_update(name, &app)
            } else {
                run_import(name, &args, &app)
            }
        }
    }
}

fn is_archive(name: &str) -> bool {
    let extension = Path::new(name).extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("aar") || extension.eq_ignore_ascii_case("sar")
}

fn is_requester_archive(name: &str) -> bool {
    let extension = Path::new(name).extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("ara")
}

/// Extracts the documents from archives of API requesters.
fn run_requester_archives(args: &ImportArgs, app: &Application) -> Result<Outcome> {
    if args.program.is_some() || !args.request.is_empty() || args.update {
        return Err(wrong_usage("archives need no other options than --app and --force", None));
    }
    for name in &args.what {
        if !is_requester_archive(name) {
            return Err(wrong_usage(format!("{name} is not an .ara file: import archives of API requesters (.ara) separately"), None));
        }
        let made = gateway::requester_archive(Path::new(name), &archive(name)?)
            .map_err(|faults| refused("the archive cannot be imported", faults))?;
        let title: String = made.name.split_whitespace().collect();
        let own = plain_name(&title)?;
        let folder = Path::new(&app.config.requester.folder).join(own);
        let file = app.folder.join(&folder).join(made.document);
        if file.exists() && !args.force {
            bail!(help = "--force overwrites it", "{} exists already", file.display());
        }
        write(&file, &made.text)?;
        println!("Made {}.", file.display());
        println!(
            "Next:\n  [requester.apis.\"{own}\"] with url = \"https://…\" in tupelo.toml\n  \
             tupelo api requester {} --stub --to copybooks",
            folder.display()
        );
    }
    Ok(Outcome::Clean)
}

/// An archive's bytes, unless it is too large.
fn archive(name: &str) -> Result<Vec<u8>> {
    let size = fs::metadata(name).into_diagnostic();
    let size = size.wrap_err_with(|| format!("{name} cannot be read"))?.len();
    if size > MAX_ARCHIVE {
        bail!("{name} has more than {} MiB", MAX_ARCHIVE >> 20);
    }
    let bytes = fs::read(name).into_diagnostic();
    bytes.wrap_err_with(|| format!("{name} cannot be read"))
}

/// Makes a project from archives.
fn run_archives(args: &ImportArgs, app: &Application) -> Result<Outcome> {
    if args.program.is_some() || !args.request.is_empty() || args.update {
        return Err(wrong_usage("archives need no other options than --app and --force", None));
    }
    let mut archives = Vec::new();
    for name in &args.what {
        archives.push((PathBuf::from(name), archive(name)?));
    }
    let made = import_archives(&archives)
        .map_err(|faults| refused("the archives cannot be imported", faults))?;
    let folder = app.api_folder().join(plain_name(&made.name)?);
    if folder.exists() && !args.force {
        bail!(
            help = "--force overwrites it",
            "{} exists already",
            folder.display()
        );
    }
    for file in &made.files {
        write(&folder.join(&file.path), &file.text)?;
    }
    let mut notes = Findings::new(Path::new(""));
    notes.extend(made.notes.0);
    eprint!("{}", notes.text(Severity::Note, std::io::stderr().is_terminal()));
    println!("Made {} with {}.", folder.display(), counted(made.files.len(), "file"));
    for (program, transid) in &made.programs {
        define(app, transid.as_deref(), program)?;
    }
    println!("Next:\n  tupelo check {0}\n  tupelo serve {0}", args.app.display());
    Ok(Outcome::Clean)
}

/// Most bytes of an archive: archives of projects have some kilobytes.
const MAX_ARCHIVE: u64 = 16 << 20;

fn run_import(name: &str, args: &ImportArgs, app: &Application) -> Result<Outcome> {
    if args.program.is_none() || args.request.is_empty() {
        return Err(wrong_usage("--program and --request are required, except with --update", None));
    }
    let program = args.program.clone().unwrap_or_default().to_ascii_uppercase();
    let books = |list: &[String]| {
        list.iter().map(|given| book(given, app)).collect::<Result<Vec<_>>>()
    };
    let request = books(&args.request)?;
    let response = if args.response.is_empty() {
        request.clone()
    } else {
        books(&args.response)?
    };
    let transid = args.transid.as_ref().map(|t| t.to_ascii_uppercase());
    let made = import(&ImportRequest {
        name: name.to_owned(),
        program: program.clone(),
        transid: transid.clone(),
        channel: args.channel,
        names: ImportNames {
            style: match args.names {
                NamingChoice::Snake => NameStyle::Snake,
                NamingChoice::Camel => NameStyle::Camel,
                NamingChoice::Kept => NameStyle::Kept,
            },
            prefix: args.strip_prefix.clone(),
        },
        redefines: match (&args.redefines_by, args.redefines) {
            (Some(choice), _) => Redefines::ByValue(choice.clone()),
            (None, VariantChoice::First) => Redefines::First,
            (None, VariantChoice::All) => Redefines::All,
        },
        overrides: FieldOverrides {
            booleans: args.boolean.clone(),
            dates: args.date.clone(),
            trim_tables: args.trim_tables,
            enums: args.enums,
            outputs: args.set_by_program.iter().map(|f| f.to_ascii_uppercase()).collect(),
        },
        copies: app.copy_folders(),
        decimal_comma: args.decimal_comma.then_some(true),
        program_text: gateway::program_text(&app.folder, &program),
        request,
        response,
    })
    .map_err(|faults| refused("the project cannot be made", faults))?;
    let folder = args.app.join(&app.config.gateway.apis).join(name);
    if folder.exists() && !args.force {
        bail!(
            help = "--update applies changed copybooks and keeps what you edited; --force overwrites it",
            "{} exists already",
            folder.display()
        );
    }
    for file in &made.files {
        write(&folder.join(&file.path), &file.text)?;
    }
    distinct_findings(made.warnings);
    println!("Made {} with {}.", folder.display(), counted(made.files.len(), "file"));
    if !made.left_out.is_empty() {
        let left = made.left_out.join(", ");
        match args.redefines {
            VariantChoice::First => println!(
                "Left out, since they redefine other fields: {left}. --redefines all maps them too, --redefines-by selects one by a value."
            ),
            VariantChoice::All => println!(
                "Left out of the response, since its storage may hold another description: {left}. --redefines-by selects one by a value."
            ),
        }
    }
    if !made.open_values.is_empty() {
        println!(
            "Level 88 names values of {}: the schema describes them and allows others too. --enums allows only them.",
            made.open_values.join(", ")
        );
    }
    if let Some(transid) = &transid {
        define(app, Some(transid), &program)?;
    }
    match gateway::program_source(&app.folder, &program) {
        Some((file, text)) => {
            let mut findings = Findings::new(&app.folder);
            findings.extend(crate::app::interfaces::wrong_parameters(&file, &text));
            eprint!("{}", findings.text(Severity::Note, std::io::stderr().is_terminal()));
        }
        None => println!("cobol/ has no {program} yet, so all fields are in the request and in the response."),
    }
    println!("Next:\n  tupelo serve {}", args.app.display());
    println!(
        "  curl -X POST http://{}/{} -H 'content-type: application/json' \\\n    -d '{}'",
        app.config.gateway.listen, name, made.sample
    );
    Ok(Outcome::Clean)
}

fn run_list(ask: &OperatorArgs) -> Result<Outcome> {
    let listed = ask.get("/apis")?;
    if ask.json {
        println!("{listed}");
        return Ok(Outcome::Clean);
    }
    let mut table = Table::new(&["API", "state", "method", "path", "program"]);
    for api in listed["apis"].as_array().into_iter().flatten() {
        for operation in api["operations"].as_array().into_iter().flatten() {
            let of_api = ["name", "state"].map(|key| cell(&api[key]));
            let own = ["method", "path", "program"].map(|key| cell(&operation[key]));
            let of_api = if operation["state"] == "stopped" {
                [cell(&api["name"]), "stopped".to_owned()]
            } else {
                of_api.clone()
            };
            table.row(of_api.into_iter().chain(own));
        }
    }
    print!("{table}");
    Ok(Outcome::Clean)
}

fn run_switch(args: &SwitchArgs, what: &str) -> Result<Outcome> {
    let mut path = format!("/apis/{}/{what}", plain_name(&args.name)?);
    if let Some(operation) = &args.operation {
        path += &format!("?operation={}", encoded(operation));
    }
    let done = args.ask.post(&path)?;
    match (args.ask.json, &done["operation"]) {
        (true, _) => println!("{done}"),
        (_, Value::String(operation)) => println!("{operation} of {} is {}", args.name, cell(&done["state"])),
        _ => println!("{} is {}", args.name, cell(&done["state"])),
    }
    Ok(Outcome::Clean)
}

fn run_redeploy(args: &RedeployArgs) -> Result<Outcome> {
    let done = args.ask.post(&format!("/apis/{}/redeploy", plain_name(&args.name)?))?;
    if args.ask.json {
        println!("{done}")
    } else {
        println!("{} is redeployed", args.name)
    }
    Ok(Outcome::Clean)
}

/// Checks the name of an API: it is a folder, and part of a path.
fn plain_name(name: &str) -> Result<&str> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(plain) {
        return Err(wrong_usage(
            format!("{name:?} is not a valid name of an API: the name is a folder and part of a path"),
            Some("letters, digits, -, _ and . are allowed"),
        ));
    }
    Ok(name)
}

fn run_structures(args: &StructuresArgs) -> Result<Outcome> {
    let all = gateway::structures(&args.project)
        .map_err(|faults| refused("the structures cannot be derived", faults))?;
    write_copybooks(&all, args.to.as_deref())
}

fn run_requester(args: &RequesterArgs) -> Result<Outcome> {
    let plain = |prefix: &String| {
        (1..=3).contains(&prefix.len()) && prefix.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    if let Some(prefix) = args.prefix.as_ref().filter(|prefix| !plain(prefix)) {
        return Err(wrong_usage(format!("{prefix:?} is not a valid prefix: expected 1 to 3 letters and digits"), None));
    }
    let calling = if args.stub { CallInterface::Stub } else { CallInterface::HostApi };
    let prefix = args.prefix.as_deref();
    let (all, notes) = gateway::requester_copybooks(&args.folder, calling, prefix)
        .map_err(|faults| refused("the copybooks cannot be made", faults))?;
    let mut findings = Findings::new(Path::new(""));
    findings.extend(notes.0);
    eprint!("{}", findings.text(Severity::Note, std::io::stderr().is_terminal()));
    write_copybooks(&all, args.to.as_deref())
}

fn write_copybooks(all: &[gateway::GeneratedCopybook], to: Option<&Path>) -> Result<Outcome> {
    for one in all {
        match to {
            Some(folder) => {
                let file = folder.join(format!("{}.cpy", one.name));
                write(&file, &one.text)?;
                println!("  written  {}", file.display());
            }
            None => print!("{}", one.text),
        }
    }
    Ok(Outcome::Clean)
}

fn run_update(name: &str, app: &Application) -> Result<Outcome> {
    let folder = app.api_folder().join(name);
    if !folder.is_dir() {
        bail!("there is no API project {}", folder.display());
    }
    let update = gateway::update(&folder, &app.folder, &app.copy_folders())
        .map_err(|faults| refused("the project cannot be updated", faults))?;
    for change in &update.changes {
        println!("{change}");
    }
    for (path, text) in &update.write {
        write(&folder.join(path), text)?;
        println!("  written  {}", path.display());
    }
    for path in &update.remove {
        fs::remove_file(folder.join(path)).into_diagnostic()?;
        println!("  removed  {}", path.display());
    }
    for path in &update.kept {
        println!("  kept, since you edited it: {}; check the fields above in it", path.display());
    }
    if update == gateway::ProjectUpdate::default() {
        println!("{name} agrees with its copybooks");
    }
    Ok(Outcome::Clean)
}

/// Prints the diagnostics, and returns the error with their number.
fn refused(what: &str, faults: gateway::ProjectDiagnostics) -> miette::Report {
    let findings = distinct_findings(faults);
    miette!("{what}: {}", counted(findings.count(Severity::Error), "error"))
}

/// Prints each diagnostic once.
fn distinct_findings(faults: gateway::ProjectDiagnostics) -> Findings {
    let mut findings = Findings::new(Path::new(""));
    findings.extend(faults.0);
    eprint!("{}", findings.text(Severity::Note, std::io::stderr().is_terminal()));
    findings
}

fn write(path: &Path, text: &str) -> Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)
        .and_then(|()| fs::write(path, text))
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write {}", path.display()))
}

/// Adds missing definitions of the transaction and the program.
fn define(app: &Application, transid: Option<&str>, program: &str) -> Result<()> {
    let csd = &app.csd;
    let group = csd.transactions.first().map_or("APIS".into(), |t| t.group.to_string());
    let mut lines = String::new();
    if let Some(transid) = transid {
        let there = csd.transactions.iter().find(|t| t.name.as_str() == transid);
        match there.map(|t| t.program.as_ref().map_or("", |p| p.as_str())) {
            None => lines += &format!("DEFINE TRANSACTION({transid}) GROUP({group}) PROGRAM({program})\n"),
            Some(other) if !other.is_empty() && other != program => println!(
                "TRANSACTION({transid}) is defined already, with PROGRAM({other}); the API runs {program} under its name and class."
            ),
            Some(_) => {}
        }
    }
    if csd.programs.iter().all(|p| p.name.as_str() != program) {
        lines += &format!("DEFINE PROGRAM({program}) GROUP({group}) LANGUAGE(COBOL)\n");
    }
    if lines.is_empty() {
        return Ok(());
    }
    let path = app.folder.join("resources.csd");
    let mut text = fs::read_to_string(&path).unwrap_or_default();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    write(&path, &(text + &lines))?;
    print!("Added to resources.csd:\n{}", lines.lines().map(|l| format!("  {l}\n")).collect::<String>());
    Ok(())
}

fn choice(text: &str) -> Result<RedefineChoice, String> {
    let wrong = || "write ITEM:FIELD:VALUE=NAME,VALUE=NAME,*=NAME".to_owned();
    RedefineChoice::parse(text).ok_or_else(wrong)
}

fn truth(text: &str) -> Result<BooleanField, String> {
    BooleanField::parse(text).ok_or_else(|| "write FIELD=YES/NO, such as ACTIVE=Y/N".to_owned())
}

fn day(text: &str) -> Result<DateField, String> {
    let wrong = || "write FIELD=YYYYMMDD: YYYY or YY, MM and DD in any order, and - / . : or blanks";
    DateField::parse(text).ok_or_else(|| wrong().to_owned())
}

/// `FILE` or `CONTAINER=FILE`.
fn book(given: &str, app: &Application) -> Result<ImportBook> {
    let (container, file) = match given.split_once('=') {
        Some((container, file)) => (Some(container.to_owned()), file),
        None => (None, given),
    };
    let file = PathBuf::from(file);
    let text = read_text(&file)?;
    // A path below the application's folder is made relative to it, so that
    // the folder can be moved.
    let whole = file.canonicalize().into_diagnostic()?;
    let source = whole.strip_prefix(&app.folder).unwrap_or(&whole).to_owned();
    Ok(ImportBook {
        text,
        container,
        file,
        source: Some(source),
    })
}
