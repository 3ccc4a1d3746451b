//! The right to make changes on an administration port that asks for no user.
//!
//! Every program of the machine can connect to a loopback port, those of the
//! region included. So a request that changes something carries a token that is
//! made at each start and lies where only the operator can read it. A browser
//! gets one of its own for a key, which is printed in a link and works once: it
//! is worth nothing in a history or on a shared screen afterwards.
//!
//! Invariant: no token and no key is logged or shown.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};

/// The token of a region, and what browsers got for the keys of links.
pub struct OperatorTokens {
    token: String,
    browsers: Mutex<BrowserTokens>,
}

#[derive(Default)]
struct BrowserTokens {
    /// Keys of links that were not used yet, the oldest first.
    keys: VecDeque<String>,
    /// Tokens of browsers, the oldest first.
    tokens: VecDeque<String>,
}

impl fmt::Debug for OperatorTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperatorTokens").finish_non_exhaustive()
    }
}

impl OperatorTokens {
    /// A token that cannot be guessed.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new() -> std::io::Result<OperatorTokens> {
        Ok(OperatorTokens {
            token: random()?,
            browsers: Mutex::default(),
        })
    }

    /// The token, for a file that only the operator can read.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// A key for a link, good for one browser. The oldest unused one is void when
    /// there are [`MOST`] already.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn key(&self) -> std::io::Result<String> {
        let key = random()?;
        push(&mut self.lock().keys, key.clone());
        Ok(key)
    }

    /// The token of a browser for a key, which is void from now on. Returns
    /// `None` for a key that was used or is unknown.
    pub fn redeem(&self, key: &str) -> Option<String> {
        let mut browsers = self.lock();
        let at = browsers.keys.iter().position(|known| same(known, key))?;
        let token = random().ok()?;
        browsers.keys.remove(at);
        push(&mut browsers.tokens, token.clone());
        Some(token)
    }

    /// Whether a request with this token may change something.
    pub fn admit(&self, token: &str) -> bool {
        let browsers = self.lock();
        same(&self.token, token) || browsers.tokens.iter().any(|known| same(known, token))
    }

    fn lock(&self) -> MutexGuard<'_, BrowserTokens> {
        self.browsers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn push(list: &mut VecDeque<String>, text: String) {
    if list.len() >= MOST {
        list.pop_front();
    }
    list.push_back(text);
}

/// Compares in a time that does not depend on where texts differ.
fn same(known: &str, given: &str) -> bool {
    let (known, given) = (known.as_bytes(), given.as_bytes());
    let differ = known.iter().zip(given).fold(0, |all, (a, b)| all | (a ^ b));
    known.len() == given.len() && differ == 0
}

fn random() -> std::io::Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| std::io::Error::other("the system has no random numbers"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Bytes of a token before it is written as text.
const TOKEN_BYTES: usize = 24;
/// Most unused keys, and most tokens of browsers.
const MOST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_gives_one_browser_a_token_and_is_void_then() {
        let tokens = OperatorTokens::new().unwrap();
        let key = tokens.key().unwrap();
        assert!(!tokens.admit(&key), "a key is not a token");
        let token = tokens.redeem(&key).unwrap();
        assert!(tokens.admit(&token) && tokens.admit(tokens.token()));
        assert_eq!(tokens.redeem(&key), None);
        for wrong in ["", "1", &token[1..], &format!("{token}x")] {
            assert!(!tokens.admit(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn old_keys_and_tokens_make_room_for_new_ones() {
        let tokens = OperatorTokens::new().unwrap();
        let keys: Vec<_> = (0..=MOST).map(|_| tokens.key().unwrap()).collect();
        assert_eq!(tokens.redeem(&keys[0]), None);
        let first = tokens.redeem(&keys[1]).unwrap();
        for _ in 0..MOST {
            let key = tokens.key().unwrap();
            assert!(tokens.redeem(&key).is_some());
        }
        assert!(!tokens.admit(&first) && tokens.admit(tokens.token()));
    }
}
