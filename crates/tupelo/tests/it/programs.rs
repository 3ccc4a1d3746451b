//! Programs behave as on CICS where a compiler's habit could show.

use crate::server::{Server, application};

#[test]
fn items_after_a_table_of_varying_length_move_with_its_counter() {
    let text = include_str!("../../testdata/programs/programs/VARYING.cbl");
    let app = application(&[("cobol/HELLO.cbl", text)]);
    let server = Server::start(app.path());
    assert_eq!(server.get("/hello/x").json()["greeting"], "FOLLOW");
}

#[test]
fn a_program_after_another_in_its_source_can_be_called() {
    let text = include_str!("../../testdata/programs/programs/FOLLOW.cbl");
    let app = application(&[("cobol/HELLO.cbl", text)]);
    let server = Server::start(app.path());
    let greeting = &server.get("/hello/x").json()["greeting"];
    assert!(
        greeting.as_str().unwrap().starts_with("CALLED"),
        "{greeting}"
    );
}

#[test]
fn an_asset_for_the_eib_only_runs_under_the_mirror_and_shows_its_own_transaction() {
    let program = include_str!("../../testdata/programs/programs/MIRROR.cbl");
    let asset = |usage: &str| {
        format!(
            "---
version: 1.0
type: \"cicsCommarea-1.0\"
providerProperties:
  language: \"COBOL\"
  program: \"HELLO\"
  connectionRef: \"cicsConn\"
  ccsid: \"037\"
  transid: \"HELO\"
  transidUsage: \"{usage}\"
"
        )
    };
    let path = "apis/hello/src/main/zosAssets/HELLO/zosAsset.yaml";
    let settings = "[region]\napplid = \"HELLORGN\"\nmonitoring = \"records.jsonl\"\n";
    for (usage, transid) in [("EIB_ONLY", "CSMI"), ("EIB_AND_MIRROR", "HELO")] {
        let app = application(&[
            ("cobol/HELLO.cbl", program),
            (path, &asset(usage)),
            ("tupelo.toml", settings),
        ]);
        let server = Server::start(app.path());
        let answer = server.get("/hello/x");
        let greeting = answer.json()["greeting"].as_str().unwrap().to_owned();
        assert!(greeting.starts_with("HELO/"), "{usage}: {greeting}");
        let state = server.stop();
        let records = [app.path(), state.path()]
            .iter()
            .find_map(|at| std::fs::read_to_string(at.join("records.jsonl")).ok());
        let records = records.expect("the region writes records");
        let record: serde_json::Value =
            serde_json::from_str(records.lines().last().unwrap()).unwrap();
        assert_eq!(record["transid"], transid, "{usage}: {record}");
    }
}
