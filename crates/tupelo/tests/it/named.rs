//! Names of things that do not exist: in settings, definitions and mappings by
//! `tupelo check`, programs by the guide's page.

use std::path::Path;

use crate::operator::copy;
use crate::program::{run, text};
use crate::server::example;

#[test]
fn missing_resources_in_settings_and_mappings_are_reported_with_their_line() {
    let app = tempfile::tempdir().unwrap();
    copy(&example("bank"), app.path());
    let folder = app.path().to_str().unwrap();
    let get = "apis/accounts/src/main/operations/%2Faccounts%2F%7Bnumber%7D/get/request.yaml";
    let answers = get.replace("request", "response_mapping");
    let answers = answers.as_str();
    let api = "apis/accounts/src/main/api/openapi.yaml";
    for (file, old, new, expected, status) in [
        (
            get,
            "$pathParameters.number",
            "$pathParameters.nummer",
            ":9:25: error: the API's document gives this operation no path variable nummer",
            1,
        ),
        (
            get,
            "$pathParameters.number",
            "$pathParameter.number",
            "help: did you mean $pathParameters?",
            0,
        ),
        (
            "tupelo.toml",
            "applid = ",
            "code_page = \"klingon\"\napplid = ",
            "tupelo.toml:6:13: error:",
            1,
        ),
        (
            "tupelo.toml",
            "applid = ",
            "code_page = \"cp037\"\napplid = ",
            "is not supported: programs are compiled for ASCII",
            1,
        ),
        (
            "tupelo.toml",
            "[files.ACCTFILE]",
            "[gateway]\nmax_header_bytes = 100\n[files.ACCTFILE]",
            "tupelo.toml:13:20: error: max_header_bytes is 100; expected 8192 to 1048576",
            1,
        ),
        (
            "tupelo.toml",
            "[files.ACCTFILE]",
            "[gateway]\nmax_json_depth = 129\n[files.ACCTFILE]",
            "tupelo.toml:13:18: error: max_json_depth is 129; expected 1 to 128",
            1,
        ),
        (
            "tupelo.toml",
            "[files.ACCTFILE]",
            "[gateway]\ncors_origins = [\"https://shop.example/\"]\n[files.ACCTFILE]",
            "is not an origin that a browser sends: there is text after the host",
            1,
        ),
        (
            "tupelo.toml",
            "[files.ACCTFILE]",
            "[gateway]\ncors_origins = [\"*\"]\ncors_credentials = true\n[files.ACCTFILE]",
            "would let every page act as the browser's user",
            1,
        ),
        (
            "tupelo.toml",
            "[files.ACCTFILE]",
            "[gateway]\ncors_expose_headers = [\"X-Total\"]\n[files.ACCTFILE]",
            "cors_expose_headers has no effect: cors_origins is empty",
            0,
        ),
        (
            "tupelo.toml",
            "data/accounts",
            "data/acounts",
            ":15:8: error: there is no file data/acounts.jsonl",
            1,
        ),
        (
            "tupelo.toml",
            "[files.ACCTFILE]",
            "[files.ACCTFIL]",
            ":12:8: error: [files.ACCTFIL]: no DEFINE FILE",
            1,
        ),
        (
            "resources.csd",
            "KEYLENGTH(8)",
            "KEYLENGTH(90)",
            ": error: FILE(ACCTFILE): the key",
            1,
        ),
        (
            "resources.csd",
            "TRANCLASS(BANKCLS) SPURGE(YES)\n       DESCRIPTION(Inquire",
            "TRANCLASS(BANKCLZ) SPURGE(YES)\n       DESCRIPTION(Inquire",
            ": warning: TRANSACTION(BINQ): there is no TRANCLASS(BANKCLZ)",
            0,
        ),
        (
            api,
            "operationId: openAccount",
            "operationId: listAccounts",
            "warning: POST /accounts has the operationId of GET /accounts: listAccounts",
            0,
        ),
        (
            api,
            "type: integer, minimum: 0",
            "type: intger, minimum: 0",
            "type: intger is not a type, and is not checked",
            0,
        ),
        (
            api,
            "minimum: 1, maximum: 200",
            "minimum: 300, maximum: 200",
            "warning: minimum 300 is above maximum 200: no value fits",
            0,
        ),
        (
            api,
            "  title: Accounts",
            "\ttitle: Accounts",
            ":3:2: error: not well-formed YAML: a tab before the text",
            1,
        ),
        (
            get,
            "mappings:",
            "mappings",
            "a key without a colon, here or in the line before",
            1,
        ),
        (
            answers,
            "httpStatusCode: 200",
            "httpStatusCode: 202",
            "warning: the API's document has no response 202 of this operation",
            0,
        ),
        // The error is reported once, under its own name.
        (
            answers,
            "condition: '",
            "condition: '(",
            "1 error, 0 warnings",
            1,
        ),
        (
            "apis/accounts/src/main/zosAssets/ACCTINQ/zosAsset.yaml",
            "program: \"",
            "program: \"Z",
            "zosAsset.yaml:7:13: warning: API accounts: GET /bank/accounts/{number} calls ZACCTINQ",
            0,
        ),
        (
            "cobol/BANKTELL.cbl",
            "LINK PROGRAM('ACCTINQ')",
            "LINK PROGRAM('ACCTINK')",
            "BANKTELL.cbl:141:40: warning: there is no program ACCTINK: LINK, XCTL and LOAD answer PGMIDERR",
            0,
        ),
        (
            "cobol/BANKTELL.cbl",
            "RETURN TRANSID(EIBTRNID)",
            "RETURN TRANSID('BNAK')",
            "help: did you mean BANK? If not, write DEFINE TRANSACTION(BNAK)",
            0,
        ),
        (
            "cobol/BANKTELL.cbl",
            "SEND MAP('BKMENU') MAPSET('BANKSET') MAPONLY",
            "SEND MAP('BKMENX') MAPSET('BANKSET') MAPONLY",
            ":98:32: warning: there is no map BKMENX in the map set BANKSET: the task ends with ABM0",
            0,
        ),
        (
            "cobol/BANKTELL.cbl",
            "SEND MAP('BKMENU') MAPSET('BANKSET') MAPONLY",
            "SEND MAP('BKMENU') MAPSET('BANKZET') MAPONLY",
            ":98:49: warning: there is no map set BANKZET: the task ends with ABM0",
            0,
        ),
        (
            "resources.csd",
            "MAXACTIVE(50)",
            "",
            "help: write MAXACTIVE(its most tasks)",
            1,
        ),
    ] {
        let path = app.path().join(file);
        let before = std::fs::read_to_string(&path).unwrap();
        assert!(before.contains(old), "{file} has no {old}");
        std::fs::write(&path, before.replacen(old, new, 1)).unwrap();
        let done = run(&["check", folder]);
        let said = text(&done.stdout) + &text(&done.stderr);
        assert!(said.contains(expected), "{expected}: {said}");
        assert_eq!(done.status.code(), Some(status), "{expected}: {said}");
        std::fs::write(&path, before).unwrap();
    }
}

#[test]
fn the_programs_of_the_first_hours_page_are_those_that_are_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let (page, script) = (read("docs/guide/first-hour.md"), read("scripts/first-hour"));
    let blocks: Vec<&str> = page.split("```cobol\n").skip(1).collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        let (text, _) = block.split_once("```").unwrap();
        assert!(script.contains(text), "{text}");
    }
}
