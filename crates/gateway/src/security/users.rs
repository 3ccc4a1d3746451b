//! The user store: one text file for gateway and administration.
//!
//! One line a user, six fields between colons, `#` before a remark:
//!
//! ```text
//! name:password:user id:roles:API keys
//! alice:$argon2id$v=19$m=19456,t=2,p=1$…$…:ALICE:teller,operations:
//! batch::BATCH:loader:1f6a90c2=5e88…
//! ```
//!
//! Passwords are argon2id hashes. An API key is 256 random bits, so its plain
//! SHA-256 reveals nothing about it; the store has only this hash.
//!
//! Reference: RFC 9106 (argon2); the PHC string format.

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Argon2, Params};
use ring::rand::{SecureRandom, SystemRandom};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

/// Longest password that is looked at, in bytes.
pub const MAX_PASSWORD: usize = 1024;
/// Most memory that one verification may take, in KiB.
const MAX_MEMORY_KIB: u32 = 1 << 20;
/// The prefix of an API key, so that scanners for secrets find it.
const KEY_PREFIX: &str = "tpk_";

/// One user.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredUser {
    /// Up to 64 letters, digits, `.`, `_`, `@` and `-`.
    pub name: String,
    /// The argon2 hash; empty for a user without a password.
    pub password: String,
    /// CICS user id; empty for none.
    pub user_id: String,
    /// Roles.
    pub roles: Vec<String>,
    /// API keys: id and SHA-256.
    pub keys: Vec<(String, [u8; 32])>,
}

impl std::fmt::Debug for StoredUser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, roles) = (&self.name, &self.roles);
        let f = &mut f.debug_struct("User");
        f.field("name", name).field("roles", roles).finish()
    }
}

/// All users.
#[derive(Debug, Clone, Default)]
pub struct UserStore {
    list: Vec<Arc<StoredUser>>,
    by_name: HashMap<String, usize>,
    by_key: HashMap<[u8; 32], usize>,
}

/// An error in a line of the store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct UsersError {
    /// Line, from 1; 0 for the file.
    pub line: usize,
    /// Why; without anything of the line but a name.
    pub reason: String,
}

impl UserStore {
    /// Reads the store's text.
    ///
    /// # Errors
    /// Every line that is wrong.
    pub fn parse(text: &str) -> Result<UserStore, Vec<UsersError>> {
        let mut users = UserStore::default();
        let mut wrong = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let added = parse_user(line).and_then(|user| users.add(user));
            if let Err(reason) = added {
                let line = number + 1;
                wrong.push(UsersError { line, reason });
            }
        }
        if wrong.is_empty() {
            Ok(users)
        } else {
            Err(wrong)
        }
    }

    /// Reads the store's file.
    ///
    /// # Errors
    /// The file cannot be read, or the wrong lines.
    pub fn load(file: &Path) -> Result<UserStore, Vec<UsersError>> {
        let text = std::fs::read_to_string(file).map_err(|e| {
            let reason = format!("cannot be read: {e}");
            vec![UsersError { line: 0, reason }]
        })?;
        UserStore::parse(&text)
    }

    /// Adds a user.
    ///
    /// # Errors
    /// The name or a key exists already.
    pub fn add(&mut self, user: StoredUser) -> Result<(), String> {
        if self.by_name.contains_key(&user.name) {
            return Err(format!("a user {} is defined before it", user.name));
        }
        if user
            .keys
            .iter()
            .any(|(_, digest)| self.by_key.contains_key(digest))
        {
            return Err(format!(
                "an API key of {} belongs to another user",
                user.name
            ));
        }
        let at = self.list.len();
        self.by_name.insert(user.name.clone(), at);
        let keys = user.keys.iter().map(|(_, digest)| (*digest, at));
        self.by_key.extend(keys);
        self.list.push(Arc::new(user));
        Ok(())
    }

    /// Removes a user; returns false if no user has this name.
    pub fn remove(&mut self, name: &str) -> bool {
        let before = self.list.len();
        let kept = std::mem::take(self).list;
        for user in kept.into_iter().filter(|user| user.name != name) {
            let _ = self.add((*user).clone());
        }
        self.list.len() < before
    }

    /// The user of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<StoredUser>> {
        self.by_name.get(name).map(|at| &self.list[*at])
    }

    /// The user whose API key it is.
    pub fn by_key(&self, key: &str) -> Option<&Arc<StoredUser>> {
        let at = self.by_key.get(&digest(key))?;
        self.list.get(*at)
    }

    /// All users, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &StoredUser> {
        self.list.iter().map(|user| &**user)
    }

    /// Whether there is no user.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The store as text.
    pub fn text(&self) -> String {
        let mut text = String::from("# name:password:user id:roles:API keys\n");
        for user in self.iter() {
            let mut keys = String::new();
            for (i, (id, digest)) in user.keys.iter().enumerate() {
                let _ = write!(keys, "{}{id}=", if i > 0 { "," } else { "" });
                keys += &base::hex::lower(digest);
            }
            let roles = user.roles.join(",");
            let (name, password) = (&user.name, &user.password);
            let _ = writeln!(text, "{name}:{password}:{}:{roles}:{keys}", user.user_id);
        }
        text
    }
}

fn parse_user(line: &str) -> Result<StoredUser, String> {
    let fields: Vec<&str> = line.split(':').collect();
    let &[name, password, user_id, roles, keys] = fields.as_slice() else {
        let found = fields.len();
        return Err(format!(
            "a user must have five fields between colons, not {found}"
        ));
    };
    if !is_name(name) {
        return Err("a name must have 1 to 64 letters, digits, '.', '_', '@' and '-'".into());
    }
    if !password.is_empty() {
        check_hash(password).map_err(|why| format!("the password of {name} {why}"))?;
    }
    if !user_id.is_empty() && !is_user_id(user_id) {
        return Err(format!(
            "the user id of {name} must have 1 to 8 of A-Z, 0-9, '@', '#' and '$'"
        ));
    }
    let listed = |text: &str| -> Vec<String> {
        let parts = text.split(',').map(str::trim);
        parts.filter(|p| !p.is_empty()).map(str::to_owned).collect()
    };
    let roles = listed(roles);
    if let Some(role) = roles.iter().find(|role| !is_role(role)) {
        let shown = role.escape_debug();
        return Err(format!("'{shown}' of {name} is not a valid role name"));
    }
    let mut own = Vec::new();
    for key in listed(keys) {
        let parsed = key.split_once('=').and_then(|(id, hex)| {
            let known = is_name(id) && hex.len() == 64 && hex.is_ascii();
            Some((id.to_owned(), known.then(|| unhex(hex))??))
        });
        let wrong = || format!("an API key of {name} is not id=SHA-256");
        own.push(parsed.ok_or_else(wrong)?);
    }
    Ok(StoredUser {
        name: name.into(),
        password: password.into(),
        user_id: user_id.into(),
        roles,
        keys: own,
    })
}

/// Whether it can be a user's name.
pub fn is_name(text: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || "._@-".contains(c);
    (1..=64).contains(&text.len()) && text.chars().all(known)
}

/// Whether it can be a role's name.
pub fn is_role(text: &str) -> bool {
    let known = |c: char| c.is_ascii_graphic() && !":,\"".contains(c);
    (1..=128).contains(&text.len()) && text.chars().all(known) && text != "*"
}

/// Whether it can be a CICS user id.
pub fn is_user_id(text: &str) -> bool {
    let known = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || "@#$".contains(c);
    (1..=8).contains(&text.len()) && text.chars().all(known)
}

fn unhex(hex: &str) -> Option<[u8; 32]> {
    base::hex::bytes(hex)?.try_into().ok()
}

fn check_hash(text: &str) -> Result<(), &'static str> {
    let hash = PasswordHash::new(text).map_err(|_| "is not an argon2 hash")?;
    let known = ["argon2id", "argon2i", "argon2d"];
    let params = Params::try_from(&hash).map_err(|_| "is not an argon2 hash")?;
    if !known.contains(&hash.algorithm.as_str()) || hash.hash.is_none() {
        return Err("is not an argon2 hash");
    }
    if params.m_cost() > MAX_MEMORY_KIB || params.t_cost() > 100 {
        Err("takes too much memory or time to check")
    } else {
        Ok(())
    }
}

/// Hashes a password with the defaults of argon2id.
///
/// # Errors
/// The password is empty or too long, or the system gives no random bytes.
pub fn hash_password(password: &str) -> Result<String, String> {
    if password.is_empty() || password.len() > MAX_PASSWORD {
        return Err(format!("a password must have 1 to {MAX_PASSWORD} bytes"));
    }
    let salt = SaltString::encode_b64(&random::<16>()?).map_err(|e| e.to_string())?;
    let hash = Argon2::default().hash_password(password.as_bytes(), &salt);
    hash.map(|hash| hash.to_string()).map_err(|e| e.to_string())
}

/// The value of `Authorization` with a name and a password.
pub fn basic(name: &str, password: &str) -> String {
    use base64::Engine as _;
    let text = format!("{name}:{password}");
    let encoded = base64::engine::general_purpose::STANDARD.encode(text);
    format!("Basic {encoded}")
}

/// Whether a password is the one that was hashed. Takes tens of milliseconds
/// and MiB.
pub fn verify_password(password: &str, hash: &str) -> bool {
    let Ok(hash) = PasswordHash::new(hash) else {
        return false;
    };
    let known = Argon2::default().verify_password(password.as_bytes(), &hash);
    password.len() <= MAX_PASSWORD && known.is_ok()
}

/// Makes an API key: its id, its digest, and the key, which is not kept.
///
/// # Errors
/// The system gives no random bytes.
pub fn new_key() -> Result<(String, [u8; 32], String), String> {
    use base64::Engine as _;
    let id = base::hex::lower(&random::<4>()?);
    let secret = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(random::<32>()?);
    let key = format!("{KEY_PREFIX}{id}_{secret}");
    Ok((id, digest(&key), key))
}

fn random<const N: usize>() -> Result<[u8; N], String> {
    let mut bytes = [0; N];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| "the system provides no random bytes")?;
    Ok(bytes)
}

fn digest(key: &str) -> [u8; 32] {
    let digest = ring::digest::digest(&ring::digest::SHA256, key.as_bytes());
    digest.as_ref().try_into().unwrap_or([0; 32])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_store_is_read_as_it_was_written() {
        let mut users = UserStore::default();
        let (id, digest, key) = new_key().unwrap();
        let user = StoredUser {
            name: "ada".into(),
            password: hash_password("enchantress").unwrap(),
            user_id: "ADA".into(),
            roles: vec!["teller".into(), "operations".into()],
            keys: vec![(id, digest)],
        };
        users.add(user.clone()).unwrap();
        let again = UserStore::parse(&users.text()).unwrap();
        assert_eq!(**again.get("ada").unwrap(), user);
        assert_eq!(again.by_key(&key).unwrap().name, "ada");
        assert!(again.by_key("tpk_0_0").is_none());
        assert!(verify_password("enchantress", &user.password));
        assert!(!verify_password("Enchantress", &user.password));
        assert!(!format!("{user:?}").contains("argon2"));
    }

    #[test]
    fn every_wrong_line_is_reported_with_its_number_and_without_its_secrets() {
        let text = "# users\nada:hunter2:ADA::\nb c::::\nann::toolonguserid::\nx::X:a b,:\n\
                    y::::k=zz\nonly:three:fields\nz::::\nz::::\n";
        let wrong = UserStore::parse(text).unwrap_err();
        let lines: Vec<usize> = wrong.iter().map(|e| e.line).collect();
        assert_eq!(lines, [2, 3, 4, 5, 6, 7, 9]);
        assert!(
            wrong.iter().all(|e| !e.reason.contains("hunter2")),
            "{wrong:?}"
        );
    }

    #[test]
    fn a_user_that_is_removed_is_not_found_any_more() {
        let mut users = UserStore::parse("a::::\nb::::\n").unwrap();
        assert!(users.remove("a") && !users.remove("a"));
        assert!(users.get("a").is_none() && users.get("b").is_some());
    }

    proptest! {
        #[test]
        fn no_store_makes_the_reader_panic(text in "[a-z:#=,$\n0-9é]{0,200}") {
            let _ = UserStore::parse(&text);
        }
    }
}
