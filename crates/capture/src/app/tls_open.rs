//! Records of TLS opened with a key log.
//!
//! AES-GCM and ChaCha20-Poly1305 of TLS 1.2 and 1.3, the only ciphers that
//! libraries of today choose; the CBC and CCM ciphers stay closed. TLS 1.3
//! changes keys between handshake and data and with every key update: a record
//! that one key does not open is tried with the next, which cannot succeed by
//! chance, since every record is authenticated.
//! Reference: RFC 8446 sections 5.2, 7.1 to 7.3; RFC 5246 sections 5, 6.3;
//! RFC 5288, RFC 7905.

use super::tls_keys::{ClientRandom, KeyLog, TlsSecrets};
use ring::aead::{self, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::hkdf::{self, KeyType, Prk};
use ring::hmac;
use std::ops::Range;

/// The keys of both directions.
pub(super) struct RecordDecryptor {
    keys: [DirectionKeys; 2],
    tls_1_3: bool,
}

/// The content of a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DecryptedRecord {
    /// Its true content type.
    pub(super) kind: u8,
    /// The content's position in the record's body.
    pub(super) content: Range<usize>,
}

/// Keys of one direction.
struct DirectionKeys {
    suite: CipherSuite,
    /// The current key, then the rule for the next one.
    current: Key,
    next: NextKey,
    /// Something was opened with these keys.
    opened: bool,
}

/// A key, its nonces and the number of the next record.
struct Key {
    key: LessSafeKey,
    iv: Vec<u8>,
    sequence: u64,
}

/// How the next key of TLS 1.3 is derived.
enum NextKey {
    /// A secret of its own: data after the handshake.
    Secret(Vec<u8>),
    /// The secret before it: a key update.
    Update(Vec<u8>),
    /// TLS 1.2 has one key.
    Never,
}

/// A cipher suite that can be opened.
#[derive(Clone, Copy)]
struct CipherSuite {
    aead: &'static aead::Algorithm,
    hkdf: hkdf::Algorithm,
    hmac: hmac::Algorithm,
    /// Part of the nonce travels with each record of TLS 1.2.
    explicit_nonce: bool,
}

impl std::fmt::Debug for RecordDecryptor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Opener")
    }
}

impl RecordDecryptor {
    /// The keys of a connection. Returns `None` if its secrets or its cipher suite
    /// are not known.
    pub(super) fn new(
        keys: &KeyLog,
        version: u16,
        suite: u16,
        (client, server): (&ClientRandom, &ClientRandom),
    ) -> Option<RecordDecryptor> {
        let suite = CipherSuite::numbered(suite)?;
        let secrets = keys.find(client)?;
        let tls_1_3 = version == TLS_1_3;
        let keys = if tls_1_3 {
            let [a, b] = [0, 1].map(|side| DirectionKeys::of_1_3(suite, &secrets, side));
            [a?, b?]
        } else {
            DirectionKeys::of_1_2(suite, &secrets.master, client, server)?
        };
        Some(RecordDecryptor { keys, tls_1_3 })
    }

    /// Opens a whole record in place. Returns `None` if no key fits.
    pub(super) fn open(
        &mut self,
        side: usize,
        head: &[u8; 5],
        body: &mut Vec<u8>,
    ) -> Option<DecryptedRecord> {
        let keys = &mut self.keys[side];
        if self.tls_1_3 {
            keys.open_1_3(head, body)
        } else {
            keys.open_1_2(head, body)
        }
    }

    /// Keys are those of TLS 1.3.
    pub(super) fn is_tls_1_3(&self) -> bool {
        self.tls_1_3
    }

    /// A record that was not captured.
    pub(super) fn skip(&mut self, side: usize) {
        self.keys[side].current.sequence += 1;
    }

    /// Something was opened in this direction.
    pub(super) fn has_opened(&self, side: usize) -> bool {
        self.keys[side].opened
    }

    /// Bytes of a record of this size that are not content.
    pub(super) fn overhead(&self, side: usize) -> usize {
        match (self.tls_1_3, self.keys[side].suite.explicit_nonce) {
            (true, _) => TAG_BYTES + 1,
            (false, true) => TAG_BYTES + EXPLICIT_BYTES,
            (false, false) => TAG_BYTES,
        }
    }
}

impl DirectionKeys {
    fn of_1_3(suite: CipherSuite, secrets: &TlsSecrets, side: usize) -> Option<DirectionKeys> {
        let data = &secrets.application[side];
        let handshake = &secrets.handshake[side];
        if data.is_empty() {
            return None;
        }
        let (first, next) = if handshake.is_empty() {
            (data, NextKey::Update(data.clone()))
        } else {
            (handshake, NextKey::Secret(data.clone()))
        };
        Some(DirectionKeys {
            suite,
            current: Key::of_secret(suite, first)?,
            next,
            opened: false,
        })
    }

    /// Both directions from the key block of TLS 1.2.
    fn of_1_2(
        suite: CipherSuite,
        master: &[u8],
        client: &ClientRandom,
        server: &ClientRandom,
    ) -> Option<[DirectionKeys; 2]> {
        let (key_bytes, iv_bytes) = if suite.explicit_nonce {
            (suite.aead.key_len(), NONCE_BYTES - EXPLICIT_BYTES)
        } else {
            (suite.aead.key_len(), NONCE_BYTES)
        };
        if master.is_empty() {
            return None;
        }
        let seed = [&b"key expansion"[..], server, client].concat();
        let block = prf(suite.hmac, master, &seed, 2 * (key_bytes + iv_bytes));
        let (keys, ivs) = block.split_at(2 * key_bytes);
        let one = |side: usize| {
            let key = &keys[side * key_bytes..][..key_bytes];
            Some(DirectionKeys {
                suite,
                current: Key {
                    key: LessSafeKey::new(UnboundKey::new(suite.aead, key).ok()?),
                    iv: ivs[side * iv_bytes..][..iv_bytes].to_vec(),
                    sequence: 0,
                },
                next: NextKey::Never,
                opened: false,
            })
        };
        Some([one(0)?, one(1)?])
    }

    fn open_1_3(&mut self, head: &[u8; 5], body: &mut Vec<u8>) -> Option<DecryptedRecord> {
        let sealed = body.clone();
        let length = match self.current.open_1_3(head, body) {
            Some(length) => length,
            None => {
                let (mut key, next) = self.following()?;
                *body = sealed;
                let length = key.open_1_3(head, body)?;
                (self.current, self.next) = (key, next);
                length
            }
        };
        self.opened = true;
        // Zeros of padding follow the true type.
        let end = body[..length].iter().rposition(|byte| *byte != 0)?;
        Some(DecryptedRecord {
            kind: body[end],
            content: 0..end,
        })
    }

    /// The key after the current one.
    fn following(&self) -> Option<(Key, NextKey)> {
        let secret = match &self.next {
            NextKey::Secret(secret) => secret.clone(),
            NextKey::Update(secret) => {
                let length = self.suite.hmac.digest_algorithm().output_len();
                expand(self.suite, secret, "traffic upd", length)?
            }
            NextKey::Never => return None,
        };
        let key = Key::of_secret(self.suite, &secret)?;
        Some((key, NextKey::Update(secret)))
    }

    fn open_1_2(&mut self, head: &[u8; 5], body: &mut [u8]) -> Option<DecryptedRecord> {
        let front = if self.suite.explicit_nonce {
            EXPLICIT_BYTES
        } else {
            0
        };
        let length = body.len().checked_sub(front + TAG_BYTES)?;
        let key = &mut self.current;
        let nonce = if self.suite.explicit_nonce {
            let mut nonce = [0; NONCE_BYTES];
            let (fixed, explicit) = nonce.split_at_mut(NONCE_BYTES - EXPLICIT_BYTES);
            fixed.copy_from_slice(&key.iv);
            explicit.copy_from_slice(&body[..EXPLICIT_BYTES]);
            nonce
        } else {
            key.nonce()
        };
        let mut aad = [0; 13];
        aad[..8].copy_from_slice(&key.sequence.to_be_bytes());
        aad[8..11].copy_from_slice(&head[..3]);
        aad[11..].copy_from_slice(&u16::try_from(length).ok()?.to_be_bytes());
        let nonce = Nonce::assume_unique_for_key(nonce);
        key.key
            .open_in_place(nonce, Aad::from(aad), &mut body[front..])
            .ok()?;
        key.sequence += 1;
        self.opened = true;
        Some(DecryptedRecord {
            kind: head[0],
            content: front..front + length,
        })
    }
}

impl Key {
    fn of_secret(suite: CipherSuite, secret: &[u8]) -> Option<Key> {
        let key = expand(suite, secret, "key", suite.aead.key_len())?;
        Some(Key {
            key: LessSafeKey::new(UnboundKey::new(suite.aead, &key).ok()?),
            iv: expand(suite, secret, "iv", NONCE_BYTES)?,
            sequence: 0,
        })
    }

    /// Bytes of content and true type. Returns `None` if the key does not fit.
    fn open_1_3(&mut self, head: &[u8; 5], body: &mut [u8]) -> Option<usize> {
        let nonce = Nonce::assume_unique_for_key(self.nonce());
        let opened = self.key.open_in_place(nonce, Aad::from(head), body).ok()?;
        self.sequence += 1;
        Some(opened.len())
    }

    /// The fixed part with the record's number over its end.
    fn nonce(&self) -> [u8; NONCE_BYTES] {
        let mut nonce = [0; NONCE_BYTES];
        nonce[NONCE_BYTES - 8..].copy_from_slice(&self.sequence.to_be_bytes());
        for (byte, fixed) in nonce.iter_mut().zip(&self.iv) {
            *byte ^= fixed;
        }
        nonce
    }
}

impl CipherSuite {
    fn numbered(number: u16) -> Option<CipherSuite> {
        let (aead, hkdf, hmac) = match number {
            0x1301 | 0x009c | 0x009e | 0xc02b | 0xc02f => {
                (&aead::AES_128_GCM, hkdf::HKDF_SHA256, hmac::HMAC_SHA256)
            }
            0x1302 | 0x009d | 0x009f | 0xc02c | 0xc030 => {
                (&aead::AES_256_GCM, hkdf::HKDF_SHA384, hmac::HMAC_SHA384)
            }
            0x1303 | 0xcca8..=0xccaa => (
                &aead::CHACHA20_POLY1305,
                hkdf::HKDF_SHA256,
                hmac::HMAC_SHA256,
            ),
            _ => return None,
        };
        Some(CipherSuite {
            aead,
            hkdf,
            hmac,
            explicit_nonce: matches!(number, 0x009c..=0x009f | 0xc02b..=0xc030),
        })
    }
}

/// HKDF-Expand-Label without a context (RFC 8446 7.1).
fn expand(suite: CipherSuite, secret: &[u8], label: &str, length: usize) -> Option<Vec<u8>> {
    struct Bytes(usize);
    impl KeyType for Bytes {
        fn len(&self) -> usize {
            self.0
        }
    }
    let [high, low] = u16::try_from(length).ok()?.to_be_bytes();
    let name = u8::try_from(LABEL_PREFIX.len() + label.len()).ok()?;
    let front = [high, low, name];
    let info = [&front[..], LABEL_PREFIX, label.as_bytes(), &[0]];
    let mut bytes = vec![0; length];
    let prk = Prk::new_less_safe(suite.hkdf, secret);
    prk.expand(&info, Bytes(length))
        .ok()?
        .fill(&mut bytes)
        .ok()?;
    Some(bytes)
}

/// P_hash of TLS 1.2 (RFC 5246 section 5); `seed` begins with the label.
fn prf(algorithm: hmac::Algorithm, secret: &[u8], seed: &[u8], length: usize) -> Vec<u8> {
    let key = hmac::Key::new(algorithm, secret);
    let mut bytes = Vec::new();
    let mut a = hmac::sign(&key, seed);
    while bytes.len() < length {
        let part = [a.as_ref(), seed].concat();
        bytes.extend_from_slice(hmac::sign(&key, &part).as_ref());
        a = hmac::sign(&key, a.as_ref());
    }
    bytes.truncate(length);
    bytes
}

const TLS_1_3: u16 = 0x0304;
const TAG_BYTES: usize = 16;
const NONCE_BYTES: usize = 12;
/// Part of the nonce in front of a record of AES-GCM in TLS 1.2.
const EXPLICIT_BYTES: usize = 8;
const LABEL_PREFIX: &[u8] = b"tls13 ";
