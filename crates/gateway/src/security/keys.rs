//! The keys that sign tokens: a JSON Web Key Set from a file or a URL.
//!
//! Issuers change their keys. A file is read again when it was written, a URL
//! after a while and when a token names a key that is not there, but never more
//! often than [`SOONEST`].
//!
//! Reference: RFC 7517.

use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// Time between two fetches, at least.
pub(super) const SOONEST: Duration = Duration::from_secs(10);
/// Time after which a URL is fetched again.
pub(super) const REFRESH: Duration = Duration::from_secs(300);
/// Most keys of a set.
const MOST: usize = 256;

/// The source of a key set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// A file with a JSON Web Key Set.
    File(PathBuf),
    /// An `https` URL, and the certificates in PEM that are trusted for it;
    /// the system's without. `http` is for loopback only.
    Url(String, Option<PathBuf>),
}

impl std::fmt::Display for KeySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            KeySource::File(path) => write!(f, "{}", path.display()),
            KeySource::Url(url, _) => f.write_str(url),
        }
    }
}

/// A key set, ready for use.
#[derive(Default)]
pub(crate) struct KeySet(Vec<Key>);

struct Key {
    kid: Option<String>,
    alg: Option<String>,
    decoding: DecodingKey,
}

impl KeySet {
    /// Reads a key set. Keys of kinds that are not known, and keys for
    /// encryption, are left out.
    ///
    /// # Errors
    /// The bytes are not a key set, or have no usable key.
    pub fn parse(bytes: &[u8]) -> Result<KeySet, String> {
        let set: Value =
            serde_json::from_slice(bytes).map_err(|e| format!("not valid JSON: {e}"))?;
        let list = set.get("keys").and_then(Value::as_array);
        let list = list.ok_or("not a key set: the array 'keys' is missing")?;
        let mut keys = Vec::new();
        for value in list.iter().take(MOST) {
            if value.get("use").is_some_and(|u| u != "sig") {
                continue;
            }
            let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
            let jwk: Result<Jwk, _> = serde_json::from_value(value.clone());
            let decoding = jwk.ok().and_then(|jwk| DecodingKey::from_jwk(&jwk).ok());
            keys.extend(decoding.map(|decoding| Key {
                kid: text("kid"),
                alg: text("alg"),
                decoding,
            }));
        }
        if keys.is_empty() {
            Err("it has no key for a supported signature algorithm".into())
        } else {
            Ok(KeySet(keys))
        }
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The keys that a token may be signed with.
    pub fn fitting(
        &self,
        kid: Option<&str>,
        algorithm: Algorithm,
    ) -> impl Iterator<Item = &DecodingKey> {
        let name = format!("{algorithm:?}");
        let fits = move |key: &&Key| {
            let named = kid.is_none_or(|kid| key.kid.as_deref() == Some(kid));
            named && key.alg.as_ref().is_none_or(|alg| *alg == name)
        };
        self.0.iter().filter(fits).map(|key| &key.decoding)
    }
}
