//! The API projects of an application. Each is loaded by itself: a project with
//! errors is reported and not served, or its version in force is kept. The other
//! projects are served.

use std::path::PathBuf;
use std::sync::Arc;

use gateway::{Diagnostic, LoadError, LoadedApi, ProjectDiagnostics, ProjectLoader};

use super::Application;
use super::finding::{Findings, Severity};

/// The result of loading all projects.
#[derive(Debug, Default)]
pub struct LoadedApis {
    /// Projects that can be served.
    pub good: Vec<Arc<LoadedApi>>,
    /// Names of the projects that cannot.
    pub bad: Vec<String>,
    /// The reason for each of `bad`, as text.
    pub reasons: Vec<String>,
    /// Names of those in `bad` whose copybooks differ from those that the programs
    /// were compiled with.
    pub drifted: Vec<String>,
    /// Names of those in `bad` that demand authentication or roles which no
    /// setting would enforce.
    pub unguarded: Vec<String>,
    /// The folder of projects does not exist.
    pub gone: bool,
}

impl LoadedApis {
    /// Keeps the versions in force of projects that have errors now. A project that
    /// demands more of its callers than its version in force is not kept. Without
    /// the folder of projects every version in force is kept, as programs are.
    /// Returns the names of the kept projects.
    pub fn keep(&mut self, in_force: &[Arc<LoadedApi>]) -> Vec<String> {
        if self.gone {
            self.good = in_force.to_vec();
            return in_force.iter().map(|api| api.name().to_owned()).collect();
        }
        let mut kept = Vec::new();
        for name in self
            .bad
            .iter()
            .filter(|name| !self.unguarded.contains(name))
        {
            if let Some(old) = in_force.iter().find(|api| api.name() == name) {
                self.good.push(old.clone());
                kept.push(name.clone());
            }
        }
        kept
    }

    /// The number of operations and APIs, and the names of those not served.
    pub fn counted(&self) -> String {
        let operations = self.good.iter().flat_map(|api| api.operations()).count();
        let operations = super::counted(operations, "operation");
        let apis = super::counted(self.good.len(), "API");
        match self.bad.as_slice() {
            [] => format!("{operations} of {apis}"),
            bad => format!("{operations} of {apis}; not served: {}", bad.join(", ")),
        }
    }
}

/// The first error, and the number of further errors.
fn reason(faults: &[Diagnostic]) -> String {
    let errors: Vec<&Diagnostic> = faults
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .collect();
    let first = errors
        .first()
        .map_or("the project has errors", |d| d.message.as_str());
    match errors.len() {
        0 | 1 => first.to_owned(),
        many => format!("{first}; and {}", super::counted(many - 1, "more error")),
    }
}

impl Application {
    /// Loads every project, and adds its diagnostics to `findings`.
    pub fn load_apis(&self, findings: &mut Findings) -> LoadedApis {
        self.load_projects(findings, true)
    }

    /// Loads every project without comparing it with programs and their copybooks,
    /// which are elsewhere.
    pub fn load_apis_alone(&self, findings: &mut Findings) -> LoadedApis {
        self.load_projects(findings, false)
    }

    /// The function that loads one project again when an operator requests it.
    pub fn loader(&self, with_programs: bool) -> ProjectLoader {
        let (folder, state) = (self.folder.clone(), self.state.clone());
        ProjectLoader(Arc::new(move |name| {
            let app = Application::open(&folder, Some(&state));
            let app = app.map_err(|e| LoadError::Wrong(vec![e.to_string()]))?;
            app.load_api(name, with_programs)
        }))
    }

    fn load_api(&self, name: &str, with_programs: bool) -> Result<Arc<LoadedApi>, LoadError> {
        let wrong = |faults: &ProjectDiagnostics| {
            let errors = faults.0.iter().filter(|d| d.severity == Severity::Error);
            LoadError::Wrong(
                errors
                    .map(|e| self.without_folder(&e.to_string()))
                    .collect(),
            )
        };
        let all = LoadedApi::load_each(&self.api_folder(), self.means(), self.code_page());
        let found = all.into_iter().find(|(known, _)| known == name);
        let api = found.ok_or(LoadError::Absent)?.1.map_err(|f| wrong(&f))?;
        if with_programs {
            let sources = api.check_sources(&self.folder, &self.copy_folders());
            if sources.has_errors() {
                return Err(wrong(&sources));
            }
        }
        Ok(Arc::new(api))
    }

    /// A text for clients of the server, with paths relative to the application's folder.
    fn without_folder(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for folder in [Some(self.folder.clone()), self.folder.canonicalize().ok()] {
            let folder = folder.unwrap_or_default();
            if folder.is_absolute() {
                text = text.replace(&format!("{}/", folder.display()), "");
            }
        }
        text
    }

    fn load_projects(&self, findings: &mut Findings, with_programs: bool) -> LoadedApis {
        let mut apis = LoadedApis {
            gone: !self.api_folder().is_dir(),
            ..LoadedApis::default()
        };
        for (name, loaded) in
            LoadedApi::load_each(&self.api_folder(), self.means(), self.code_page())
        {
            let api = match loaded {
                Ok(api) => api,
                Err(ProjectDiagnostics(faults)) => {
                    apis.reasons.push(self.without_folder(&reason(&faults)));
                    if faults.iter().any(|fault| fault.unguarded) {
                        apis.unguarded.push(name.clone());
                    }
                    findings.extend(faults);
                    apis.bad.push(name);
                    continue;
                }
            };
            findings.extend(api.warnings().0.iter().cloned());
            let sources = if with_programs {
                api.check_sources(&self.folder, &self.copy_folders())
            } else {
                ProjectDiagnostics::default()
            };
            if sources.has_errors() {
                apis.reasons.push(self.without_folder(&reason(&sources.0)));
                apis.bad.push(name.clone());
                apis.drifted.push(name);
            } else {
                apis.good.push(Arc::new(api))
            }
            findings.extend(sources.0);
        }
        for line in self.stray_rules(&apis) {
            findings.warn(line);
        }
        // Without this project another API could get its paths.
        if apis.bad.is_empty() {
            findings.extend(self.stray_paths(&apis));
        }
        apis
    }

    /// The folder of the API projects.
    pub fn api_folder(&self) -> PathBuf {
        self.folder.join(&self.config.gateway.apis)
    }
}
