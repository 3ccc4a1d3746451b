//! JSON Web Tokens: only the issuer's own are accepted.

use crate::config;
use crate::security::{bank, until};
use base64::Engine as _;
use gateway::GatewayConfig;
use gateway::security::{JwtConfig, KeySource, SecurityConfig};
use serde_json::{Value, json};

/// Ed25519 keys as an issuer has them.
struct Issuer {
    kid: &'static str,
    private: Vec<u8>,
    public: Vec<u8>,
}

impl Issuer {
    fn new(kid: &'static str) -> Issuer {
        use ring::signature::KeyPair as _;
        let random = ring::rand::SystemRandom::new();
        let private = ring::signature::Ed25519KeyPair::generate_pkcs8(&random).unwrap();
        let pair = ring::signature::Ed25519KeyPair::from_pkcs8(private.as_ref()).unwrap();
        Issuer {
            kid,
            private: private.as_ref().to_vec(),
            public: pair.public_key().as_ref().to_vec(),
        }
    }

    fn set(&self) -> String {
        let x = base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(&self.public);
        let key = json!({"kty": "OKP", "crv": "Ed25519", "kid": self.kid, "use": "sig", "x": x});
        json!({"keys": [key]}).to_string()
    }

    fn token(&self, change: Value) -> String {
        use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, get_current_timestamp};
        let mut claims = json!({
            "sub": "grace", "iss": "https://issuer", "aud": "bank", "scope": "accounts",
            "exp": get_current_timestamp() + 300,
        });
        for (name, value) in change.as_object().unwrap() {
            claims[name] = value.clone();
        }
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(self.kid.into());
        let token = encode(&header, &claims, &EncodingKey::from_ed_der(&self.private)).unwrap();
        format!("authorization: Bearer {token}\r\n")
    }
}

pub fn with_tokens(keys: KeySource) -> GatewayConfig {
    let tokens = JwtConfig {
        keys,
        issuers: vec!["https://issuer".into()],
        audiences: vec!["bank".into()],
        leeway_s: 5,
        ..JwtConfig::default()
    };
    GatewayConfig {
        security: SecurityConfig {
            tokens: Some(tokens),
            ..SecurityConfig::default()
        },
        ..config()
    }
}

#[test]
fn a_token_lets_in_whom_its_issuer_names() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.json");
    let (issuer, next) = (Issuer::new("one"), Issuer::new("two"));
    std::fs::write(&file, issuer.set()).unwrap();
    let bank = bank(
        "security: [{jwt: [accounts]}]",
        with_tokens(KeySource::File(file.clone())),
    );
    assert!(bank.lets_in(&issuer.token(json!({}))));
    assert_eq!(*bank.callers.lock().unwrap(), ["GRACE"]);
    let now = jsonwebtoken::get_current_timestamp();
    for (change, why) in [
        (json!({"exp": now - 60}), "the token has expired"),
        (json!({"nbf": now + 60}), "the token is not valid yet"),
        (json!({"aud": "shop"}), "the token is for another audience"),
        (
            json!({"iss": "https://other"}),
            "the token is from another issuer",
        ),
    ] {
        let answer = bank.get(&issuer.token(change));
        assert_eq!(answer.status, 401, "{why}");
        let reported = answer.header("www-authenticate").unwrap();
        assert!(
            reported.contains("error=\"invalid_token\"") && reported.contains(why),
            "{reported}"
        );
    }
    let narrow = bank.get(&issuer.token(json!({"scope": "shops"})));
    assert_eq!(narrow.status, 403);
    let reported = narrow.header("www-authenticate").unwrap();
    assert!(
        reported.contains("insufficient_scope") && reported.contains("scope=\"accounts\""),
        "{reported}"
    );
    assert!(!bank.lets_in("") && !bank.lets_in("authorization: Bearer x.y.z\r\n"));
    assert!(
        !bank.lets_in(&next.token(json!({}))),
        "a key that is not there yet"
    );
    std::fs::write(&file, next.set()).unwrap();
    until("the new key counts", || {
        bank.lets_in(&next.token(json!({})))
    });
    assert!(
        !bank.lets_in(&issuer.token(json!({}))),
        "and the old one does not"
    );
}

#[test]
fn an_error_is_reported_for_the_scheme_that_it_belongs_to() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.json");
    std::fs::write(&file, Issuer::new("one").set()).unwrap();
    std::fs::write(folder.path().join("users"), "").unwrap();
    let mut config = with_tokens(KeySource::File(file));
    config.security.users = Some(folder.path().join("users"));
    let bank = bank("security: [{jwt: []}, {password: []}]", config);
    let wrong = bank.get(&format!(
        "authorization: {}\r\n",
        gateway::security::users::basic("ada", "wrong")
    ));
    assert_eq!(wrong.status, 401);
    assert!(
        wrong.text().contains("the password is wrong"),
        "{}",
        wrong.text()
    );
    assert!(wrong.head.contains("Basic realm"), "{}", wrong.head);
    assert!(!wrong.head.contains("error="), "{}", wrong.head);
    let wrong = bank.get("authorization: Bearer x.y.z\r\n");
    assert!(
        wrong.head.contains("error=\"invalid_token\""),
        "{}",
        wrong.head
    );
}

#[test]
fn keys_are_fetched_from_where_they_are() {
    use std::io::{Read, Write};
    let issuer = Issuer::new("one");
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/keys?of=bank", server.local_addr().unwrap());
    let set = issuer.set();
    std::thread::spawn(move || {
        for stream in server.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let length = stream.read(&mut request).unwrap();
            let asked = String::from_utf8_lossy(&request[..length]).into_owned();
            assert!(
                asked.starts_with("GET /keys?of=bank HTTP/1.1\r\n"),
                "{asked}"
            );
            let length = set.len();
            let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{set}");
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    let bank = bank(
        "security: [{jwt: []}]",
        with_tokens(KeySource::Url(url, None)),
    );
    assert!(
        bank.lets_in(&issuer.token(json!({}))),
        "it waits for the keys"
    );
    assert!(!bank.lets_in(&Issuer::new("two").token(json!({}))));
}

#[test]
fn signatures_of_elliptic_curves_are_taken() {
    use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, get_current_timestamp};
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
    let random = ring::rand::SystemRandom::new();
    let private = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    let pair =
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, private.as_ref(), &random);
    let point = pair.unwrap().public_key().as_ref().to_vec();
    let part = |bytes: &[u8]| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes);
    let key =
        json!({"kty": "EC", "crv": "P-256", "x": part(&point[1..33]), "y": part(&point[33..])});
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.json");
    std::fs::write(&file, json!({"keys": [key]}).to_string()).unwrap();
    let bank = bank("security: [{jwt: []}]", with_tokens(KeySource::File(file)));
    let claims = json!({
        "sub": "ada", "iss": "https://issuer", "aud": ["bank"], "exp": get_current_timestamp() + 60,
    });
    let signed = EncodingKey::from_ec_der(private.as_ref());
    let token = encode(&Header::new(Algorithm::ES256), &claims, &signed).unwrap();
    assert!(bank.lets_in(&format!("authorization: Bearer {token}\r\n")));
}
