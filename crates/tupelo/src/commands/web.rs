//! `tupelo web`: web services from copybooks, and copybooks from web services.
//!
//! The two directions of the CICS web services assistant; crate `soap` has the rules.

use std::fs;
use std::io::IsTerminal;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use base::{Diagnostic, Severity};
use miette::{Context, IntoDiagnostic, Result, miette};
use soap::ServiceBinding;
use soap::binding::ProgramInterface;
use soap::wsdl::{self, CopybookOptions, ServiceOptions};

use crate::Outcome;
use crate::app::finding::Findings;
use crate::commands::record::source;
use crate::stdout::wrong_usage;

/// Describe programs as web services, and make copybooks from descriptions of services.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tupelo web service wsdl --program ORDER01 --request copybooks/ORDER.cpy --uri /orders\n  tupelo web service copybook orders.wsdl --to services"
)]
pub struct Args {
    #[command(subcommand)]
    what: WebAction,
}

#[derive(Debug, clap::Subcommand)]
enum WebAction {
    /// Web services: WSDL from copybooks, copybooks from WSDL.
    #[command(
        after_help = "Example:\n  tupelo web service wsdl --program ORDER01 --request copybooks/ORDER.cpy --uri /orders"
    )]
    Service(ServiceArgs),
}

/// The direction of the conversion.
#[derive(Debug, clap::Args)]
pub struct ServiceArgs {
    #[command(subcommand)]
    direction: ServiceConversion,
}

#[derive(Debug, clap::Subcommand)]
enum ServiceConversion {
    Wsdl(WsdlArgs),
    Copybook(CopybookArgs),
}

/// Describe a program's records as a service: a WSDL document for its callers
/// and a binding file for the region.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tupelo web service wsdl --program ORDER01 --request copybooks/ORDER.cpy --uri /orders\n\n\
    Mapping level 1: names as in the copybook with hyphens as underscores, PIC X(n)\n\
    as string with maxLength, whole numbers as short, int, long or integer, PIC\n\
    S9(m)V9(n) as decimal with totalDigits and fractionDigits, OCCURS as minOccurs\n\
    and maxOccurs. FILLER and REDEFINES do not appear."
)]
pub struct WsdlArgs {
    /// The program.
    #[arg(long)]
    program: String,
    /// Copybook of the request.
    #[arg(long, value_name = "COPYBOOK")]
    request: PathBuf,
    /// Copybook of the response; that of the request when absent.
    #[arg(long, value_name = "COPYBOOK")]
    response: Option<PathBuf>,
    /// A folder of COPY members, searched after the copybook's own. May be
    /// given several times.
    #[arg(short = 'I', long = "include", value_name = "FOLDER")]
    include: Vec<PathBuf>,
    /// Name of the operation; the program's name with `Operation` when absent.
    #[arg(long)]
    operation: Option<String>,
    /// The program has a channel with this container, not a COMMAREA.
    #[arg(long, value_name = "CONTAINER", num_args = 0..=1, default_missing_value = "DFHWS-DATA")]
    channel: Option<String>,
    /// A RESTful service of JSON that accepts these methods, with commas between: only the
    /// binding file is written.
    #[arg(
        long,
        value_name = "METHODS",
        value_delimiter = ',',
        requires = "channel"
    )]
    methods: Vec<String>,
    /// Path of the service.
    #[arg(long, default_value = "/", value_name = "PATH")]
    uri: String,
    /// Address of the service, before its path.
    #[arg(long, default_value = "http://localhost:8080", value_name = "URL")]
    server: String,
    /// Folder to write the files to.
    #[arg(long, default_value = ".", value_name = "FOLDER")]
    to: PathBuf,
}

/// Make copybooks and binding files from the description of a service: two copybooks and a
/// binding for each operation.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tupelo web service copybook orders.wsdl --to services\n  \
    tupelo web service copybook orders.wsdl --operation place --program ORDER01 --uri /orders\n\n\
    Imports are read from the folder of the description, never from a network. An\n\
    optional element has a field NAME-num before it, 0 or 1; one that repeats more\n\
    often than --inline-limit is in a container that NAME-cont names."
)]
pub struct CopybookArgs {
    /// The description, WSDL 1.1.
    wsdl: PathBuf,
    /// Only this operation.
    #[arg(long)]
    operation: Option<String>,
    /// The program that provides the service; when absent, the binding is that of a caller.
    #[arg(long)]
    program: Option<String>,
    /// Path of the service; the address in the description when absent.
    #[arg(long, value_name = "PATH")]
    uri: Option<String>,
    /// The program's record is a COMMAREA, not a container.
    #[arg(long)]
    commarea: bool,
    /// Elements that occur at most this often are in the record itself.
    #[arg(long, default_value_t = 1, value_name = "TIMES")]
    inline_limit: u32,
    /// Bytes of a text that the schema does not limit.
    #[arg(long, default_value_t = 255, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..=32_767))]
    text_limit: u32,
    /// Folder to write the files to.
    #[arg(long, default_value = ".", value_name = "FOLDER")]
    to: PathBuf,
}

/// Runs the action.
pub fn run(args: Args) -> Result<Outcome> {
    let WebAction::Service(args) = args.what;
    match args.direction {
        ServiceConversion::Wsdl(args) => run_wsdl(&args),
        ServiceConversion::Copybook(args) => run_copybook(&args),
    }
}

fn run_wsdl(args: &WsdlArgs) -> Result<Outcome> {
    if !(1..=8).contains(&args.program.len()) {
        return Err(wrong_usage(
            format!(
                "--program {:?}: a program's name has 1 to 8 characters",
                args.program
            ),
            None,
        ));
    }
    if !args.uri.starts_with('/') {
        return Err(wrong_usage(
            format!("--uri {:?}: a path begins with /", args.uri),
            None,
        ));
    }
    let request = source::expanded_text(&args.request, &args.include)?;
    let expanded = |path: &Path| source::expanded_text(path, &args.include);
    let response = args.response.as_deref().map(expanded).transpose()?;
    let interface = match &args.channel {
        Some(container) if (1..=16).contains(&container.len()) => ProgramInterface::Channel {
            container: container.clone(),
        },
        Some(container) => {
            return Err(wrong_usage(
                format!("--channel {container:?}: a container's name has 1 to 16 characters"),
                None,
            ));
        }
        None => ProgramInterface::Commarea,
    };
    let options = ServiceOptions {
        program: args.program.to_ascii_uppercase(),
        operation: args.operation.clone(),
        interface,
        address: format!("{}{}", args.server.trim_end_matches('/'), args.uri),
        uri: args.uri.clone(),
    };
    let methods = http_methods(&args.methods)?;
    let (text, mut binding) = match wsdl::from_copybooks(&request, response.as_deref(), &options) {
        Ok(made) => made,
        Err(mistake) => return Ok(unusable(mistake.in_file(&args.request))),
    };
    check(&binding)?;
    if methods.is_empty() {
        written(&args.to, &format!("{}.wsdl", options.program), &text)?;
    } else {
        // A WSDL can describe POST only.
        binding.methods = methods;
    }
    written(
        &args.to,
        &format!("{}.wsbind", options.program),
        &binding.to_text(),
    )?;
    Ok(Outcome::Clean)
}

/// The methods in capitals.
fn http_methods(methods: &[String]) -> Result<Vec<String>> {
    let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
    let methods: Vec<String> = methods.iter().map(|m| m.to_ascii_uppercase()).collect();
    if let Some(other) = methods.iter().find(|m| !known.contains(&m.as_str())) {
        let known = known.join(", ");
        return Err(wrong_usage(
            format!("--methods {other:?}: a method is one of {known}"),
            None,
        ));
    }
    Ok(methods)
}

fn run_copybook(args: &CopybookArgs) -> Result<Outcome> {
    let file = args.wsdl.display().to_string();
    let text = source::read_text(&args.wsdl)?;
    let folder = args.wsdl.parent().unwrap_or(Path::new("")).to_owned();
    let resolver = |location: &str| import_path(&folder, location);
    let options = CopybookOptions {
        file: file.clone(),
        operation: args.operation.clone(),
        program: args.program.as_ref().map(|p| p.to_ascii_uppercase()),
        interface: if args.commarea {
            ProgramInterface::Commarea
        } else {
            CopybookOptions::default().interface
        },
        uri: args.uri.clone(),
        inline_limit: args.inline_limit,
        text_limit: args.text_limit,
    };
    // Imports are named from the folder of the description.
    let placed = |mut finding: Diagnostic| {
        if finding.file != args.wsdl {
            finding.file = folder.join(&finding.file);
        }
        finding
    };
    let made = match wsdl::to_copybooks(&text, &resolver, &options) {
        Ok(made) => made,
        Err(mistake) => return Ok(unusable(placed(mistake))),
    };
    for one in &made {
        print_findings(one.warnings.iter().cloned().map(placed));
        check(&one.binding)?;
        let name = plain(&one.binding.operation);
        written(
            &args.to,
            &format!("{name}-request.cpy"),
            &one.binding.request.copybook,
        )?;
        if let Some(response) = &one.binding.response {
            written(
                &args.to,
                &format!("{name}-response.cpy"),
                &response.copybook,
            )?;
        }
        written(&args.to, &format!("{name}.wsbind"), &one.binding.to_text())?;
    }
    Ok(Outcome::Clean)
}

/// Prints a mistake for which nothing is written.
fn unusable(mistake: Diagnostic) -> Outcome {
    print_findings([mistake]);
    Outcome::Status(ExitCode::from(2))
}

fn print_findings(found: impl IntoIterator<Item = Diagnostic>) {
    let mut findings = Findings::new(Path::new(""));
    findings.extend(found);
    eprint!("{}", findings.text(Severity::Note, std::io::stderr().is_terminal()));
}

/// Checks the binding as a region does when the file is installed.
fn check(binding: &ServiceBinding) -> Result<()> {
    let messages = [Some(&binding.request), binding.response.as_ref()];
    for structure in messages.into_iter().flatten() {
        soap::XmlCodec::build(structure, &soap::XmlOptions::default())
            .map_err(|e| miette!("{}: {e}", binding.operation))?;
    }
    Ok(())
}

/// The file of an import; only files in the folder of the description are read.
fn import_path(folder: &Path, location: &str) -> Option<String> {
    let name = location.rsplit(['/', '\\']).next()?;
    let below = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    let inside = !location.contains("://") && Path::new(location).components().all(below);
    let whole = folder.join(location);
    let path = if inside && whole.is_file() {
        whole
    } else {
        folder.join(name)
    };
    // A symbolic link may also lead out of the folder.
    let real = path.canonicalize().ok()?;
    let folder = folder.join(".").canonicalize().ok()?;
    let found = real.starts_with(folder) && real.is_file();
    found.then(|| source::read_text(&path).ok())?
}

/// The name of an operation as a file name.
fn plain(name: &str) -> String {
    let known = |c: char| {
        if c.is_ascii_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '_'
        }
    };
    name.chars().map(known).collect()
}

fn written(folder: &Path, name: &str, text: &str) -> Result<()> {
    let file = folder.join(name);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&file, text))
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write {}", file.display()))?;
    println!("  written  {}", file.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_is_read_in_the_folder_of_its_description_only() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("services");
        fs::create_dir_all(folder.join("types")).unwrap();
        fs::write(folder.join("types/order.xsd"), "order").unwrap();
        fs::write(folder.join("near.xsd"), "near").unwrap();
        fs::write(parent.path().join("secret.xsd"), "secret").unwrap();
        let secret = parent.path().join("secret.xsd");
        std::os::unix::fs::symlink(&secret, folder.join("link.xsd")).unwrap();
        let read = |location: &str| import_path(&folder, location);
        assert_eq!(read("types/order.xsd").as_deref(), Some("order"));
        assert_eq!(read("http://a.example/x/near.xsd").as_deref(), Some("near"));
        let absolute = secret.to_string_lossy();
        for out in [
            "../secret.xsd",
            "types/../../secret.xsd",
            "link.xsd",
            &absolute,
        ] {
            assert_eq!(read(out), None, "{out}");
        }
    }
}
