//! Settings that are valid by themselves but stop a server from starting: unusable
//! TLS files, and an administration port that every machine could use.
//!
//! `serve` stops at the first of these findings; `check` reports all of them.

use gateway::security::AvailableSchemes;

use super::Application;
use super::finding::Finding;
use super::services::tls_config;
use super::settings::placed;

impl Application {
    /// Findings that stop a server from starting. Files that do not exist are reported
    /// by another check.
    pub fn shut_doors(&self) -> Vec<Finding> {
        let mut wrong = Vec::new();
        match tls_config(self) {
            Ok(Some(tls)) => {
                let files = &tls.files;
                let clients = files.clients.iter().map(|c| &c.authorities);
                let mut all = [&files.certificate, &files.key].into_iter().chain(clients);
                if all.all(|file| file.is_file())
                    && let Err(why) = ::tls::server(tls.files.clone(), &[])
                {
                    wrong.push(format!("[gateway] tls_certificate: {why}"));
                }
            }
            Ok(None) => {}
            Err(why) => wrong.push(why.to_string()),
        }
        let admin = self.config.admin.listen;
        if !admin.ip().is_loopback() && self.means() == AvailableSchemes::default() {
            wrong.push(format!(
                "[admin] listen: other machines can reach {admin}, and no users are configured who \
                     could authenticate: add users with `tupelo user add`"
            ));
        }
        // Other errors of the connections are reported by their own check.
        if let Ok(config) = super::ipconn::config(self) {
            let faults = ipconn::tls_faults(&config, &self.folder);
            wrong.extend(faults.iter().map(ToString::to_string));
        }
        wrong.iter().map(|fault| placed(self, fault)).collect()
    }
}
