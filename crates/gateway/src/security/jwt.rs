//! JSON Web Tokens of a trusted issuer.
//!
//! A token is taken when its signature is of one of the issuer's keys, by an
//! algorithm of the list, and when its issuer, audience and times are right.
//!
//! Reference: RFC 7515 to 7519; RFC 8725 (best current practices).
//!
//! Invariant: the token chooses among the algorithms that are allowed and fit
//! the key. The token never chooses `none`, and never turns a public key into a secret.

use super::keys::{KeySet, KeySource};
use base64::Engine as _;
use jsonwebtoken::{Algorithm, Validation, decode, errors::ErrorKind};
use serde_json::Value;

/// Longest token that is looked at, in bytes.
pub(crate) const MAX_TOKEN: usize = 16 << 10;
/// Keys that are tried for a token that does not name its own.
const MAX_TRIED: usize = 8;

/// Which tokens are taken.
#[derive(Debug, Clone)]
pub struct JwtConfig {
    /// The source of the issuer's keys.
    pub keys: KeySource,
    /// Issuers (`iss`), one of which the token must name.
    pub issuers: Vec<String>,
    /// Audiences (`aud`), one of which the token must be for.
    pub audiences: Vec<String>,
    /// Algorithms of signatures, as RFC 7518 names them.
    pub algorithms: Vec<String>,
    /// Seconds that clocks may differ.
    pub leeway_s: u64,
    /// The claim that names the user.
    pub user_claim: String,
    /// Claims that contain roles; a path is dotted.
    pub role_claims: Vec<String>,
}

impl Default for JwtConfig {
    fn default() -> Self {
        let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect();
        JwtConfig {
            keys: KeySource::File(Default::default()),
            issuers: Vec::new(),
            audiences: Vec::new(),
            algorithms: words(&["RS256", "PS256", "ES256", "EdDSA"]),
            leeway_s: 60,
            user_claim: "sub".into(),
            role_claims: words(&["scope", "scp", "roles", "groups"]),
        }
    }
}

/// The claims of an accepted token.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TokenClaims {
    pub name: String,
    pub roles: Vec<String>,
    /// Seconds since 1970 at which it ends.
    pub expires_s: u64,
}

/// Why a token is not taken. Nothing of the token is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TokenError {
    #[error("the token is not well-formed")]
    Malformed,
    #[error("the token's algorithm is not allowed")]
    Algorithm,
    #[error("the token has an unknown critical header")]
    Critical,
    #[error("the token's key is unknown")]
    UnknownKey,
    #[error("the token's signature is wrong")]
    Signature,
    #[error("the token has expired")]
    Expired,
    #[error("the token is not valid yet")]
    NotYet,
    #[error("the token is from another issuer")]
    Issuer,
    #[error("the token is for another audience")]
    Audience,
    #[error("the token lacks a required claim")]
    Claim,
}

/// Checks a token.
pub(crate) fn verify(
    token: &str,
    keys: &KeySet,
    config: &JwtConfig,
) -> Result<TokenClaims, TokenError> {
    let (algorithm, kid) = header(token, config)?;
    let mut validation = Validation::new(algorithm);
    validation.leeway = config.leeway_s;
    validation.validate_nbf = true;
    validation.validate_aud = !config.audiences.is_empty();
    let mut needed = vec!["exp"];
    if !config.audiences.is_empty() {
        needed.push("aud");
        validation.set_audience(&config.audiences);
    }
    if !config.issuers.is_empty() {
        needed.push("iss");
        validation.set_issuer(&config.issuers);
    }
    validation.set_required_spec_claims(&needed);
    let mut why = TokenError::UnknownKey;
    for key in keys.fitting(kid.as_deref(), algorithm).take(MAX_TRIED) {
        match decode::<Value>(token, key, &validation) {
            Ok(token) => return claims(&token.claims, config),
            Err(error) => why = reason(error.kind()),
        }
        // Another key cannot make a token that is signed right better.
        if !matches!(why, TokenError::Signature | TokenError::Algorithm) {
            break;
        }
    }
    Err(why)
}

/// Algorithm and key that a token's header names.
fn header(token: &str, config: &JwtConfig) -> Result<(Algorithm, Option<String>), TokenError> {
    if token.len() > MAX_TOKEN {
        return Err(TokenError::Malformed);
    }
    let first = token.split('.').next().unwrap_or_default();
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(first);
    let bytes = bytes.map_err(|_| TokenError::Malformed)?;
    let header: Value = serde_json::from_slice(&bytes).map_err(|_| TokenError::Malformed)?;
    if header.get("crit").is_some() {
        return Err(TokenError::Critical);
    }
    let name = header.get("alg").and_then(Value::as_str);
    let name = name.ok_or(TokenError::Malformed)?;
    if !config.algorithms.iter().any(|allowed| allowed == name) {
        return Err(TokenError::Algorithm);
    }
    let algorithm = name.parse().map_err(|_| TokenError::Algorithm)?;
    let kid = header.get("kid").and_then(Value::as_str);
    Ok((algorithm, kid.map(str::to_owned)))
}

fn reason(kind: &ErrorKind) -> TokenError {
    match kind {
        ErrorKind::ExpiredSignature => TokenError::Expired,
        ErrorKind::ImmatureSignature => TokenError::NotYet,
        ErrorKind::InvalidIssuer => TokenError::Issuer,
        ErrorKind::InvalidAudience => TokenError::Audience,
        ErrorKind::MissingRequiredClaim(_) => TokenError::Claim,
        ErrorKind::InvalidSignature => TokenError::Signature,
        ErrorKind::InvalidAlgorithm | ErrorKind::InvalidKeyFormat => TokenError::Algorithm,
        _ => TokenError::Malformed,
    }
}

fn claims(claims: &Value, config: &JwtConfig) -> Result<TokenClaims, TokenError> {
    let name = claims.get(&config.user_claim).and_then(Value::as_str);
    let name = name.filter(|n| !n.is_empty() && n.len() <= 256 && !n.contains(char::is_control));
    // The library passes over one that is not a number.
    if claims.get("nbf").is_some_and(|nbf| !nbf.is_number()) {
        return Err(TokenError::Malformed);
    }
    let mut roles = Vec::new();
    for claim in &config.role_claims {
        let mut steps = claim.split('.');
        let found = steps.try_fold(claims, |at, step| at.get(step));
        match found {
            Some(Value::String(words)) => roles.extend(words.split_whitespace().map(str::to_owned)),
            Some(Value::Array(list)) => {
                roles.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
    let expires = claims.get("exp").and_then(Value::as_f64).unwrap_or(0.0);
    Ok(TokenClaims {
        name: name.ok_or(TokenError::Claim)?.to_owned(),
        roles,
        expires_s: expires as u64,
    })
}

/// The algorithms that can be allowed.
pub(crate) fn known_algorithm(name: &str) -> bool {
    name.parse::<Algorithm>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jsonwebtoken::{EncodingKey, Header, encode, get_current_timestamp};
    use proptest::prelude::*;
    use serde_json::json;

    const SECRET: &[u8] = b"a secret of thirty-two bytes, ok";

    fn keys() -> KeySet {
        let k = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(SECRET);
        let set = json!({"keys": [
            {"kty": "oct", "kid": "one", "alg": "HS256", "k": k},
            {"kty": "what", "kid": "two"},
        ]});
        KeySet::parse(set.to_string().as_bytes()).unwrap()
    }

    fn config() -> JwtConfig {
        JwtConfig {
            issuers: vec!["https://issuer".into()],
            audiences: vec!["bank".into()],
            algorithms: vec!["HS256".into()],
            leeway_s: 10,
            role_claims: vec!["scope".into(), "realm.roles".into()],
            ..JwtConfig::default()
        }
    }

    /// A token with these claims in place of the right ones.
    fn token(kid: Option<&str>, change: Value) -> String {
        let now = get_current_timestamp();
        let mut claims = json!({
            "sub": "ada", "iss": "https://issuer", "aud": "bank", "exp": now + 100,
            "scope": "read write", "realm": {"roles": ["teller"]},
        });
        for (name, value) in change.as_object().unwrap() {
            match value {
                Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
                value => claims[name] = value.clone(),
            }
        }
        let header = Header {
            kid: kid.map(str::to_owned),
            ..Header::default()
        };
        encode(&header, &claims, &EncodingKey::from_secret(SECRET)).unwrap()
    }

    fn of(change: Value) -> Result<TokenClaims, TokenError> {
        verify(&token(Some("one"), change), &keys(), &config())
    }

    #[test]
    fn a_right_token_gives_its_user_and_roles() {
        let claims = of(json!({})).unwrap();
        assert_eq!(claims.name, "ada");
        assert_eq!(claims.roles, ["read", "write", "teller"]);
        let without_kid = token(None, json!({}));
        assert!(verify(&without_kid, &keys(), &config()).is_ok());
        assert!(of(json!({"aud": ["other", "bank"]})).is_ok());
    }

    #[test]
    fn every_wrong_or_missing_claim_is_distinguished() {
        let now = get_current_timestamp();
        let cases = [
            (json!({"exp": now - 11}), TokenError::Expired),
            (json!({"nbf": now + 60}), TokenError::NotYet),
            (json!({"iss": "https://other"}), TokenError::Issuer),
            (json!({"aud": "other"}), TokenError::Audience),
            (json!({"exp": null}), TokenError::Claim),
            (json!({"aud": null}), TokenError::Claim),
            (json!({"iss": null}), TokenError::Claim),
            (json!({"sub": null}), TokenError::Claim),
            (json!({"sub": "ada\nrequest 200"}), TokenError::Claim),
            (json!({"nbf": "tomorrow"}), TokenError::Malformed),
        ];
        for (change, why) in cases {
            assert_eq!(of(change.clone()), Err(why), "{change}");
        }
        assert!(
            of(json!({"exp": now - 5, "nbf": now + 5})).is_ok(),
            "within the leeway"
        );
    }

    #[test]
    fn a_token_cannot_choose_its_algorithm() {
        let part = |value: Value| {
            base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(value.to_string())
        };
        let right = token(Some("one"), json!({}));
        let rest = &right[right.find('.').unwrap()..];
        let with = |header: Value| verify(&format!("{}{rest}", part(header)), &keys(), &config());
        assert_eq!(with(json!({"alg": "none"})), Err(TokenError::Algorithm));
        assert_eq!(
            with(json!({"alg": "RS256", "kid": "one"})),
            Err(TokenError::Algorithm)
        );
        assert_eq!(
            with(json!({"alg": "HS256", "crit": ["x"]})),
            Err(TokenError::Critical)
        );
        assert_eq!(
            with(json!({"alg": "HS256", "kid": "three"})),
            Err(TokenError::UnknownKey)
        );
        // The header is signed too.
        assert_eq!(
            with(json!({"alg": "HS256", "kid": "one", "x": 1})),
            Err(TokenError::Signature)
        );
        let unsigned = format!("{}.", &right[..right.rfind('.').unwrap()]);
        assert!(verify(&unsigned, &keys(), &config()).is_err());
    }

    proptest! {
        #[test]
        fn no_token_panics(token in "[A-Za-z0-9_.=-]{0,200}", text in any::<String>()) {
            prop_assert!(verify(&token, &keys(), &config()).is_err());
            prop_assert!(verify(&text, &keys(), &config()).is_err());
        }

        #[test]
        fn no_change_of_a_token_is_taken(at in 0_usize..200, to in "[A-Za-z0-9_-]") {
            let right = token(Some("one"), json!({}));
            let at = at % right.len();
            let mut changed = right.clone();
            changed.replace_range(at..=at, &to);
            // The last character of a part may have unused bits.
            prop_assume!(changed != right && !right[at + 1..].is_empty());
            let part_end = right[at + 1..].starts_with('.');
            prop_assume!(!part_end);
            prop_assert!(verify(&changed, &keys(), &config()).is_err());
        }

        #[test]
        fn no_key_set_panics(text in any::<Vec<u8>>(), json in "[{}\\[\\]\":,a-z0-9]{0,100}") {
            let _ = KeySet::parse(&text);
            let _ = KeySet::parse(json.as_bytes());
        }
    }
}
