//! The process's services for terminals: the users of the user store, and the CPU
//! snapshot as a screen.

use std::path::PathBuf;
use std::sync::OnceLock;

use gateway::security::users::{StoredUser, UserStore, hash_password, is_user_id, verify_password};
use gateway::security::{AdminAction, RoleAccess};
use region::{Handle, UserId};
use serde_json::Value;
use terminal::{PasswordCheck, SignedOnUser, SnapshotKind, TerminalHost};

use super::{Application, operate};

/// The users of an application, for sign-on at terminals.
#[derive(Debug)]
pub struct TerminalUsers {
    /// The user store, which is read at each sign-on.
    users: PathBuf,
    access: RoleAccess,
    /// A hash that takes as long to compare as a user's, for unknown users.
    dummy_hash: OnceLock<String>,
}

impl TerminalUsers {
    /// The users of an application.
    pub fn new(app: &Application) -> TerminalUsers {
        TerminalUsers {
            users: app.config.security.users_file(&app.folder),
            access: app.security().access,
            dummy_hash: OnceLock::new(),
        }
    }
}

impl TerminalHost for TerminalUsers {
    fn has_users(&self) -> bool {
        self.users.is_file()
    }

    fn verify(&self, user: &str, password: &str) -> PasswordCheck {
        // A store that cannot be read admits no user; `tupelo check` reports why.
        let users = UserStore::load(&self.users).unwrap_or_default();
        let found = users.iter().find(|known| is_called(known, user));
        let with_password = found.filter(|known| !known.password.is_empty());
        let (Some(known), Some(userid)) = (with_password, found.and_then(user_id)) else {
            let hash = || hash_password("no user").unwrap_or_default();
            verify_password(password, self.dummy_hash.get_or_init(hash));
            return PasswordCheck::UnknownUser;
        };
        if !verify_password(password, &known.password) {
            return PasswordCheck::WrongPassword;
        }
        let has = |act| {
            let roles = self.access.roles(act);
            roles
                .iter()
                .any(|role| role == "*" || known.roles.contains(role))
        };
        PasswordCheck::User(SignedOnUser {
            userid,
            may_look: has(AdminAction::Read),
            may_change: has(AdminAction::Operate),
        })
    }

    fn snapshot(&self, region: &Handle, kind: SnapshotKind) -> Vec<String> {
        let taken = operate::snapshot(region, kind);
        screen(&taken, kind == SnapshotKind::Delta)
    }
}

/// Whether a user has this user id or name.
fn is_called(user: &StoredUser, typed: &str) -> bool {
    user.user_id.eq_ignore_ascii_case(typed) || user.name.eq_ignore_ascii_case(typed)
}

/// The CICS user id of a user: the one in the store, or the name.
fn user_id(user: &StoredUser) -> Option<UserId> {
    let named = if user.user_id.is_empty() {
        user.name.to_ascii_uppercase()
    } else {
        user.user_id.clone()
    };
    is_user_id(&named)
        .then(|| UserId::new(&named).ok())
        .flatten()
}

/// A snapshot as lines of a screen.
fn screen(taken: &Value, delta: bool) -> Vec<String> {
    let ms = |value: &Value| value.as_u64().unwrap_or(0) as f64 / 1e6;
    let number = |key: &str| taken[key].as_u64().unwrap_or(0);
    let mut lines = vec![format!("{:<10} {:<24} {:>14}", "Engine", "Work", "CPU ms")];
    for row in taken["rows"].as_array().into_iter().flatten() {
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let (engine, work) = (text("engine"), text("work"));
        lines.push(format!(
            "{engine:<10} {work:<24} {:>14.3}",
            ms(&row["cpu_ns"])
        ));
    }
    lines.truncate(MOST_ROWS);
    lines.push(String::new());
    let total = |label: &str, key: &str| format!("{label:<35} {:>14.3}", ms(&taken[key]));
    lines.push(total("General engines", "general_cpu_ns"));
    lines.push(total("Eligible for offload engines", "eligible_cpu_ns"));
    lines.push(total(
        "  of it on general engines",
        "eligible_on_general_ns",
    ));
    let count = |label: &str, key: &str| format!("{label:<35} {:>14}", number(key));
    lines.push(count("Tasks", "tasks"));
    lines.push(count("Commands", "commands"));
    if delta {
        lines.push(format!(
            "{:<35} {:>14.3}",
            "Seconds",
            ms(&taken["at_ns"]) / 1e3
        ));
    }
    lines
}

/// Rows of work that fit on a screen of 24 lines.
const MOST_ROWS: usize = 11;
