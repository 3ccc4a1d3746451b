//! The operations of an API, ready to be served, as `load` makes them.

use super::asset::{AssetInterface, InterfaceStyle, ProgramAsset};
use super::load::load;
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use crate::mapping::request::RequestPlan;
use crate::mapping::response::ResponsePlan;
use crate::security::{AvailableSchemes, SecurityRequirement};
use crate::validate::params::OperationParameter;
use crate::validate::schema::{SchemaId, SchemaSet};
use copybook::CodePage;
use http::Method;
use region::TransId;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An API, loaded and compiled.
#[derive(Debug)]
pub struct LoadedApi {
    pub(crate) name: String,
    /// Path in front of all its operations, without a slash at the end.
    pub(crate) base_path: String,
    pub(crate) title: String,
    /// `info.version` of its document.
    pub(crate) version: String,
    /// The document as it was written, and as JSON.
    pub(crate) document: String,
    pub(crate) document_json: String,
    pub(crate) set: SchemaSet,
    pub(crate) operations: Vec<ApiOperation>,
    /// Problems that do not prevent it from being served.
    pub(crate) warnings: ProjectDiagnostics,
}

/// The program of an asset with its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetContract {
    /// The program.
    pub program: String,
    /// The asset's own file.
    pub file: PathBuf,
    /// The program gets a channel with containers, not a COMMAREA.
    pub channel: bool,
    /// Name and greatest length in bytes of each container (or of the
    /// COMMAREA's record) of the input.
    pub request: Vec<(String, usize)>,
    /// The same for the output.
    pub response: Vec<(String, usize)>,
}

/// One method of one path.
#[derive(Debug)]
pub(crate) struct ApiOperation {
    pub method: Method,
    /// The document's path, the base path not included.
    pub path: String,
    pub params: Vec<OperationParameter>,
    pub body: Option<BodyRule>,
    /// `operationId`, empty for none.
    pub id: String,
    /// The document's requirements of callers.
    pub security: Option<SecurityRequirement>,
    /// Roles that the document names, one of which a caller must have.
    pub roles: Option<Vec<String>>,
    pub work: OperationHandler,
}

/// The rule for a request body.
#[derive(Debug)]
pub(crate) struct BodyRule {
    pub required: bool,
    pub schema: Option<SchemaId>,
    /// Media types taken, without parameters, in lower case.
    pub types: Vec<String>,
}

/// The handler of an operation.
#[derive(Debug)]
pub(crate) enum OperationHandler {
    Program {
        asset: Arc<ProgramAsset>,
        request: RequestPlan,
        responses: Vec<ResponsePlan>,
    },
    /// Answered with 501 and the reason.
    Unsupported(String),
}

impl LoadedApi {
    /// Loads the project in `folder` (the one that has `src/main`, or
    /// `src/main` itself). Its name is the folder's.
    pub fn load(folder: &Path) -> Result<LoadedApi, ProjectDiagnostics> {
        LoadedApi::load_with(folder, AvailableSchemes::default(), CodePage::ascii())
    }

    /// As above with the requirements of its document enforced by `means`,
    /// where one that cannot be enforced is an error, and texts of programs in
    /// `page`.
    pub fn load_with(
        folder: &Path,
        means: AvailableSchemes,
        page: CodePage,
    ) -> Result<LoadedApi, ProjectDiagnostics> {
        let mut out = ProjectDiagnostics::default();
        let api = load(folder, means, page, &mut out);
        match api {
            Some(mut api) if !out.has_errors() => {
                api.warnings = out;
                Ok(api)
            }
            _ => Err(out),
        }
    }

    /// Loads every project below `folder`, one a subfolder, in the order of
    /// their names. A folder that is missing holds none.
    ///
    /// # Errors
    /// The faults of all of them, when one has any.
    pub fn load_all(folder: &Path) -> Result<Vec<LoadedApi>, ProjectDiagnostics> {
        let mut faults = ProjectDiagnostics::default();
        let mut apis: Vec<LoadedApi> = Vec::new();
        for (_, loaded) in
            LoadedApi::load_each(folder, AvailableSchemes::default(), CodePage::ascii())
        {
            match loaded {
                Ok(api) => apis.push(api),
                Err(found) => faults.0.extend(found.0),
            }
        }
        if faults.has_errors() {
            Err(faults)
        } else {
            Ok(apis)
        }
    }

    /// As above, each project by itself: its name, and the API or its faults. A
    /// project that serves a path of an earlier one is at fault.
    pub fn load_each(
        folder: &Path,
        means: AvailableSchemes,
        page: CodePage,
    ) -> Vec<(String, Result<LoadedApi, ProjectDiagnostics>)> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = entries.map(|e| e.path()).filter(|p| p.is_dir()).collect();
        folders.sort();
        let mut all: Vec<(String, Result<LoadedApi, ProjectDiagnostics>)> = Vec::new();
        for folder in folders {
            let mut loaded = LoadedApi::load_with(&folder, means, page);
            if let Ok(api) = &loaded {
                let mut faults = ProjectDiagnostics::default();
                let others = all.iter().filter_map(|(_, other)| other.as_ref().ok());
                overlaps(&folder, api, others, &mut faults);
                if faults.has_errors() {
                    loaded = Err(faults);
                }
            }
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            all.push((name.into_owned(), loaded));
        }
        all
    }

    /// The project's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The path in front of all operations, empty for none.
    pub fn base_path(&self) -> &str {
        &self.base_path
    }

    /// Findings that do not keep the project from being served.
    pub fn warnings(&self) -> &ProjectDiagnostics {
        &self.warnings
    }

    /// Method, full path and program (empty if not served) of each operation.
    pub fn operations(&self) -> impl Iterator<Item = (&str, String, &str)> {
        self.operations.iter().map(|o| {
            let program = match &o.work {
                OperationHandler::Program { asset, .. } => asset.program.as_str(),
                OperationHandler::Unsupported(_) => "",
            };
            (
                o.method.as_str(),
                format!("{}{}", self.base_path, o.path),
                program,
            )
        })
    }

    /// The `zosAsset.yaml` that names a program.
    pub fn asset_file(&self, program: &str) -> Option<&std::path::Path> {
        let mut works = self.operations.iter().map(|o| &o.work);
        works.find_map(|work| match work {
            OperationHandler::Program { asset, .. } if asset.program.as_str() == program => {
                Some(asset.file.as_path())
            }
            _ => None,
        })
    }

    /// The connections that the assets of its operations name, in their order.
    pub fn connections(&self) -> impl Iterator<Item = Option<&str>> {
        self.operations.iter().map(|o| match &o.work {
            OperationHandler::Program { asset, .. } => asset.connection.as_deref(),
            OperationHandler::Unsupported(_) => None,
        })
    }

    /// Whether the API has an operation of this `METHOD /path` or operationId.
    pub fn has_operation(&self, key: &str) -> bool {
        let called = |o: &ApiOperation| format!("{} {}", o.method, o.path) == key;
        self.operations.iter().any(|o| o.id == key || called(o))
    }

    /// The programs of its assets, each once.
    pub fn contracts(&self) -> Vec<AssetContract> {
        let side = |interface: &AssetInterface| {
            let areas = interface.areas.iter();
            areas
                .map(|a| (a.name.clone(), a.record.max_len()))
                .collect()
        };
        let contract = |asset: &ProgramAsset| AssetContract {
            program: asset.program.to_string(),
            file: asset.file.clone(),
            channel: asset.request.style == InterfaceStyle::Channel,
            request: side(&asset.request),
            response: side(&asset.response),
        };
        self.assets().into_iter().map(contract).collect()
    }

    /// The assets its operations use, each once.
    pub(crate) fn assets(&self) -> Vec<&ProgramAsset> {
        let mut assets: Vec<&ProgramAsset> = Vec::new();
        for operation in &self.operations {
            if let OperationHandler::Program { asset, .. } = &operation.work
                && !assets.iter().any(|seen| std::ptr::eq(*seen, &**asset))
            {
                assets.push(asset);
            }
        }
        assets
    }

    /// Names of the transactions its assets run under.
    pub fn transactions(&self, here: impl Fn(Option<&str>) -> bool) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .operations
            .iter()
            .filter_map(|o| match &o.work {
                OperationHandler::Program { asset, .. } => {
                    let counts = !asset.eib_only && here(asset.connection.as_deref());
                    asset
                        .transid
                        .as_ref()
                        .map(TransId::as_str)
                        .filter(|_| counts)
                }
                OperationHandler::Unsupported(_) => None,
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn overlaps<'a>(
    folder: &Path,
    api: &LoadedApi,
    others: impl Iterator<Item = &'a LoadedApi>,
    out: &mut ProjectDiagnostics,
) {
    for other in others {
        for (method, path, _) in api.operations() {
            if other.operations().any(|(m, p, _)| m == method && p == path) {
                let message = format!("{method} {path} is also served by the API {}", other.name);
                let help = "give each API a base path of its own in servers[0].url";
                out.error_help(folder, FilePosition::default(), message, help);
            }
        }
    }
}
