//! `[gateway] policy` and `[gateway.policies]`: the rule sets of the APIs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gateway::{Diagnostic, PolicyRules, PolicySet, ProjectDiagnostics};

use super::Application;
use super::apis::LoadedApis;
use super::finding::Findings;

impl Application {
    /// Reads the rule sets, and adds their diagnostics to `findings`. A rule set with
    /// errors is not put in force.
    pub fn policies(&self, findings: &mut Findings) -> Option<PolicySet> {
        let settings = &self.config.gateway;
        let mut read: BTreeMap<PathBuf, Option<Arc<PolicyRules>>> = BTreeMap::new();
        let mut all = |file: &Path| {
            let file = self.folder.join(file);
            let policy = read.entry(file.clone()).or_insert_with(|| {
                let policy = self.policy(&file);
                match policy {
                    Ok((policy, warnings)) => {
                        findings.extend(warnings.0);
                        Some(Arc::new(policy))
                    }
                    Err(faults) => {
                        findings.extend(faults.0);
                        None
                    }
                }
            });
            policy.clone()
        };
        let global = settings.policy.as_deref().map(&mut all);
        let specific: Vec<_> = settings
            .policies
            .iter()
            .map(|(api, file)| (api.clone(), all(file)))
            .collect();
        let right = specific.iter().all(|(_, policy)| policy.is_some());
        if global == Some(None) || !right {
            return None;
        }
        let specific = specific.into_iter();
        Some(PolicySet {
            global: global.flatten(),
            specific: specific.filter_map(|(api, p)| Some((api, p?))).collect(),
        })
    }

    /// Paths of rules that match no operation.
    pub fn stray_paths(&self, apis: &LoadedApis) -> Vec<Diagnostic> {
        // Errors of the rule sets are reported when they are loaded.
        let policies = self.policies(&mut Findings::new(&self.folder));
        let apis: Vec<_> = apis
            .good
            .iter()
            .map(|api| {
                (
                    api.name(),
                    api.operations().map(|(_, path, _)| path).collect(),
                )
            })
            .collect();
        policies.map_or_else(Vec::new, |policies| policies.stray_paths(&apis).0)
    }

    fn policy(&self, file: &Path) -> Result<(PolicyRules, ProjectDiagnostics), ProjectDiagnostics> {
        let policy = PolicyRules::load(file)?;
        let mut known: Vec<String> = Vec::new();
        // Errors of the connections are reported by their own check.
        if let Ok(config) = super::ipconn::config(self) {
            known.extend(config.connections.into_keys());
            known.extend(config.groups.into_keys());
        }
        let mainframe = &self.config.mainframe.connections;
        known.extend(mainframe.keys().cloned());
        let unknown = policy.unknown_connections(|name| known.iter().any(|k| k == name));
        if unknown.has_errors() {
            return Err(unknown);
        }
        let mut warnings = policy.warnings().clone();
        if mainframe.is_empty() {
            warnings.0.extend(policy.idle_code_pages().0);
        }
        if self.means() == gateway::security::AvailableSchemes::default() {
            warnings.0.extend(policy.rules_about_callers().0);
        }
        Ok((policy, warnings))
    }
}
