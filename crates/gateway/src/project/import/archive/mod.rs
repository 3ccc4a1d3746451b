//! Archives of z/OS Connect Enterprise Edition 3.0: a `.sar` holds a service,
//! an `.aar` an API in front of services. The import makes a project of the form
//! that is served ([`super::super`]), with the API's own Swagger document.
//!
//! Unsupported parts of an archive are reported by name and cost only the
//! operations that need them, which are answered with 501.
//!
//! Reference: z/OS Connect Enterprise Edition 3.0, "Creating services",
//! "Creating an API"; public samples of both archives.

mod api;
mod interface;
mod mapping;
mod project;
mod requester;
mod service;
mod xml;
mod zip;

use super::ImportedFile;
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
pub use requester::{RequesterArchive, requester_archive};
use service::{ArchiveService, ServiceRefusal};
use std::path::{Path, PathBuf};

/// A project made of archives.
#[derive(Debug, Clone)]
pub struct FromArchives {
    /// The API's name, as its archive has it.
    pub name: String,
    /// Files, from the project's folder.
    pub files: Vec<ImportedFile>,
    /// Programs of its services, each once, with their transactions.
    pub programs: Vec<(String, Option<String>)>,
    /// The parts that are not served or not supported.
    pub notes: ProjectDiagnostics,
}

/// Makes a project of an API's archive and those of its services, or of a
/// service alone: that is then called as z/OS Connect has services called, by
/// `POST /zosConnect/services/NAME?action=invoke`.
///
/// # Errors Archives that are rejected, and an API whose description cannot be
/// read.
pub fn import_archives(
    archives: &[(PathBuf, Vec<u8>)],
) -> Result<FromArchives, ProjectDiagnostics> {
    let mut out = ProjectDiagnostics::default();
    let (mut apis, mut services) = (Vec::new(), Vec::new());
    for (file, bytes) in archives {
        let entries = match zip::read(bytes) {
            Ok(entries) => entries,
            Err(why) => {
                let message = format!("the archive is refused: {why}");
                out.error(file, FilePosition::default(), message);
                continue;
            }
        };
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        if service::is_one(&entries) {
            services.push((file.clone(), service::read(&entries, &stem)));
        } else {
            match api::read(&entries) {
                Ok(api) => apis.push((file.clone(), api)),
                Err(why) => out.error_help(
                    file,
                    FilePosition::default(),
                    format!("it is neither a service's archive nor an API's: {why}"),
                    "a .sar has a manifest.yml, an .aar a package.xml",
                ),
            }
        }
    }
    if let Some((file, _)) = apis.get(1) {
        let help = "import each API by itself";
        out.error_help(
            file,
            FilePosition::default(),
            "there is one API too many",
            help,
        );
    }
    if out.has_errors() {
        return Err(out);
    }
    let services: Vec<Found> = services;
    let api = match (apis.pop(), services.as_slice()) {
        (Some((_, api)), _) => api,
        (None, [(_, Ok(service))]) => api::of_service(service),
        (None, [(file, Err(refused))]) => {
            report_refusal(file, refused, true, &mut out);
            return Err(out);
        }
        (None, _) => {
            let file = archives.first().map_or(Path::new(""), |(file, _)| file);
            let help = "name the .aar first, then the .sar files of its services";
            out.error_help(file, FilePosition::default(), "there is no API", help);
            return Err(out);
        }
    };
    for (file, found) in &services {
        if let Err(refused) = found {
            report_refusal(file, refused, false, &mut out);
        }
    }
    let made = project::make(&api, &services, &mut out);
    if out.has_errors() {
        Err(out)
    } else {
        Ok(FromArchives { notes: out, ..made })
    }
}

/// A service's archive, and the service or why it cannot be read.
type Found = (PathBuf, Result<ArchiveService, Box<ServiceRefusal>>);

fn report_refusal(
    file: &Path,
    refused: &ServiceRefusal,
    error: bool,
    out: &mut ProjectDiagnostics,
) {
    let message = format!("the service {}: {}", refused.name, refused.why);
    if error {
        out.error_help(file, FilePosition::default(), message, refused.help.clone())
    } else {
        out.warn_help(
            file,
            FilePosition::default(),
            message,
            Some(refused.help.clone()),
        )
    }
}

/// Never panics on any bytes: for the fuzz target.
#[doc(hidden)]
pub fn fuzz_archive(bytes: &[u8]) {
    let _ = zip::read(bytes);
    let _ = xml::parse(bytes);
    let _ = mapping::read(bytes, true);
    let _ = mapping::read(bytes, false);
    for area in interface::read(bytes).unwrap_or_default() {
        let _ = area.checked();
    }
    let _ = requester_archive(Path::new("a.ara"), bytes);
    let half = bytes.len() / 2;
    let both = [&bytes[..half], &bytes[half..]];
    let named = [("a.aar", both[0]), ("b.sar", both[1])];
    let _ = import_archives(&named.map(|(name, bytes)| (PathBuf::from(name), bytes.to_vec())));
}
