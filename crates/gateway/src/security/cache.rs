//! Credentials that were verified recently.
//!
//! A password takes tens of milliseconds to verify and a token tens of
//! microseconds, and clients send the same one with every request. Verified
//! credentials are stored as a keyed hash, with a key for the life of the
//! process: the memory contains no password, no token, and nothing that could
//! be tried elsewhere. Rejected ones are not stored.

use super::CallerIdentity;
use ring::hmac;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long something stays right without being looked at again.
pub(super) const KEPT: Duration = Duration::from_secs(30);
/// Most entries; when they are reached the old ones go.
const MOST: usize = 10_000;

/// A keyed hash of a credential.
pub(super) type CredentialDigest = [u8; 32];

pub(super) struct CredentialCache {
    key: hmac::Key,
    entries: Mutex<HashMap<CredentialDigest, Entry>>,
}

struct Entry {
    identity: Arc<CallerIdentity>,
    until: Instant,
    /// The state of users and keys that it was checked against.
    generation: u64,
}

impl CredentialCache {
    pub fn new() -> Result<CredentialCache, ring::error::Unspecified> {
        let random = ring::rand::SystemRandom::new();
        Ok(CredentialCache {
            key: hmac::Key::generate(hmac::HMAC_SHA256, &random)?,
            entries: Mutex::default(),
        })
    }

    /// The hash of a credential; `kind` keeps those of different schemes apart.
    pub fn digest(&self, kind: u8, credential: &[u8]) -> CredentialDigest {
        let mut context = hmac::Context::with_key(&self.key);
        context.update(&[kind]);
        context.update(credential);
        context.sign().as_ref().try_into().unwrap_or([0; 32])
    }

    pub fn get(
        &self,
        digest: &CredentialDigest,
        generation: u64,
        now: Instant,
    ) -> Option<Arc<CallerIdentity>> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.get(digest)?;
        let good = entry.until > now && entry.generation == generation;
        good.then(|| entry.identity.clone())
    }

    /// Remembers a valid credential, no longer than `until`.
    pub fn put(
        &self,
        digest: CredentialDigest,
        identity: Arc<CallerIdentity>,
        generation: u64,
        until: Instant,
    ) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= MOST {
            let now = Instant::now();
            entries.retain(|_, e| e.until > now && e.generation == generation);
            if entries.len() >= MOST {
                entries.clear();
            }
        }
        let entry = Entry {
            identity,
            until,
            generation,
        };
        entries.insert(digest, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_right_is_forgotten_in_time_and_when_users_change() {
        let cache = CredentialCache::new().unwrap();
        let who = Arc::new(CallerIdentity {
            name: "ada".into(),
            user_id: None,
            roles: Vec::new(),
        });
        let now = Instant::now();
        let digest = cache.digest(1, b"ada:secret");
        assert_ne!(digest, cache.digest(2, b"ada:secret"));
        cache.put(digest, who.clone(), 7, now + KEPT);
        assert_eq!(cache.get(&digest, 7, now), Some(who));
        assert_eq!(cache.get(&digest, 8, now), None);
        assert_eq!(cache.get(&digest, 7, now + KEPT), None);
    }

    #[test]
    fn it_does_not_grow_without_end() {
        let cache = CredentialCache::new().unwrap();
        let who = Arc::new(CallerIdentity {
            name: "x".into(),
            user_id: None,
            roles: Vec::new(),
        });
        for i in 0..3 * MOST {
            let digest = cache.digest(0, &i.to_le_bytes());
            cache.put(digest, who.clone(), 0, Instant::now() + KEPT);
        }
        assert!(cache.entries.lock().unwrap().len() <= MOST);
    }
}
