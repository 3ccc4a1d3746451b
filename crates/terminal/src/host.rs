//! What the door asks of the process that it is part of: its users, and the
//! figures that the snapshot transaction shows.

use std::fmt::Debug;

use region::{Handle, UserId};

/// The process around the door.
pub trait TerminalHost: Debug + Send + Sync {
    /// Whether there are users. Without them there is no sign-on.
    fn has_users(&self) -> bool;

    /// Compares a password with a user's. `user` is a CICS user id or a name of
    /// the user store; the case of letters does not count. Takes tens of
    /// milliseconds, for unknown users too.
    fn verify(&self, user: &str, password: &str) -> PasswordCheck;

    /// What the region has used of the CPUs, as lines of at most 78 characters.
    fn snapshot(&self, region: &Handle, kind: SnapshotKind) -> Vec<String>;
}

/// A user who may sign on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedOnUser {
    /// Who tasks run for.
    pub userid: UserId,
    /// May look at the region's tasks and definitions.
    pub may_look: bool,
    /// May change them.
    pub may_change: bool,
}

/// What became of a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PasswordCheck {
    /// It is right.
    User(SignedOnUser),
    /// It is not.
    WrongPassword,
    /// There is no such user, or none with a password and a user id.
    UnknownUser,
}

/// Which figures of the CPUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotKind {
    /// Since the region's start.
    Actual,
    /// The same, and they are the baseline from now on.
    Reset,
    /// Since the baseline.
    Delta,
}
