//! EXEC SQL of an application: `[sql]`, the DB2CONN, DB2ENTRY and DB2TRAN definitions,
//! and the passwords.
//!
//! Reference: CICS Transaction Server, "DB2CONN resources". AUTHID names the role,
//! TCBLIMIT and THREADLIMIT the sessions, DROLLBACK what a deadlock does.

use std::collections::BTreeMap;
use std::sync::Arc;

use cics::csd::OtherDef;
use database::{Server, ServerSettings, SqlConfig, SqlService};
use miette::{IntoDiagnostic, Result, bail, miette};

use super::Application;
use super::secret::secret;

/// The service of an application. Nothing is connected or started yet.
pub fn service(app: &Application) -> Result<SqlService> {
    Ok(SqlService::new(server(app)?))
}

/// The server of an application.
pub fn server(app: &Application) -> Result<Arc<Server>> {
    let config = settings(app)?;
    let wrong = config.check();
    if !wrong.is_empty() {
        bail!("tupelo.toml\n{}", wrong.join("\n"));
    }
    let settings = ServerSettings {
        passwords: passwords(app, &config)?,
        config,
        cluster_folder: app.state.join("sql"),
        application: format!("tupelo {}", app.config.region.applid),
    };
    Ok(Arc::new(Server::new(settings).into_diagnostic()?))
}

/// `[sql]` with the attributes of the definitions. A key of `[sql]` that differs from its
/// default takes precedence over a definition.
pub fn settings(app: &Application) -> Result<SqlConfig> {
    let mut config = app.config.sql.clone();
    let usual = SqlConfig::default();
    let mut roles = BTreeMap::new();
    for definition in of_kind(app, "DB2CONN") {
        if let Some(role) = attribute(definition, "AUTHID").filter(|_| config.role == usual.role) {
            config.role = role.to_owned();
        }
        if let Some(limit) = attribute(definition, "THREADLIMIT")
            && config.thread_limit == usual.thread_limit
        {
            config.thread_limit = number(definition, "THREADLIMIT", limit)?;
        }
        if attribute(definition, "DROLLBACK") == Some("NO") {
            config.deadlock_rolls_back = false;
        }
    }
    for definition in of_kind(app, "DB2ENTRY") {
        let role = attribute(definition, "AUTHID")
            .unwrap_or(&config.role)
            .to_owned();
        if let Some(limit) = attribute(definition, "THREADLIMIT") {
            let limit = number(definition, "THREADLIMIT", limit)?;
            let section = config.roles.entry(role.clone()).or_default();
            section.thread_limit.get_or_insert(limit);
        }
        if let Some(transid) = attribute(definition, "TRANSID") {
            let transactions = &mut config.transactions;
            transactions
                .entry(transid.to_owned())
                .or_insert_with(|| role.clone());
        }
        roles.insert(definition.name.clone(), role);
    }
    for definition in of_kind(app, "DB2TRAN") {
        let entry = attribute(definition, "ENTRY").unwrap_or_default();
        let transid = attribute(definition, "TRANSID").unwrap_or(&definition.name);
        let role = roles.get(entry).ok_or_else(|| {
            miette!(
                "resources.csd line {}: there is no DB2ENTRY({entry})",
                definition.line
            )
        })?;
        let transactions = &mut config.transactions;
        transactions
            .entry(transid.to_owned())
            .or_insert_with(|| role.clone());
    }
    Ok(config)
}

fn of_kind<'a>(app: &'a Application, kind: &'static str) -> impl Iterator<Item = &'a OtherDef> {
    app.csd
        .others
        .iter()
        .filter(move |definition| definition.kind == kind)
}

fn attribute<'a>(definition: &'a OtherDef, name: &str) -> Option<&'a str> {
    let found = definition.attributes.iter().find(|a| a.name == name)?;
    found
        .value
        .as_deref()
        .map(str::trim)
        .filter(|value| !value.is_empty())
}

fn number(definition: &OtherDef, name: &str, value: &str) -> Result<u32> {
    value.parse().map_err(|_| {
        let (kind, line) = (&definition.kind, definition.line);
        miette!("resources.csd line {line}: {kind} {name}({value}): expected a number")
    })
}

/// Passwords by role, from their files.
fn passwords(app: &Application, config: &SqlConfig) -> Result<BTreeMap<String, String>> {
    let mut files = vec![
        (&config.owner, &config.owner_password_file),
        (&config.role, &config.password_file),
    ];
    files.extend(
        config
            .roles
            .iter()
            .map(|(role, section)| (role, &section.password_file)),
    );
    let mut passwords = BTreeMap::new();
    for (role, file) in files {
        if let Some(file) = file {
            let password = secret(&app.folder, file).map_err(|e| miette!("[sql] {e}"))?;
            passwords.insert(role.clone(), password);
        }
    }
    Ok(passwords)
}
