//! Declarations of a project take effect, or are reported when the project is
//! loaded; and a missing answer is not a success.

use crate::client::send;
use crate::fake::{Data, Fake};
use crate::load::{changed, copy};
use crate::{config, example, start};
use gateway::{Gateway, LoadedApi};

/// The findings of the bank's API with its document changed.
fn reported(from: &str, to: &str) -> String {
    let folder = changed("api/openapi.yaml", |text| {
        assert!(text.contains(from), "there is no {from}");
        text.replacen(from, to, 1)
    });
    match LoadedApi::load(folder.path()) {
        Ok(api) => api.warnings().to_string(),
        Err(faults) => faults.to_string(),
    }
}

#[test]
fn declarations_that_are_not_supported_are_reported() {
    let operation = |more: &str| {
        reported(
            "operationId: listAccounts",
            &format!("operationId: listAccounts\n      {more}"),
        )
    };
    let cases = [
        (operation("callbacks: {}"), "callbacks are never called"),
        (
            operation("servers: [{url: /x}]"),
            "only the document's own servers count",
        ),
        (
            operation("sumary: x"),
            "sumary is not a keyword of an Operation Object",
        ),
        (
            reported("- url: /bank", "- url: /bank\n- url: /other"),
            "only the path of the first counts",
        ),
        (
            reported("in: query", "in: query\n        style: deepObject"),
            "style deepObject",
        ),
        (
            reported("openapi: 3.0.3", "openapi: 3.0.3\nwebhooks: {}"),
            "webhooks: it came with OpenAPI 3.1",
        ),
        (
            reported(
                "required: true\n        content:\n          application/json:",
                "required: true\n        content:\n          text/csv: {}\n          application/json:",
            ),
            "text/csv: bodies are JSON",
        ),
        (
            reported(
                "operationId: listAccounts",
                "operationId: listAccounts\n      x-anything: true",
            ),
            "",
        ),
    ];
    for (reported, expected) in cases {
        match expected {
            "" => assert_eq!(reported, ""),
            expected => assert!(reported.contains(expected), "{expected}: {reported}"),
        }
        assert!(!reported.contains("error:"), "{reported}");
    }
}

#[test]
fn a_path_into_the_body_that_the_document_does_not_have_is_reported() {
    let folder = changed("operations/%2Faccounts/post/request.yaml", |text| {
        assert!(text.contains("$body.holder"), "{text}");
        text.replace("$body.holder", "$body.hodler")
    });
    let warnings = LoadedApi::load(folder.path())
        .unwrap()
        .warnings()
        .to_string();
    assert!(warnings.contains("gives $body no hodler"), "{warnings}");
    assert!(warnings.contains("did you mean holder?"), "{warnings}");
}

#[test]
fn a_container_that_never_comes_is_an_error_that_names_it() {
    let silent = |data: &mut Data| drop(data.containers.remove("REQUEST-DATA"));
    let gateway = start(
        "perfchannel/apis",
        Fake::default().program("PFPADCON", silent),
    );
    let answer = send(
        gateway.address(),
        "PUT",
        "/perfchannel/response/5",
        "",
        "{}",
    );
    assert_eq!(answer.status, 500, "{}", answer.text());
    let problem = answer.json();
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("RESPONSE-DATA"), "{problem}");
    assert!(detail.contains("there is LEN-TO-RETURN"), "{problem}");
    assert!(
        problem["errors"]
            .to_string()
            .contains("\"container\":\"RESPONSE-DATA\""),
        "{problem}"
    );
}

#[test]
fn the_administration_port_sends_the_page_and_its_requests_to_the_gateway() {
    let bank = start("bank/apis", Fake::default());
    let admin = bank.admin_address().unwrap();
    let gateway = format!("http://x:{}", bank.address().port());
    for path in ["/docs/", "/docs"] {
        let answer = send(admin, "GET", path, "", "");
        assert_eq!(answer.status, 302, "{path}");
        assert_eq!(
            answer.header("location").unwrap(),
            format!("{gateway}/docs/")
        );
    }
    let document = send(admin, "GET", "/apis/accounts/openapi.json", "", "").json();
    assert_eq!(document["servers"][0]["url"], format!("{gateway}/bank"));
}

#[test]
fn a_project_with_a_mistake_leaves_the_others_alone() {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("bank/apis/accounts"), &folder.path().join("good"));
    copy(
        &example("perfchannel/apis/perfchannel"),
        &folder.path().join("bad"),
    );
    let document = folder.path().join("bad/src/main/api/openapi.yaml");
    std::fs::write(document, "openapi: 3.0.3\n").unwrap();
    let all = LoadedApi::load_each(
        folder.path(),
        Default::default(),
        copybook::CodePage::ascii(),
    );
    let names: Vec<(&str, bool)> = all.iter().map(|(n, l)| (n.as_str(), l.is_ok())).collect();
    assert_eq!(names, [("bad", false), ("good", true)]);
    let good: Vec<LoadedApi> = all.into_iter().filter_map(|(_, l)| l.ok()).collect();
    let gateway = Gateway::start(config(), good, Fake::default()).unwrap();
    assert_eq!(
        send(gateway.address(), "GET", "/apis", "", "").json()["apis"][0]["name"],
        "good"
    );
}

#[test]
fn a_copybook_that_changed_since_the_import_is_an_error() {
    let application = tempfile::tempdir().unwrap();
    let project = application.path().join("apis/accounts");
    copy(&example("bank/apis/accounts"), &project);
    copy(
        &example("bank/copybooks"),
        &application.path().join("copybooks"),
    );
    let asset = project.join("src/main/zosAssets/ACCTINQ");
    let copies = "version: 1\ncopybooks:\n  ACCTINQ-AREA_request_0.cpy: copybooks/ACCTINQ.cpy\n";
    std::fs::write(asset.join("sources.yaml"), copies).unwrap();
    let check = || {
        let api = LoadedApi::load(&project).unwrap();
        api.check_sources(application.path(), &[application.path().join("copybooks")])
    };
    assert_eq!(check().to_string(), "");
    let source = application.path().join("copybooks/ACCTINQ.cpy");
    let text = std::fs::read_to_string(&source).unwrap();
    std::fs::write(&source, text.replacen("PIC S9(11)V99", "PIC S9(10)V999", 1)).unwrap();
    let found = check();
    assert!(found.has_errors(), "{found}");
    let text = found.to_string();
    assert!(text.contains("copybooks/ACCTINQ.cpy:"), "{text}");
    assert!(text.contains("was PIC S9(11)V99"), "{text}");
    assert!(
        text.contains("tupelo api import accounts --update"),
        "{text}"
    );
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(64))]
    #[test]
    fn no_document_panics(
        version in "(openapi: 3\\.0\\.3|openapi: 3\\.1\\.0|swagger: '2\\.0')",
        lines in "(( {0,8})(paths|/a|get|security|servers|components|schemas|content|style|in|type|parameters|responses|callbacks|\\$ref|items|allOf|- [a-z]{0,3}|x-y): ?(\\[\\]|\\{\\}|\\[\\{\\}\\]|1|true|'#/components'|deepObject|null)?\n){0,12}",
    ) {
        let folder = changed("api/openapi.yaml", |_| format!("{version}\n{lines}"));
        let _ = LoadedApi::load(folder.path()).map(|api| api.warnings().to_string());
    }
}

#[test]
fn an_asset_for_the_eib_only_runs_under_the_mirror() {
    let folder = changed("zosAssets/ACCTINQ/zosAsset.yaml", |text| {
        text.replacen("EIB_AND_MIRROR", "EIB_ONLY", 1)
    });
    let api = LoadedApi::load(folder.path()).unwrap();
    assert!(
        !api.transactions(|_| true).contains(&"BINQ"),
        "no definition is needed"
    );
    let fake = Fake::default().program("ACCTINQ", |data: &mut Data| {
        assert_eq!(
            (data.transid.as_str(), data.eib_transid.as_str()),
            ("CSMI", "BINQ")
        );
        data.commarea[8..11].copy_from_slice(b"404");
    });
    let gateway = Gateway::start(config(), vec![api], fake).unwrap();
    let answer = send(gateway.address(), "GET", "/bank/accounts/1", "", "");
    assert_eq!(answer.status, 404, "{}", answer.text());
}

#[test]
fn an_unknown_key_of_a_file_is_reported() {
    let reported = |file: &str, from: &str, to: &str| {
        let folder = changed(file, |text| text.replacen(from, to, 1));
        LoadedApi::load(folder.path())
            .unwrap()
            .warnings()
            .to_string()
    };
    let asset = "zosAssets/ACCTINQ/zosAsset.yaml";
    let text = reported(asset, "  connectionRef", "  conectionRef");
    assert!(
        text.contains("zosAsset.yaml:") && text.contains("did you mean connectionRef?"),
        "{text}"
    );
    let text = reported(asset, "version:", "audit: x\nversion:");
    assert!(
        text.contains("unknown key audit, which is ignored"),
        "{text}"
    );
    let mapping = "operations/%2Faccounts%2F%7Bnumber%7D/get/response_mapping.yaml";
    let text = reported(
        mapping,
        "  httpStatusCode: 200",
        "  httpStatusCode: 200\n  header: x",
    );
    assert!(
        text.contains("response_mapping.yaml:") && text.contains("unknown key header"),
        "{text}"
    );
    assert!(
        reported("config/options.yaml", "provider", "secure: yes\nprovider").contains("secure")
    );
}
