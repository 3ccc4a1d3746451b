//! Projects with mistakes: all are reported together, with their places.

use crate::example;
use gateway::LoadedApi;
use std::path::Path;

/// A copy of the bank's API with one file changed.
pub fn changed(file: &str, change: impl Fn(&str) -> String) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&example("bank/apis/accounts"), folder.path());
    let path = folder.path().join("src/main").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, change(&text)).unwrap();
    folder
}

pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target)
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn faults(file: &str, from: &str, to: &str) -> String {
    let folder = changed(file, |text| {
        assert!(text.contains(from), "{file} has no {from}");
        text.replacen(from, to, 1)
    });
    match LoadedApi::load(folder.path()) {
        Ok(api) => format!("loaded\n{}", api.warnings()),
        Err(faults) => faults.to_string(),
    }
}

const GET: &str = "operations/%2Faccounts%2F%7Bnumber%7D/get";

#[test]
fn the_bank_loads_without_a_word() {
    let api = LoadedApi::load(&example("bank/apis/accounts")).unwrap();
    assert_eq!(api.warnings().to_string(), "");
    assert_eq!((api.name(), api.base_path()), ("accounts", "/bank"));
    assert_eq!(api.operations().count(), 5);
    assert!(api.transactions(|_| true).contains(&"BLST"));
}

#[test]
fn each_mistake_has_its_file_line_and_fix() {
    let text = faults(&format!("{GET}/request.yaml"), "INQ-NUMBER", "INQ-NUMBR");
    assert!(
        text.contains("request.yaml:8:11: error: ACCTINQ-AREA has no INQ-NUMBR"),
        "{text}"
    );
    assert!(text.contains("did you mean INQ-NUMBER?"), "{text}");
    let text = faults(
        &format!("{GET}/response_200.yaml"),
        "\"INQ-KIND\"",
        "\"INQ-KINDS\"",
    );
    assert!(text.contains("response_200.yaml:11:21: error:"), "{text}");
    let text = faults(&format!("{GET}/response_200.yaml"), "$trim(", "$trim((");
    assert!(text.contains("not a JSONata expression"), "{text}");
    let text = faults(&format!("{GET}/operation.yaml"), "ACCTINQ", "ACCTNIQ");
    assert!(
        text.contains("no asset ACCTNIQ") && text.contains("mean ACCTINQ?"),
        "{text}"
    );
    let text = faults("zosAssets/ACCTINQ/zosAsset.yaml", "program: ", "pogram: ");
    assert!(text.contains("names no program"), "{text}");
    let cpy = "zosAssets/ACCTINQ/providerFiles/gen/ACCTINQ-AREA_request_0.cpy";
    let text = faults(cpy, "PIC 9(8)", "PIC Q(8)");
    assert!(text.contains("_request_0.cpy:2:"), "{text}");
    let text = faults("api/openapi.yaml", "openapi: 3.0.3", "openapi: 3.2.0");
    assert!(
        text.contains(
            "openapi.yaml:1:10: error: OpenAPI 3.2.0 is not supported; use 2.0, 3.0 or 3.1"
        ),
        "{text}"
    );
}

#[test]
fn a_dangling_reference_is_reported_with_its_place_and_the_nearest_name() {
    let document = "api/openapi.yaml";
    for (from, to, place, meant) in [
        (
            "schemas/Account'}",
            "schemas/Acount'}",
            ":66:",
            "schemas/Account?",
        ),
        (
            "responses/Problem'}",
            "responses/Problm'}",
            ":34:",
            "responses/Problem?",
        ),
        (
            "parameters/Number'",
            "parameters/Numbr'",
            ":60:",
            "parameters/Number?",
        ),
    ] {
        let text = faults(document, from, to);
        assert!(text.contains(&format!("openapi.yaml{place}")), "{text}");
        assert!(text.contains("error: $ref: no #/components/"), "{text}");
        assert!(
            text.contains(&format!("did you mean #/components/{meant}")),
            "{text}"
        );
    }
    let text = faults(
        document,
        "'#/components/schemas/Account'",
        "'common.yaml#/Account'",
    );
    assert!(
        text.starts_with("loaded") && text.contains("common.yaml#/Account is not followed"),
        "{text}"
    );
}

#[test]
fn a_copybook_of_several_records_is_reported_with_their_names() {
    let cpy = "zosAssets/ACCTINQ/providerFiles/gen/ACCTINQ-AREA_request_0.cpy";
    let text = faults(cpy, "       01", "       01  OTHER-AREA PIC X.\n       01");
    assert!(
        text.contains("describes 2 records: OTHER-AREA, ACCTINQ-AREA"),
        "{text}"
    );
    assert!(text.contains("a file of its own"), "{text}");
}

#[test]
fn an_operation_without_a_folder_is_served_with_a_warning() {
    let folder = changed("api/openapi.yaml", |text| text.to_string());
    std::fs::remove_dir_all(folder.path().join("src/main").join(GET)).unwrap();
    let api = LoadedApi::load(folder.path()).unwrap();
    assert!(
        api.warnings().to_string().contains("is answered with 501"),
        "{}",
        api.warnings()
    );
}

#[test]
fn two_apis_may_not_serve_one_path() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        copy(&example("bank/apis/accounts"), &folder.path().join(name));
    }
    let text = LoadedApi::load_all(folder.path()).unwrap_err().to_string();
    assert!(
        text.contains("GET /bank/accounts is also served by the API a"),
        "{text}"
    );
}

#[test]
fn an_asset_of_another_kind_costs_its_operation_alone() {
    for (from, to, why) in [
        (
            "cicsCommarea-1.0",
            "imsTransaction-1.0",
            "asset type 'imsTransaction-1.0' is not supported",
        ),
        ("COBOL", "PLI", "PLI programs are not supported"),
    ] {
        let text = faults("zosAssets/ACCTINQ/zosAsset.yaml", from, to);
        assert!(text.starts_with("loaded") && text.contains(why), "{text}");
    }
    let text = faults(
        "zosAssets/ACCTINQ/zosAsset.yaml",
        "cicsCommarea-1.0",
        "cicsComarea-1.0",
    );
    assert!(text.contains("did you mean cicsCommarea-1.0?"), "{text}");
    let text = faults("zosAssets/ACCTINQ/zosAsset.yaml", "EIB_AND_MIRROR", "EIB");
    assert!(text.contains("unknown transidUsage 'EIB'"), "{text}");
}

#[test]
fn further_copybooks_of_an_asset_do_no_harm() {
    let gen_folder = "zosAssets/ACCTINQ/providerFiles/gen";
    let folder = changed("api/openapi.yaml", str::to_string);
    let main = folder.path().join("src/main");
    let other = main.join(gen_folder).join("OTHER-AREA_request_0.cpy");
    std::fs::write(
        &other,
        "       01  OTHER-AREA.\n           05  X  PIC X(9).\n",
    )
    .unwrap();
    let text = LoadedApi::load(folder.path()).unwrap_err().to_string();
    assert!(
        text.contains("one request record, but there are 2"),
        "{text}"
    );
    assert!(text.contains("name the copybook in request.dai"), "{text}");
    let schema = r#"{"properties": {"commarea": {"properties": {"ACCTINQ-AREA": {}}}}}"#;
    std::fs::write(main.join(gen_folder).join("requestSchema.json"), schema).unwrap();
    LoadedApi::load(folder.path()).unwrap_or_else(|faults| panic!("{faults}"));
    std::fs::remove_file(main.join(gen_folder).join("requestSchema.json")).unwrap();
    let provider = main.join("zosAssets/ACCTINQ/providerFiles");
    let dai = r#"<message><structure file="/a/b/ACCTINQ-AREA_request_0.cpy"/></message>"#;
    std::fs::write(provider.join("request.dai"), dai).unwrap();
    LoadedApi::load(folder.path()).unwrap_or_else(|faults| panic!("{faults}"));
    let dai = r#"<message><field name="ACCTINQ-AREA"/></message>"#;
    std::fs::write(provider.join("request.dai"), dai).unwrap();
    LoadedApi::load(folder.path()).unwrap_or_else(|faults| panic!("{faults}"));
}

#[test]
fn impossible_answers_are_reported() {
    let file = format!("{GET}/response_mapping.yaml");
    let text = faults(&file, "\"RESULT-CODE\" = 404", "\"INQ-KIND\" = \"CURRENT\"");
    assert!(text.starts_with("loaded"), "{text}");
    let why = "the condition never holds: ACCTINQ-AREA.INQ-KIND always has 8 characters";
    assert!(text.contains(why), "{text}");
    let folder = changed(&file, |text| {
        let last = "response_500.yaml:\n  condition: true\n  httpStatusCode: 500\n";
        let others = text.replace(last, "");
        others.replace("version: 1.0\n", &format!("version: 1.0\n{last}"))
    });
    let api = LoadedApi::load(folder.path()).unwrap();
    let text = api.warnings().to_string();
    assert!(
        text.contains("response_404.yaml is never the answer"),
        "{text}"
    );
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(24))]
    #[test]
    fn no_mapping_panics(text in "(version: 1\nmappings:\n)?([ a-zA-Z$.\"'{}:-]{0,12}\n){0,8}") {
        for file in ["request.yaml", "response_200.yaml", "response_mapping.yaml"] {
            let folder = changed(&format!("{GET}/{file}"), |_| text.clone());
            let _ = LoadedApi::load(folder.path());
        }
    }
}
