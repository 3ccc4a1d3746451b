//! How many requests one client may send.
//!
//! A bucket a client fills at a steady rate and every request takes from it. A
//! client is a user, or an address: of IPv6 the /64 that one host has for
//! itself.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Most clients that are remembered.
const MOST: usize = 100_000;

/// Requests that one client may send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateConfig {
    /// Requests a second, in the long run.
    pub per_s: u32,
    /// Requests at once.
    pub burst: u32,
}

/// The buckets.
#[derive(Debug)]
pub(crate) struct RateLimiter {
    config: RateConfig,
    hasher: RandomState,
    buckets: Mutex<HashMap<u64, Bucket>>,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    tokens: f64,
    at: Instant,
}

/// The clients that share a bucket when callers are not identified.
pub(crate) fn client_of(address: IpAddr) -> impl Hash {
    match address.to_canonical() {
        IpAddr::V4(v4) => u128::from(v4.to_bits()),
        IpAddr::V6(v6) => v6.to_bits() & (u128::MAX << 64),
    }
}

impl RateLimiter {
    pub fn new(config: RateConfig) -> RateLimiter {
        RateLimiter {
            config,
            hasher: RandomState::new(),
            buckets: Mutex::default(),
        }
    }

    /// Takes one request; the time to wait if the client has none left.
    pub fn take(&self, client: impl Hash, now: Instant) -> Result<(), Duration> {
        let rate = f64::from(self.config.per_s.max(1));
        let full = f64::from(self.config.burst.max(1));
        let key = self.hasher.hash_one(client);
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST && !buckets.contains_key(&key) {
            // A bucket that is full again is like a new one.
            let filled = |b: &Bucket| {
                b.tokens + now.saturating_duration_since(b.at).as_secs_f64() * rate < full
            };
            buckets.retain(|_, bucket| filled(bucket));
            if buckets.len() >= MOST {
                return Err(Duration::from_secs(1));
            }
        }
        let bucket = buckets.entry(key).or_insert(Bucket {
            tokens: full,
            at: now,
        });
        let since = now.saturating_duration_since(bucket.at).as_secs_f64();
        bucket.tokens = (bucket.tokens + since * rate).min(full);
        bucket.at = now;
        if bucket.tokens >= 1.0 {
            bucket.tokens -= 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64((1.0 - bucket.tokens) / rate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_has_its_burst_and_then_its_rate() {
        let limiter = RateLimiter::new(RateConfig {
            per_s: 10,
            burst: 3,
        });
        let start = Instant::now();
        let taken = |client: u8, ms: u64| {
            let now = start + Duration::from_millis(ms);
            limiter.take(client, now).is_ok()
        };
        assert_eq!(
            [0, 0, 0, 0].map(|ms| taken(1, ms)),
            [true, true, true, false]
        );
        assert!(taken(2, 0), "another client has its own");
        assert_eq!([taken(1, 100), taken(1, 100)], [true, false]);
        assert_eq!(
            [
                taken(1, 9_000),
                taken(1, 9_000),
                taken(1, 9_000),
                taken(1, 9_000)
            ],
            [true, true, true, false]
        );
    }

    #[test]
    fn addresses_of_one_ipv6_host_are_one_client() {
        let hasher = RandomState::new();
        let client = |text: &str| hasher.hash_one(client_of(text.parse().unwrap()));
        assert_eq!(client("2001:db8::1"), client("2001:db8::ffff"));
        assert_ne!(client("2001:db8::1"), client("2001:db8:0:1::1"));
        assert_eq!(client("::ffff:192.0.2.1"), client("192.0.2.1"));
    }
}
