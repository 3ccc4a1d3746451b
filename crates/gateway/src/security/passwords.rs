//! Threads that verify passwords.
//!
//! A verification takes tens of milliseconds of a CPU, which no door thread
//! has. A few threads do it from a bounded queue: if the queue is full, the
//! caller is asked to try again.
//!
//! Invariant: an unknown user costs as much time as a wrong password.

use super::cache::{CredentialCache, CredentialDigest, KEPT};
use super::{CallerIdentity, users};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::oneshot;

/// Passwords that may wait.
const WAITING: usize = 64;
/// Threads.
const THREADS: usize = 2;
/// The hash that is verified for a user that is not there, with the costs of
/// [`users::hash_password`]; it is the hash of no password.
const UNKNOWN_USER_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA\
                      $AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

pub(super) struct PasswordQueue {
    queue: SyncSender<VerificationJob>,
}

/// One password to verify.
pub(super) struct VerificationJob {
    pub password: String,
    /// The user's hash; `None` for a user that is not there.
    pub hash: Option<String>,
    /// The identity, if the password is right.
    pub identity: Option<Arc<CallerIdentity>>,
    pub digest: CredentialDigest,
    pub generation: u64,
    pub answer: oneshot::Sender<Option<Arc<CallerIdentity>>>,
}

/// Too many passwords wait.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct QueueFull;

impl PasswordQueue {
    pub fn start(cache: &Arc<CredentialCache>) -> std::io::Result<PasswordQueue> {
        let (queue, jobs) = sync_channel(WAITING);
        let jobs = Arc::new(Mutex::new(jobs));
        for number in 0..THREADS {
            let (jobs, cache) = (jobs.clone(), cache.clone());
            std::thread::Builder::new()
                .name(format!("gw-password-{number}"))
                .spawn(move || work(&jobs, &cache))?;
        }
        Ok(PasswordQueue { queue })
    }

    /// Has a password verified; the answer comes through the job's channel.
    pub fn submit(&self, job: VerificationJob) -> Result<(), QueueFull> {
        match self.queue.try_send(job) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(QueueFull),
        }
    }
}

/// Ends when the queue's senders are dropped.
fn work(jobs: &Mutex<Receiver<VerificationJob>>, cache: &CredentialCache) {
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        // The request no longer waits for the answer.
        if job.answer.is_closed() {
            continue;
        }
        let known = cache.get(&job.digest, job.generation, Instant::now());
        let found = known.or_else(|| {
            let hash = job.hash.as_deref().unwrap_or(UNKNOWN_USER_HASH);
            let right = users::verify_password(&job.password, hash);
            let identity = job.identity.filter(|_| right && job.hash.is_some())?;
            let until = Instant::now() + KEPT;
            cache.put(job.digest, identity.clone(), job.generation, until);
            Some(identity)
        });
        let _ = job.answer.send(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_for_unknown_users_costs_as_much_as_a_users() {
        let costs = |hash: &str| hash.split('$').nth(3).map(str::to_owned);
        let own = users::hash_password("x").unwrap();
        assert_eq!(costs(UNKNOWN_USER_HASH), costs(&own));
        assert!(argon2::PasswordHash::new(UNKNOWN_USER_HASH).is_ok());
    }
}
