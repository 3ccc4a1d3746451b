//! Authentication: each scheme with right, wrong and missing credentials, and without its role.

use crate::client::{Answer, send};
use crate::config;
use crate::fake::Fake;
use crate::load::changed;
use crate::observe::{auditing, records};
use crate::tokens::with_tokens;
use copybook::CodePage;
use gateway::security::users::{StoredUser, UserStore, basic, hash_password, new_key};
use gateway::security::{
    AccessRule, JwtConfig, KeySource, RateConfig, RoleAccess, SecurityConfig, SecurityError,
};
use gateway::{Gateway, GatewayConfig, LoadedApi, StartError, UnservedApi};
use serde_json::json;
use std::path::Path;
use std::sync::{Arc, Mutex};

const SCHEMES: &str = "components:
  securitySchemes:
    password: {type: http, scheme: basic}
    key: {type: apiKey, in: header, name: X-Bank-Key}
    query: {type: apiKey, in: query, name: key}
    cookie: {type: apiKey, in: cookie, name: session}
    jwt: {type: http, scheme: bearer, bearerFormat: JWT}
    certificate: {type: mutualTLS}
    digest: {type: http, scheme: digest}
";
const PATH: &str = "/bank/accounts/1";

/// A gateway in front of the bank, its API with `security`. Returns the user ids that its
/// tasks had.
pub struct Bank {
    pub gateway: Gateway<Fake>,
    pub callers: Arc<Mutex<Vec<String>>>,
    project: tempfile::TempDir,
}

pub fn bank(security: &str, config: GatewayConfig) -> Bank {
    let project = project(security);
    let callers = Arc::new(Mutex::new(Vec::new()));
    let seen = callers.clone();
    let fake = Fake::default().program("ACCTINQ", move |data| {
        seen.lock().unwrap().push(data.user.clone());
        data.commarea[8..11].copy_from_slice(b"404");
    });
    let means = config.security.means();
    let api = LoadedApi::load_with(project.path(), means, CodePage::ascii())
        .unwrap_or_else(|faults| panic!("{faults}"));
    let gateway = Gateway::start(config, vec![api], fake).unwrap_or_else(|e| panic!("{e}"));
    Bank {
        gateway,
        callers,
        project,
    }
}

fn project(security: &str) -> tempfile::TempDir {
    changed("api/openapi.yaml", |text| {
        let text = text.replacen("components:\n", SCHEMES, 1);
        text.replacen("servers:", &format!("{security}\nservers:"), 1)
    })
}

impl Bank {
    pub fn get(&self, headers: &str) -> Answer {
        send(self.gateway.address(), "GET", PATH, headers, "")
    }

    /// Whether a request gets to the program: it answers 404.
    pub fn lets_in(&self, headers: &str) -> bool {
        let answer = self.get(headers);
        assert!([404, 401].contains(&answer.status), "{}", answer.text());
        answer.status == 404
    }
}

/// A user store in a folder: ada with a password and a key, bob with neither
/// of ada's roles. Returns ada's key.
fn users(folder: &Path) -> String {
    let (id, digest, key) = new_key().unwrap();
    let user = |name: &str, roles: &[&str], keys| StoredUser {
        name: name.into(),
        password: hash_password(&format!("{name}'s: word")).unwrap(),
        user_id: String::new(),
        roles: roles.iter().map(|r| (*r).into()).collect(),
        keys,
    };
    let mut users = UserStore::default();
    users
        .add(user("ada", &["teller", "read"], vec![(id, digest)]))
        .unwrap();
    users.add(user("bob", &[], Vec::new())).unwrap();
    std::fs::write(folder.join("users"), users.text()).unwrap();
    key
}

fn with_users(folder: &Path) -> GatewayConfig {
    GatewayConfig {
        security: SecurityConfig {
            users: Some(folder.join("users")),
            ..SecurityConfig::default()
        },
        ..config()
    }
}

fn password(name: &str, password: &str) -> String {
    format!("authorization: {}\r\n", basic(name, password))
}

#[test]
fn a_password_lets_its_user_in_and_the_task_has_the_user_id() {
    let folder = tempfile::tempdir().unwrap();
    users(folder.path());
    let bank = bank("security: [{password: []}]", with_users(folder.path()));
    assert!(bank.lets_in(&password("ada", "ada's: word")));
    assert!(
        bank.lets_in(&password("ada", "ada's: word")),
        "again, from memory"
    );
    for wrong in [
        password("ada", "ada's word"),
        password("eve", "ada's: word"),
        password("ada", ""),
        "authorization: Basic ???\r\n".to_owned(),
        "authorization: Basic YWRh\r\n".to_owned(),
        password("ada", "ada's: word").repeat(2),
    ] {
        let answer = bank.get(&wrong);
        assert_eq!(answer.status, 401, "{wrong}{}", answer.text());
        assert!(!answer.text().contains("ada's"), "{}", answer.text());
    }
    let anonymous = bank.get("");
    assert_eq!(anonymous.status, 401);
    let challenge = anonymous.header("www-authenticate").unwrap();
    assert_eq!(challenge, "Basic realm=\"tupelo\", charset=\"UTF-8\"");
    assert_eq!(
        anonymous.header("content-type"),
        Some("application/problem+json")
    );
    assert_eq!(*bank.callers.lock().unwrap(), ["ADA", "ADA"]);
}

#[test]
fn a_user_store_that_is_written_counts_from_then_on() {
    let folder = tempfile::tempdir().unwrap();
    users(folder.path());
    let bank = bank("security: [{password: []}]", with_users(folder.path()));
    let ada = password("ada", "ada's: word");
    assert!(bank.lets_in(&ada));
    let file = folder.path().join("users");
    std::fs::write(&file, "no user store\n").unwrap();
    let written = std::time::Instant::now();
    while written.elapsed().as_millis() < 1_500 {
        assert!(bank.lets_in(&ada), "the last good one stays in force");
    }
    std::fs::write(&file, "# no users\n").unwrap();
    until("ada is not known any more", || !bank.lets_in(&ada));
}

/// Waits for a condition that the server checks once a second.
pub fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = std::time::Instant::now();
    while !holds() {
        assert!(started.elapsed().as_secs() < 60, "{what}");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

#[test]
fn an_api_key_is_read_from_the_place_that_the_document_names() {
    let folder = tempfile::tempdir().unwrap();
    let key = users(folder.path());
    let config = || with_users(folder.path());
    let header = bank("security: [{key: []}]", config());
    assert!(header.lets_in(&format!("x-bank-key: {key}\r\n")));
    assert!(!header.lets_in(&format!("x-bank-key: {key}x\r\n")));
    assert!(!header.lets_in(&format!("x-bank-key: {key}\r\n").repeat(2)));
    assert!(!header.lets_in(&format!("x-other-key: {key}\r\n")));
    let reported = header
        .get("")
        .header("www-authenticate")
        .unwrap()
        .to_owned();
    assert_eq!(
        reported,
        "ApiKey realm=\"tupelo\", in=\"header\", name=\"X-Bank-Key\""
    );
    let cookie = bank("security: [{cookie: []}]", config());
    assert!(cookie.lets_in(&format!("cookie: a=b; session={key}\r\n")));
    assert!(!cookie.lets_in("cookie: session=\r\n"));
    let query = bank("security: [{query: []}]", config());
    let with = |text: &str| {
        send(
            query.gateway.address(),
            "GET",
            &format!("{PATH}?{text}"),
            "",
            "",
        )
    };
    assert_eq!(with(&format!("a=b&key={key}")).status, 404);
    assert_eq!(with("key=tpk_0_0").status, 401);
}

#[test]
fn a_key_that_was_sent_to_a_wrong_path_is_in_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let key = users(folder.path());
    let path = folder.path().join("audit.jsonl");
    let mut config = with_users(folder.path());
    config.observe = auditing(&path);
    let bank = bank("security: [{query: []}]", config);
    let to = |method: &str, path: &str| {
        let target = format!("{path}?a=b&k%65y={key}");
        send(bank.gateway.address(), method, &target, "", "").status
    };
    let found = [
        to("GET", PATH),
        to("GET", "/bank/acounts/1"),
        to("PUT", PATH),
    ];
    assert_eq!(found, [404, 404, 405]);
    drop(bank);
    assert_eq!(records(&path).len(), 3);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("a=b") && !text.contains(&key), "{text}");
}

#[test]
fn a_key_in_a_header_that_records_have_is_in_none() {
    let folder = tempfile::tempdir().unwrap();
    let key = users(folder.path());
    let path = folder.path().join("audit.jsonl");
    let mut config = with_users(folder.path());
    config.observe = auditing(&path);
    let audit = config.observe.audit.as_mut().unwrap();
    audit.request_headers = vec!["x-bank-key".into(), "x-request-id".into()];
    let bank = bank("security: [{key: []}]", config);
    for wrong in ["", "/no"] {
        let target = format!("{PATH}{wrong}");
        let headers = format!("X-Bank-Key: {key}\r\nx-request-id: r7\r\n");
        let status = send(bank.gateway.address(), "GET", &target, &headers, "").status;
        assert_eq!(status, 404);
    }
    drop(bank);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("x-bank-key:***"), "{text}");
    assert!(text.contains("x-request-id:r7"), "{text}");
    assert!(!text.contains(&key), "{text}");
}

#[test]
fn alternatives_combinations_and_roles_are_kept_apart() {
    let folder = tempfile::tempdir().unwrap();
    let key = format!("x-bank-key: {}\r\n", users(folder.path()));
    let (ada, bob) = (
        password("ada", "ada's: word"),
        password("bob", "bob's: word"),
    );
    let config = || with_users(folder.path());
    let either = bank("security: [{password: []}, {key: []}]", config());
    assert!(either.lets_in(&ada) && either.lets_in(&key));
    assert!(!either.lets_in(""));
    let both = bank("security: [{password: [], key: []}]", config());
    assert!(both.lets_in(&format!("{bob}{key}")) && !both.lets_in(&bob) && !both.lets_in(&key));
    let optional = bank("security: [{password: []}, {}]", config());
    assert!(optional.lets_in(""));
    assert!(
        !optional.lets_in(&password("ada", "wrong")),
        "a wrong password is not anonymous"
    );
    let scoped = bank("security: [{password: [teller]}]", config());
    assert!(scoped.lets_in(&ada));
    let answer = scoped.get(&bob);
    assert_eq!(
        (answer.status, answer.json()["title"].as_str()),
        (403, Some("Not allowed"))
    );
}

#[test]
fn roles_are_required_for_api_and_operation() {
    let folder = tempfile::tempdir().unwrap();
    users(folder.path());
    let mut config = with_users(folder.path());
    let name = |project: &str| project.to_owned();
    let mut access = RoleAccess {
        invoke: Some(vec!["*".into()]),
        ..RoleAccess::default()
    };
    let project = project("");
    let api =
        LoadedApi::load_with(project.path(), config.security.means(), CodePage::ascii()).unwrap();
    let rule = AccessRule {
        operations: [("inquireAccount".to_owned(), vec!["teller".to_owned()])].into(),
        ..AccessRule::default()
    };
    assert!(api.has_operation("inquireAccount") && api.has_operation("GET /accounts/{number}"));
    access.apis.insert(name(api.name()), rule);
    config.security.access = access;
    let fake = Fake::default().program("ACCTINQ", |data| {
        data.commarea[8..11].copy_from_slice(b"404")
    });
    let gateway = Gateway::start(config, vec![api], fake).unwrap();
    let get = |headers: &str| send(gateway.address(), "GET", PATH, headers, "").status;
    assert_eq!(get(&password("ada", "ada's: word")), 404);
    assert_eq!(get(&password("bob", "bob's: word")), 403);
    assert_eq!(get(""), 401, "a rule makes an open API ask who calls");
    let list = |headers: &str| send(gateway.address(), "GET", "/bank/accounts", headers, "").status;
    // The program does not exist: a caller who gets 500 for it was admitted.
    assert_eq!(
        [list(&password("bob", "bob's: word")), list("")],
        [500, 401]
    );
}

#[test]
fn an_api_whose_requirement_cannot_be_enforced_is_not_served() {
    let none = SecurityConfig::default().means();
    for (security, reported) in [
        ("security: [{password: []}]", "no user store is set"),
        ("security: [{key: []}]", "no user store is set"),
        ("security: [{jwt: []}]", "no keys to check tokens are set"),
        (
            "security: [{certificate: []}]",
            "client certificates are not requested",
        ),
        (
            "security: [{digest: []}]",
            "the HTTP scheme 'digest' is not supported",
        ),
        ("security: [{pasword: []}]", "did you mean password?"),
        (
            "security: [password]",
            "password is required of callers, but a requirement must be a map",
        ),
        ("security: [null]", "a requirement must be a map"),
        (
            "security: [{password: teller}]",
            "its scopes are not a list of names",
        ),
        (
            "security: {password: []}",
            "expected a list of requirements",
        ),
        ("securty: [{password: []}]", "would not be enforced"),
        (
            "x-ibm-zcon-roles-allowed: [Staff]",
            "no authentication is configured",
        ),
        (
            "x-ibm-zcon-roles-allowed: Staff",
            "expected a list of roles",
        ),
        (
            "x-ibm-zcon-roles-alowed: [Staff]",
            "did you mean x-ibm-zcon-roles-allowed?",
        ),
    ] {
        let faults = LoadedApi::load_with(project(security).path(), none, CodePage::ascii())
            .unwrap_err()
            .to_string();
        assert!(
            faults.contains(reported) && faults.contains("openapi.yaml:8:1: error"),
            "{faults}"
        );
        assert_eq!(
            faults.matches("error").count(),
            1,
            "reported once: {faults}"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    users(folder.path());
    let means = with_users(folder.path()).security.means();
    let mixed = project("security: [{jwt: []}, {password: []}]");
    let warnings = LoadedApi::load_with(mixed.path(), means, CodePage::ascii())
        .unwrap()
        .warnings()
        .to_string();
    assert!(warnings.contains("jwt cannot be used here"), "{warnings}");
}

#[test]
fn roles_of_the_document_are_required_in_addition_to_those_of_the_settings() {
    let folder = tempfile::tempdir().unwrap();
    users(folder.path());
    let status = |bank: &Bank, who: &str| match who {
        "" => bank.get("").status,
        who => bank.get(&password(who, &format!("{who}'s: word"))).status,
    };
    let all = "x-ibm-zcon-roles-allowed: [manager, teller]";
    let guarded = bank(all, with_users(folder.path()));
    let found = ["ada", "bob", ""].map(|who| status(&guarded, who));
    assert_eq!(found, [404, 403, 401]);
    let with_roles = |roles: &[&str]| {
        let mut config = with_users(folder.path());
        let roles = roles.iter().map(|r| (*r).to_owned()).collect();
        config.security.access.invoke = Some(roles);
        let bank = bank(all, config);
        ["ada", "bob", ""].map(|who| status(&bank, who))
    };
    assert_eq!(with_roles(&["read"]), [404, 403, 401]);
    assert_eq!(
        with_roles(&["*"]),
        [404, 403, 401],
        "the settings take nothing away"
    );
    assert_eq!(with_roles(&["auditor"]), [403, 403, 401]);
    // A caller that may be anonymous must still have a role.
    let open = format!("{all}\nsecurity: [{{password: []}}, {{}}]");
    let open = bank(&open, with_users(folder.path()));
    assert_eq!(
        ["ada", "bob", ""].map(|who| status(&open, who)),
        [404, 403, 401]
    );
}

#[test]
fn the_roles_of_an_operation_stand_for_those_of_the_document() {
    let folder = tempfile::tempdir().unwrap();
    users(folder.path());
    let config = with_users(folder.path());
    let project = changed("api/openapi.yaml", |text| {
        let text = text.replacen(
            "servers:",
            "x-ibm-zcon-roles-allowed: [manager]\nservers:",
            1,
        );
        let own = "operationId: inquireAccount\n      x-ibm-zcon-roles-allowed: [teller]";
        text.replacen("operationId: inquireAccount", own, 1)
    });
    let api =
        LoadedApi::load_with(project.path(), config.security.means(), CodePage::ascii()).unwrap();
    assert_eq!(api.warnings().to_string(), "");
    let gateway = Gateway::start(config, vec![api], Fake::default()).unwrap();
    let ada = password("ada", "ada's: word");
    let get = |path: &str| send(gateway.address(), "GET", path, &ada, "").status;
    // The program does not exist: a caller who gets 500 for it was admitted.
    assert_eq!([get(PATH), get("/bank/accounts")], [500, 403]);
}

#[test]
fn health_reports_which_apis_are_not_served_and_why() {
    let bank = bank("", config());
    bank.gateway.report_unserved(vec![UnservedApi {
        api: "ledger".into(),
        reason: "there is no \"user\" store".into(),
        is_partial: false,
    }]);
    let health = send(bank.gateway.address(), "GET", "/health", "", "");
    let reported = json!([{"api": "ledger", "reason": "there is no \"user\" store"}]);
    assert_eq!(
        (health.status, &health.json()["notServed"]),
        (503, &reported)
    );
    let reason = "the API ledger is not served: there is no \"user\" store";
    assert_eq!(health.json()["reason"], reason);
    // The others are served: a balancer continues to send requests.
    let ready = send(bank.gateway.address(), "GET", "/health/ready", "", "");
    assert_eq!(ready.status, 200);
}

#[test]
fn what_must_come_by_https_is_refused_without() {
    let mut config = config();
    config.security.require_secure = true;
    let bank = bank("", config);
    let answer = bank.get("");
    assert_eq!(
        (answer.status, answer.json()["title"].as_str()),
        (403, Some("HTTPS is needed"))
    );
}

#[test]
fn a_client_with_too_many_requests_gets_a_retry_after() {
    let mut config = config();
    config.security.rate = Some(RateConfig { per_s: 1, burst: 2 });
    let bank = bank("", config);
    assert_eq!([bank.get("").status, bank.get("").status], [404, 404]);
    let refused = bank.get("");
    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("retry-after"), Some("1"));
    let metrics = send(
        bank.gateway.admin_address().unwrap(),
        "GET",
        "/metrics",
        "",
        "",
    );
    assert!(
        metrics
            .text()
            .contains("tupelo_gateway_rate_limited_total 1")
    );
}

#[test]
fn when_every_client_must_authenticate_documents_require_it_too() {
    let folder = tempfile::tempdir().unwrap();
    let key = users(folder.path());
    let mut config = with_users(folder.path());
    config.security.require_auth = true;
    let bank = bank("", config);
    let get = |path: &str, headers: &str| send(bank.gateway.address(), "GET", path, headers, "");
    assert_eq!(get(PATH, "").status, 401);
    let ways = get(PATH, "");
    let reported = ways.head.matches("www-authenticate").count();
    assert_eq!(reported, 2, "a password or a key: {}", ways.text());
    assert_eq!(get(PATH, &format!("x-api-key: {key}\r\n")).status, 404);
    assert_eq!(get("/apis", "").status, 401);
    assert_eq!(get("/apis", &password("ada", "ada's: word")).status, 200);
    assert_eq!(get("/health", "").status, 200);
    let preflight = send(
        bank.gateway.address(),
        "OPTIONS",
        PATH,
        "origin: https://a\r\n",
        "",
    );
    assert_eq!(preflight.status, 204, "browsers ask without credentials");
}

#[test]
fn the_administration_port_authenticates_its_users() {
    let folder = tempfile::tempdir().unwrap();
    users(folder.path());
    let mut config = with_users(folder.path());
    config.admin_auth = true;
    let audit = folder.path().join("audit.jsonl");
    config.observe = crate::observe::auditing(&audit);
    let bank = bank("", config);
    let admin = bank.gateway.admin_address().unwrap();
    let (ada, bob) = (
        password("ada", "ada's: word"),
        password("bob", "bob's: word"),
    );
    let ask =
        |method: &str, path: &str, headers: &str| send(admin, method, path, headers, "").status;
    assert_eq!(ask("GET", "/health/ready", ""), 200);
    assert_eq!(ask("GET", "/metrics", ""), 401);
    assert_eq!(ask("GET", "/metrics", &bob), 403);
    assert_eq!(ask("GET", "/metrics", &ada), 200);
    assert_eq!(
        ask("POST", "/tasks/1/purge", &ada),
        403,
        "reading is not operating"
    );
    assert_eq!(ask("POST", "/health", ""), 401);
    let who = send(admin, "GET", "/whoami", &ada, "").json();
    assert_eq!(
        (&who["user"], &who["mayChange"]),
        (&"ada".into(), &false.into())
    );
    drop(bank);
    // An identified caller without permission is named.
    let refused = crate::observe::records(&audit);
    let reported = |name: &str| refused.iter().map(|r| r[name].clone()).collect::<Vec<_>>();
    assert_eq!(reported("SMF123S1_HTTP_RESP_CODE"), [403, 401]);
    assert_eq!(reported("SMF123S1_USER_NAME"), ["ada", ""]);
}

#[test]
fn an_unprotected_administration_port_is_not_opened() {
    let config = GatewayConfig {
        admin: Some(([0, 0, 0, 0], 0).into()),
        ..config()
    };
    match Gateway::start(config, Vec::<LoadedApi>::new(), Fake::default()) {
        Err(StartError::OpenAdministration(address)) => assert!(address.ip().is_unspecified()),
        other => panic!("{:?}", other.map(drop)),
    }
    let folder = tempfile::tempdir().unwrap();
    users(folder.path());
    let config = GatewayConfig {
        admin: Some(([0, 0, 0, 0], 0).into()),
        ..with_users(folder.path())
    };
    let gateway = Gateway::start(config, Vec::<LoadedApi>::new(), Fake::default()).unwrap();
    let port = gateway.admin_address().unwrap().port();
    let answer = send(([127, 0, 0, 1], port).into(), "GET", "/metrics", "", "");
    assert_eq!(answer.status, 401, "from this machine too");
}

#[test]
fn settings_that_would_admit_every_client_are_rejected() {
    let reported = |security: SecurityConfig| {
        let config = GatewayConfig {
            security,
            ..config()
        };
        match Gateway::start(config, Vec::<LoadedApi>::new(), Fake::default()) {
            Err(StartError::Security(
                e @ (SecurityError::Setting { .. } | SecurityError::Keys { .. }),
            )) => e.to_string(),
            Err(StartError::Security(e @ SecurityError::Users { .. })) => e.to_string(),
            other => panic!("{:?}", other.map(drop)),
        }
    };
    let open = SecurityConfig {
        require_auth: true,
        ..SecurityConfig::default()
    };
    assert!(reported(open).contains("no method is set"));
    let missing = SecurityConfig {
        users: Some("/nowhere/users".into()),
        ..SecurityConfig::default()
    };
    assert!(reported(missing).contains("/nowhere/users"));
    let tokens = |change: fn(&mut JwtConfig)| {
        let mut security = with_tokens(KeySource::File("/nowhere/keys".into())).security;
        change(security.tokens.as_mut().unwrap());
        reported(security)
    };
    assert!(tokens(|_| ()).contains("/nowhere/keys"));
    assert!(tokens(|t| t.audiences.clear()).contains("an issuer and an audience"));
    assert!(
        tokens(|t| t.algorithms = vec!["none".into()])
            .contains("'none' is not a supported signature algorithm")
    );
    assert!(
        tokens(|t| t.keys = KeySource::Url("http://far.example/".into(), None))
            .contains("https://")
    );
}

#[test]
fn the_served_document_has_the_answers_of_the_guard() {
    let folder = tempfile::tempdir().unwrap();
    users(folder.path());
    let bank = bank("security: [{password: []}]", with_users(folder.path()));
    let document = send(bank.gateway.address(), "GET", "/apis", "", "").json();
    let at = document["apis"][0]["document"].as_str().unwrap().to_owned();
    let document = send(bank.gateway.address(), "GET", &at, "", "").json();
    let responses = &document["paths"]["/accounts/{number}"]["get"]["responses"];
    for status in ["401", "403", "429"] {
        assert!(responses[status].is_object(), "{status}: {responses}");
    }
    assert!(document["components"]["securitySchemes"]["password"].is_object());
}

#[test]
fn an_api_is_stopped_and_started_and_stays_so_over_a_reload() {
    let bank = bank("", config());
    let admin = bank.gateway.admin_address().unwrap();
    let listed = || send(admin, "GET", "/apis", "", "").json()["apis"][0].clone();
    let name = listed()["name"].as_str().unwrap().to_owned();
    let switch = |what: &str, headers: &str| {
        let path = format!("/apis/{name}/{what}");
        send(admin, "POST", &path, headers, "").status
    };
    let operator = "x-tupelo-operator: 1\r\n";
    assert_eq!(
        switch("stop", ""),
        403,
        "a page of another origin cannot do it"
    );
    for (method, path, allow) in [
        ("GET", format!("/apis/{name}/stop"), "POST"),
        ("POST", "/apis".into(), "GET, HEAD"),
        ("DELETE", "/metrics".into(), "GET, HEAD"),
    ] {
        let reported = send(admin, method, &path, operator, "");
        assert_eq!(reported.status, 405, "{method} {path}");
        assert_eq!(reported.header("allow"), Some(allow), "{method} {path}");
    }
    assert_eq!(bank.get("").status, 404);
    assert_eq!(switch("stop", operator), 200);
    let reported = bank.get("");
    assert_eq!(reported.status, 503);
    assert_eq!(reported.json()["title"], "The API is stopped");
    assert_eq!(listed()["state"], "stopped");
    let again = LoadedApi::load(bank.project.path()).unwrap();
    bank.gateway.reload(vec![again]);
    assert_eq!(bank.get("").status, 503);
    assert_eq!(switch("start", operator), 200);
    assert_eq!(bank.get("").status, 404);
    assert_eq!(
        send(admin, "POST", "/apis/none/stop", operator, "").status,
        404
    );
}
