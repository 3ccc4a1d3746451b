//! Sign-on: who uses a terminal, and how often a password may be wrong.
//!
//! A user whose password was wrong too often is refused for a while, wherever
//! the attempts come from, and a terminal with too many wrong ones is
//! disconnected. Passwords are compared one after another on a thread of their
//! own; only so many wait.
//! Reference: CICS API reference, SIGNON, SIGNOFF, VERIFY PASSWORD.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::host::{PasswordCheck, SignedOnUser};
use crate::shared::TerminalContext;

/// Wrong passwords by user.
#[derive(Debug, Default)]
pub struct SignOnTable {
    failures: Mutex<HashMap<String, SignOnFailures>>,
    waiting: AtomicUsize,
}

#[derive(Debug, Clone, Copy)]
struct SignOnFailures {
    count: u32,
    first: Instant,
}

/// Why a password is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignOnRefused {
    /// The region has no users.
    NoUsers,
    /// No such user.
    UnknownUser,
    /// The password is wrong.
    WrongPassword,
    /// It was wrong too often.
    Revoked,
    /// Too many passwords wait to be compared.
    Busy,
}

impl TerminalContext {
    /// Compares a password. Runs within the door's runtime.
    ///
    /// # Errors
    /// Why it is not accepted.
    pub async fn verify(
        self: &Arc<Self>,
        user: &str,
        password: &str,
    ) -> Result<SignedOnUser, SignOnRefused> {
        let Some(host) = self.host.clone().filter(|host| host.has_users()) else {
            return Err(SignOnRefused::NoUsers);
        };
        let user = user.trim().to_ascii_uppercase();
        let table = &self.sign_ons;
        if table.is_refused(&user, Instant::now()) {
            return Err(SignOnRefused::Revoked);
        }
        if table.waiting.fetch_add(1, Ordering::Relaxed) >= MOST_WAITING {
            table.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err(SignOnRefused::Busy);
        }
        let (name, password) = (user.clone(), password.to_owned());
        let verified = tokio::task::spawn_blocking(move || host.verify(&name, &password)).await;
        table.waiting.fetch_sub(1, Ordering::Relaxed);
        match verified {
            Ok(PasswordCheck::User(found)) => {
                table.forget(&user);
                Ok(found)
            }
            Ok(PasswordCheck::WrongPassword) => {
                table.note(user, Instant::now());
                Err(SignOnRefused::WrongPassword)
            }
            Ok(PasswordCheck::UnknownUser) => Err(SignOnRefused::UnknownUser),
            Err(_) => Err(SignOnRefused::Busy),
        }
    }
}

impl SignOnTable {
    fn is_refused(&self, user: &str, now: Instant) -> bool {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = failures.get(user) else {
            return false;
        };
        if now.duration_since(known.first) >= REFUSED_FOR {
            failures.remove(user);
            return false;
        }
        known.count >= MOST_FAILURES
    }

    fn note(&self, user: String, now: Instant) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.retain(|_, known| now.duration_since(known.first) < REFUSED_FOR);
        // Only users that exist are noted, so the table is no larger than theirs.
        let known = failures.entry(user).or_insert(SignOnFailures {
            count: 0,
            first: now,
        });
        known.count += 1;
    }

    fn forget(&self, user: &str) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.remove(user);
    }
}

/// Passwords that wait to be compared.
const MOST_WAITING: usize = 16;
/// Wrong passwords of one user, from the first on for [`REFUSED_FOR`].
const MOST_FAILURES: u32 = 5;
/// How long a user with so many wrong passwords is refused.
const REFUSED_FOR: Duration = Duration::from_secs(300);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_wrong_passwords_refuse_a_user_for_five_minutes() {
        let (table, start) = (SignOnTable::default(), Instant::now());
        for _ in 0..4 {
            table.note("ADA".into(), start);
        }
        assert!(!table.is_refused("ADA", start));
        table.note("ADA".into(), start);
        assert!(table.is_refused("ADA", start + Duration::from_secs(299)));
        assert!(!table.is_refused("BEN", start));
        assert!(!table.is_refused("ADA", start + REFUSED_FOR));
        // A right password begins the count again.
        table.note("ADA".into(), start);
        table.forget("ADA");
        assert!(!table.is_refused("ADA", start));
    }
}
