//! `[sql]`: the settings of EXEC SQL.
//!
//! The doc comments are the reference of the keys. An empty section is a private
//! cluster in the state folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[sql]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SqlConfig {
    /// Address of a PostgreSQL server, 14 or newer, such as
    /// `postgresql://db.example:5432/bank` or
    /// `postgresql:///bank?host=/run/postgresql`. Without it a private cluster is
    /// started in the state folder when a program needs it.
    pub url: Option<String>,
    /// Role that owns the schema `db2` on that server. The region asks with it what
    /// became of units of work, and `tupelo sql apply` uses it.
    pub owner: String,
    /// File of the owner's password; relative to the application folder.
    pub owner_password_file: Option<PathBuf>,
    /// Role of programs (AUTHID of DB2CONN). It must not be a superuser. The private
    /// cluster makes it.
    pub role: String,
    /// File of its password; relative to the application folder.
    pub password_file: Option<PathBuf>,
    /// Further roles and limits, by name.
    pub roles: BTreeMap<String, RoleSection>,
    /// Role of a transaction's programs, by transaction (DB2ENTRY and DB2TRAN).
    pub transactions: BTreeMap<String, String>,
    /// Sessions of a role at a time (THREADLIMIT), 1 to 2000.
    pub thread_limit: u32,
    /// Milliseconds that a task waits for a session before it gets SQLCODE -904.
    pub thread_wait_ms: u32,
    /// Milliseconds that connecting to the server may take.
    pub connect_timeout_ms: u32,
    /// Milliseconds that a statement waits for a lock before it gets SQLCODE -911
    /// (IRLMRWT); 0 waits for ever.
    pub lock_wait_ms: u32,
    /// Whether a deadlock or a lock that was not given backs the unit of work out
    /// (SQLCODE -911, DROLLBACK(YES)), or only the statement (-913).
    pub deadlock_rolls_back: bool,
    /// Schema of tables that a statement names without one.
    pub qualifier: Option<String>,
    /// Form of dates and times that programs get.
    pub dates: DateFormat,
    /// Digits of decimal arithmetic, 15 or 31 (DEC15, DEC31).
    pub decimal_digits: u8,
    /// KiB that a worker keeps of the rows of one cursor WITH HOLD over a
    /// SYNCPOINT. A cursor with more gives SQLCODE -904.
    pub held_kib: u32,
    /// What CURRENT SERVER gives: the location's name, up to 16 characters.
    pub location: String,
    /// System user that runs the private cluster when the region is root.
    pub cluster_user: String,
}

/// `[sql.roles.NAME]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RoleSection {
    /// File of its password; relative to the application folder.
    pub password_file: Option<PathBuf>,
    /// Sessions at a time; `thread_limit` without it.
    pub thread_limit: Option<u32>,
}

/// Form of dates and times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DateFormat {
    /// 2026-02-28, 13.45.59
    #[default]
    Iso,
    /// 02/28/2026, 01:45 PM
    Usa,
    /// 28.02.2026, 13.45.59
    Eur,
    /// 2026-02-28, 13:45:59
    Jis,
}

impl Default for SqlConfig {
    fn default() -> Self {
        SqlConfig {
            url: None,
            owner: "tupelo".into(),
            owner_password_file: None,
            role: "CICSUSER".into(),
            password_file: None,
            roles: BTreeMap::new(),
            transactions: BTreeMap::new(),
            thread_limit: 40,
            thread_wait_ms: 30_000,
            connect_timeout_ms: 10_000,
            lock_wait_ms: 30_000,
            deadlock_rolls_back: true,
            qualifier: None,
            dates: DateFormat::Iso,
            decimal_digits: 15,
            held_kib: 8192,
            location: "TUPELO".into(),
            cluster_user: "postgres".into(),
        }
    }
}

impl SqlConfig {
    /// What is wrong with the settings, a sentence each.
    pub fn check(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        if let Some(Err(error)) = self.url.as_ref().map(|url| url.parse::<crate::ServerUrl>()) {
            wrong.push(format!("[sql] url: {error}"));
        }
        let limits = self.roles.values().filter_map(|r| r.thread_limit);
        if limits
            .chain([self.thread_limit])
            .any(|n| !(1..=2000).contains(&n))
        {
            wrong.push("[sql] thread_limit: expected 1 to 2000".to_owned());
        }
        if !matches!(self.decimal_digits, 15 | 31) {
            wrong.push("[sql] decimal_digits: expected 15 or 31".to_owned());
        }
        let roles = self.roles.keys().chain(self.transactions.values());
        for role in roles.chain([&self.role, &self.owner]) {
            if role.is_empty() || role.len() > 63 || role.contains(['"', '\0']) {
                wrong.push(format!("[sql] {role:?} cannot be the name of a role"));
            }
        }
        let programs = self.transactions.values().chain([&self.role]);
        if programs
            .chain(self.roles.keys())
            .any(|role| *role == self.owner)
        {
            wrong.push(
                "[sql] programs must not run as the owner of schema db2: name another role"
                    .to_owned(),
            );
        }
        wrong
    }

    /// Role of a transaction's programs. A name of [`SqlConfig::transactions`] may be
    /// generic, as TRANSID of DB2ENTRY and DB2TRAN is: `*` at its end stands for any
    /// characters, `+` for one. The most specific name counts.
    pub fn role_of(&self, transid: &str) -> &str {
        let transid = transid.trim_end();
        if let Some(role) = self.transactions.get(transid) {
            return role;
        }
        let fits = self
            .transactions
            .iter()
            .filter(|(name, _)| covers(name, transid));
        let best =
            fits.max_by_key(|(name, _)| name.chars().filter(|c| !matches!(c, '*' | '+')).count());
        best.map_or(&self.role, |(_, role)| role)
    }

    /// Sessions that a role may have at a time.
    pub fn limit_of(&self, role: &str) -> usize {
        let own = self.roles.get(role).and_then(|r| r.thread_limit);
        own.unwrap_or(self.thread_limit) as usize
    }

    /// All roles of programs.
    pub fn program_roles(&self) -> Vec<&str> {
        let all = self.roles.keys().chain(self.transactions.values());
        let mut all: Vec<&str> = all.chain([&self.role]).map(String::as_str).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Whether a generic name of transactions covers one.
fn covers(generic: &str, transid: &str) -> bool {
    let (wanted, is_open) = match generic.strip_suffix('*') {
        Some(start) => (start, true),
        None => (generic, false),
    };
    let same = |(wanted, found): (char, char)| wanted == '+' || wanted == found;
    let (most, length) = (wanted.chars().count(), transid.chars().count());
    (length == most || is_open && length > most) && wanted.chars().zip(transid.chars()).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_settings_are_right() {
        assert_eq!(SqlConfig::default().check(), Vec::<String>::new());
    }

    #[test]
    fn programs_may_not_run_as_the_owner() {
        let mut config = SqlConfig::default();
        config.transactions.insert("PAY1".into(), "tupelo".into());
        assert!(config.check()[0].contains("owner of schema db2"));
        assert_eq!(config.role_of("PAY1"), "tupelo");
        assert_eq!(config.role_of("PAY2"), "CICSUSER");
    }

    #[test]
    fn a_generic_name_covers_transactions_and_the_most_specific_one_counts() {
        let roles = [
            ("SS*", "some"),
            ("SSP+", "policies"),
            ("SSP9", "one"),
            ("*9", "none"),
        ];
        let pairs = roles.map(|(name, role)| (name.to_owned(), role.to_owned()));
        let config = SqlConfig {
            transactions: pairs.into(),
            ..SqlConfig::default()
        };
        let expected = [
            ("SSC1", "some"),
            ("SSP1", "policies"),
            ("SSP9", "one"),
            ("SSP", "some"),
            ("SS", "some"),
            ("S", "CICSUSER"),
            ("PAY9", "CICSUSER"),
        ];
        for (transid, role) in expected {
            assert_eq!(config.role_of(transid), role, "{transid}");
        }
    }

    #[test]
    fn wrong_settings_are_reported_together() {
        let config = SqlConfig {
            url: Some("postgresql://me:pw@db".into()),
            thread_limit: 0,
            decimal_digits: 20,
            ..SqlConfig::default()
        };
        let wrong = config.check();
        assert_eq!(wrong.len(), 3, "{wrong:?}");
        assert!(!wrong.concat().contains("pw@"));
    }
}
