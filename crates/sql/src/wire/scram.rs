//! SCRAM-SHA-256: proves a password without sending it, and has the server
//! prove that it knows it too.
//!
//! The caller provides the nonce, since this crate has no randomness. Reference: RFC 5802, RFC 7677.

use std::num::NonZeroU32;

use ring::{digest, hmac, pbkdf2};

/// Why a server is not believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ScramError {
    /// Its message is not a SCRAM message.
    #[error("the server's authentication message is not one of SCRAM")]
    Malformed,
    /// Its nonce does not begin with ours, or it asks for too many iterations.
    #[error("the server's authentication message is not an answer to this client's")]
    Nonce,
    /// The server could not prove that it knows the password.
    #[error("the server could not prove that it knows the password")]
    Signature,
}

/// Most iterations that a server may ask for.
const MOST_ITERATIONS: u32 = 1_000_000;

/// A conversation.
pub struct ScramExchange {
    password: String,
    first: String,
    nonce: String,
    signature: Option<Vec<u8>>,
}

impl std::fmt::Debug for ScramExchange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scram").finish_non_exhaustive()
    }
}

impl ScramExchange {
    /// The mechanism's name.
    pub const MECHANISM: &'static str = "SCRAM-SHA-256";

    /// Begins one with a nonce of random printable characters.
    pub fn new(password: &str, nonce: &str) -> ScramExchange {
        ScramExchange {
            password: password.to_owned(),
            first: format!("n=,r={nonce}"),
            nonce: nonce.to_owned(),
            signature: None,
        }
    }

    /// The first message.
    pub fn first_message(&self) -> String {
        format!("n,,{}", self.first)
    }

    /// The answer to the server's first message.
    pub fn handle_first(&mut self, message: &[u8]) -> Result<String, ScramError> {
        let message = std::str::from_utf8(message).map_err(|_| ScramError::Malformed)?;
        let part = |name: char| {
            message
                .split(',')
                .find_map(|p| p.strip_prefix(name)?.strip_prefix('='))
        };
        let nonce = part('r').ok_or(ScramError::Malformed)?;
        let salt = part('s').and_then(decode).ok_or(ScramError::Malformed)?;
        let iterations: u32 = part('i')
            .and_then(|n| n.parse().ok())
            .ok_or(ScramError::Malformed)?;
        let fresh = nonce
            .strip_prefix(self.nonce.as_str())
            .is_some_and(|more| !more.is_empty());
        if !fresh || iterations > MOST_ITERATIONS {
            return Err(ScramError::Nonce);
        }
        let iterations = NonZeroU32::new(iterations).ok_or(ScramError::Malformed)?;
        let mut salted = [0; 32];
        pbkdf2::derive(
            pbkdf2::PBKDF2_HMAC_SHA256,
            iterations,
            &salt,
            self.password.as_bytes(),
            &mut salted,
        );
        let without_proof = format!("c=biws,r={nonce}");
        let signed = format!("{},{message},{without_proof}", self.first);
        let client_key = mac(&salted, b"Client Key");
        let stored_key = digest::digest(&digest::SHA256, &client_key);
        let proof: Vec<u8> = mac(stored_key.as_ref(), signed.as_bytes())
            .iter()
            .zip(&client_key)
            .map(|(a, b)| a ^ b)
            .collect();
        let server_key = mac(&salted, b"Server Key");
        self.signature = Some(mac(&server_key, signed.as_bytes()));
        Ok(format!("{without_proof},p={}", encode(&proof)))
    }

    /// Checks the server's last message.
    pub fn handle_final(&mut self, message: &[u8]) -> Result<(), ScramError> {
        let message = std::str::from_utf8(message).map_err(|_| ScramError::Malformed)?;
        let signature = message
            .strip_prefix("v=")
            .and_then(|v| decode(v.split(',').next()?));
        let wanted = self.signature.take().ok_or(ScramError::Malformed)?;
        if signature.is_some_and(|s| s == wanted) {
            return Ok(());
        }
        Err(ScramError::Signature)
    }
}

fn mac(key: &[u8], data: &[u8]) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key);
    hmac::sign(&key, data).as_ref().to_vec()
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64, as SCRAM has it.
fn encode(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let all = chunk.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let letter = LETTERS[(all >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    out
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let mut out = Vec::new();
    let (mut bits, mut all) = (0, 0u32);
    for byte in digits.bytes() {
        let value = LETTERS.iter().position(|l| *l == byte)?;
        all = all << 6 | u32::try_from(value).ok()?;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push(u8::try_from(all >> bits & 255).ok()?);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_rfc_is_answered() {
        let mut scram = ScramExchange::new("pencil", "rOprNGfwEbeRWgbNEkqO");
        scram.first = "n=user,r=rOprNGfwEbeRWgbNEkqO".to_owned();
        let server = b"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";
        let answer = scram.handle_first(server).unwrap();
        assert!(
            answer.ends_with("p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="),
            "{answer}"
        );
        let last = b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";
        assert_eq!(scram.handle_final(last), Ok(()));
    }

    #[test]
    fn another_nonce_and_a_wrong_signature_are_refused() {
        let mut scram = ScramExchange::new("p", "abc");
        assert_eq!(
            scram.handle_first(b"r=abd1,s=AAAA,i=1"),
            Err(ScramError::Nonce)
        );
        assert_eq!(
            scram.handle_first(b"r=abc,s=AAAA,i=1"),
            Err(ScramError::Nonce)
        );
        scram.handle_first(b"r=abc1,s=AAAA,i=1").unwrap();
        assert_eq!(scram.handle_final(b"v=AAAA"), Err(ScramError::Signature));
    }
}
