//! Files and classes that settings and definitions name but that do not exist, with
//! the line that names them. Without this check the error would appear at the first
//! use, or never.

use std::path::{Path, PathBuf};

use copybook::CodePage;
use link::display::DisplayCharacters;

use super::Application;
use super::config::{Config, ZonedSign};
use super::finding::{Finding, Findings, Severity};
use super::toml_errors;

impl Application {
    /// The code page of its programs' texts.
    pub fn code_page(&self) -> CodePage {
        let page = CodePage::by_name(&self.config.region.code_page);
        let page = page.unwrap_or_else(|_| CodePage::ascii());
        page.with_letter_signs(self.config.region.zoned_sign == ZonedSign::Ebcdic)
    }

    /// The code page of lines of the log: bytes beyond ASCII are read as UTF-8, unless
    /// another page is configured.
    pub(super) fn characters(&self) -> DisplayCharacters {
        let page = self.code_page();
        if page == CodePage::ascii() || page == CodePage::utf8() {
            return DisplayCharacters::Utf8;
        }
        let table = std::array::from_fn(|high| page.char_of(high as u8 + 0x80));
        DisplayCharacters::Table(Box::new(table))
    }
}

/// Findings about the region's code page.
pub fn code_page(folder: &Path, config: &Config) -> Option<Findings> {
    let name = &config.region.code_page;
    let (message, help) = match CodePage::by_name(name) {
        Err(e) => (
            e.to_string(),
            "use ascii, utf-8, latin-1 or another superset of ASCII",
        ),
        Ok(page) if page.is_ebcdic() => (
            format!("a region in {name} is not supported: programs are compiled for ASCII"),
            "leave it out; records, connections and assets have code pages of their own",
        ),
        Ok(_) => return None,
    };
    let mut found = Findings::new(folder);
    found.add(at(
        folder,
        "region",
        "code_page",
        Severity::Error,
        message,
        help,
    ));
    Some(found)
}

/// Files that `tupelo.toml` names, and classes that transactions name, that do not
/// exist.
pub fn findings(app: &Application) -> Vec<Finding> {
    let mut found = Vec::new();
    let error = |section: &str, key: &str, message: String, help: &str| {
        at(&app.folder, section, key, Severity::Error, message, help)
    };
    let mut names = |section: &str, key: &str, path: &Option<PathBuf>| {
        let Some(path) = path
            .as_ref()
            .filter(|path| !app.folder.join(path).is_file())
        else {
            return;
        };
        let message = format!("there is no file {}", path.display());
        found.push(error(
            section,
            key,
            message,
            "paths are relative to the application folder",
        ));
    };
    for (name, file) in &app.config.files {
        let section = format!("files.{name}");
        names(&section, "copybook", &file.copybook);
        names(&section, "data", &file.data);
    }
    let gateway = &app.config.gateway;
    names("gateway", "tls_certificate", &gateway.tls_certificate);
    names("gateway", "tls_key", &gateway.tls_key);
    names("gateway", "tls_client_ca", &gateway.tls_client_ca);
    for (name, file) in &app.config.files {
        if let Some(Err(e)) = file.code_page.as_deref().map(CodePage::by_name) {
            let section = format!("files.{name}");
            found.push(error(
                &section,
                "code_page",
                e.to_string(),
                "use a name such as cp037, cp1047 or latin-1",
            ));
        }
    }
    for transaction in &app.csd.transactions {
        let Some(class) = &transaction.tranclass else {
            continue;
        };
        if app.csd.tranclasses.iter().any(|known| known.name == *class) {
            continue;
        }
        found.push(
            Finding::new(
                Severity::Warning,
                (transaction.line, 0),
                format!(
                    "TRANSACTION({}): there is no TRANCLASS({}), so nothing bounds its tasks",
                    transaction.name.as_str(),
                    class.as_str()
                ),
            )
            .in_file("resources.csd")
            .with_help(format!(
                "write DEFINE TRANCLASS({}) GROUP({}) MAXACTIVE(its most tasks)",
                class.as_str(),
                transaction.group
            )),
        );
    }
    found
}

/// The place of an error about definitions: its text begins with the definition,
/// `FILE(NAME)`, or with a section, `[files.NAME]`.
pub fn placed(app: &Application, fault: &str) -> Finding {
    let mut finding = Finding::new(Severity::Error, (0, 0), fault);
    let section = fault
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'));
    if let Some((section, rest)) = section {
        let key = rest.split_whitespace().next().unwrap_or_default();
        let key = key.trim_end_matches(':');
        let places = toml_errors::places(&app.folder);
        let (line, column) = places.near(&format!("{section}.{key}"));
        if line > 0 {
            (finding.file, finding.line, finding.column) = ("tupelo.toml".into(), line, column);
        }
        return finding;
    }
    let defined = fault
        .split_once('(')
        .and_then(|(kind, rest)| Some((kind, rest.split_once(')')?.0)));
    if let Some(("FILE", name)) = defined
        && let Some(file) = app.csd.files.iter().find(|file| file.name.as_str() == name)
    {
        (finding.file, finding.line) = ("resources.csd".into(), file.line);
    }
    finding
}

/// A finding about a key of a section, at its place.
pub fn at(
    folder: &Path,
    section: &str,
    key: &str,
    severity: Severity,
    message: String,
    help: &str,
) -> Finding {
    let (line, column) = toml_errors::places(folder).near(&format!("{section}.{key}"));
    Finding::new(severity, (line, column), message)
        .in_file("tupelo.toml")
        .with_help(help)
}
