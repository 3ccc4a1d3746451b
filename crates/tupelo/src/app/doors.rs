//! What of the settings keeps a server's doors shut, though each of its words is
//! right: files of TLS that cannot be used, a port that would be anybody's.
//!
//! `serve` stops at the first of these; `check` tells all of them.

use gateway::security::AvailableSchemes;

use super::Application;
use super::finding::Finding;
use super::services::tls_config;
use super::settings::placed;

impl Application {
    /// What a server does not start with. Files that are not there are told
    /// elsewhere.
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
                "[admin] listen: others can reach {admin}, and there is nothing to check by who \
                 they are: add users with `tupelo user add`"
            ));
        }
        // What else is wrong with the connections is told elsewhere.
        if let Ok(config) = super::ipconn::config(self) {
            let faults = ipconn::tls_faults(&config, &self.folder);
            wrong.extend(faults.iter().map(ToString::to_string));
        }
        wrong.iter().map(|fault| placed(self, fault)).collect()
    }
}
