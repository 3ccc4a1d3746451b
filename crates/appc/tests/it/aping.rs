//! APING between two nodes.

use crate::support::{client, client_with, server, server_with};
use appc::aping::{self, ApingOptions};
use appc::{AllocateRequest, AppcConfig, Error, NodeHost};
use sna::conversation::code::ReturnCode;

#[test]
fn an_echo_comes_back_whole() {
    let server = server("NET.SERVER");
    let client = client("NET.CLIENT", &server);
    let mut options = ApingOptions::new("NET.SERVER");
    options.iterations = 3;
    options.consecutive = 4;
    options.size = 5000;
    let report = aping::run(&client, &options, |_| true).unwrap();
    assert_eq!(report.exchanges.len(), 3);
    assert_eq!(report.exchanges[0].bytes, 2 * 4 * 5000);
    assert_eq!(report.version, (2, 43));
    assert_eq!(report.system.as_deref(), Some("Linux (Tupelo)"));
}

#[test]
fn the_largest_record_and_one_way_go_through() {
    let server = server("NET.SERVER");
    let client = client("NET.CLIENT", &server);
    let mut options = ApingOptions::new("NET.SERVER");
    options.size = 32_763;
    options.consecutive = 5;
    aping::run(&client, &options, |_| true).unwrap();
    options.one_way = true;
    let report = aping::run(&client, &options, |_| true).unwrap();
    assert_eq!(report.exchanges[0].bytes, 5 * 32_763);
}

#[test]
fn small_frames_are_segmented_and_fixed_pacing_keeps_going() {
    let modes = r##"
        lu = "NET.NODE"
        max-btu-bytes = 265
        [modes."#INTER"]
        ru-bytes = 1024
        pacing = 2
        fixed-pacing = true
    "##;
    let mut config: AppcConfig = toml::from_str(modes).unwrap();
    let server = server_with(config.clone());
    config.lu = "NET.CLIENT".into();
    let client = client_with(config, &server);
    let mut options = ApingOptions::new("NET.NODE");
    options.size = 30_000;
    let report = aping::run(&client, &options, |_| true).unwrap();
    assert_eq!(report.total().bytes, 120_000);
}

#[test]
fn many_conversations_at_once_keep_apart() {
    let server = server("NET.SERVER");
    let client = client("NET.CLIENT", &server);
    std::thread::scope(|scope| {
        for number in 0..12 {
            let client = client.clone();
            scope.spawn(move || {
                let mut options = ApingOptions::new("NET.SERVER");
                options.size = 100 + number * 997;
                options.iterations = 20;
                let report = aping::run(&client, &options, |_| true).unwrap();
                assert_eq!(report.exchanges.len(), 20);
            });
        }
    });
    let status = server.status();
    assert_eq!(status.attached, 12);
    assert!(
        status
            .sessions
            .iter()
            .filter(|session| session.mode == "#INTER")
            .count()
            <= 8
    );
    assert_eq!(status.links.len(), 1);
}

#[test]
fn a_program_that_is_not_there_is_named_by_its_code() {
    let server = server("NET.SERVER");
    let client = client("NET.CLIENT", &server);
    let mut options = ApingOptions::new("NET.SERVER");
    options.call.tp = "NOTHERE".into();
    let error = aping::run(&client, &options, |_| true).unwrap_err();
    assert_eq!(error.code(), Some(ReturnCode::TpnNotRecognized), "{error}");
    // The session serves the next conversation.
    aping::run(&client, &ApingOptions::new("NET.SERVER"), |_| true).unwrap();
}

#[test]
fn a_user_is_checked_and_a_wrong_password_refused() {
    let mut config = AppcConfig::named("NET.SERVER").unwrap();
    config.users.insert("ALICE".into(), "SECRET".into());
    let server = server_with(config);
    let client = client("NET.CLIENT", &server);
    let mut options = ApingOptions::new("NET.SERVER");
    options.call.user = Some(("ALICE".into(), Some("SECRET".into())));
    aping::run(&client, &options, |_| true).unwrap();
    options.call.user = Some(("ALICE".into(), Some("WRONG".into())));
    let error = aping::run(&client, &options, |_| true).unwrap_err();
    assert_eq!(error.code(), Some(ReturnCode::SecurityNotValid), "{error}");
}

#[test]
fn an_absent_partner_and_an_unknown_one_are_distinguished() {
    let client = NodeHost::start(AppcConfig::named("NET.CLIENT").unwrap()).unwrap();
    let unknown = client
        .allocate(&AllocateRequest::new("NET.ABSENT", "APINGD"))
        .err();
    assert!(
        matches!(unknown, Some(Error::UnknownPartner(_))),
        "{unknown:?}"
    );
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    client
        .define_partner("NET.GONE", &address.to_string())
        .unwrap();
    let gone = client
        .allocate(&AllocateRequest::new("NET.GONE", "APINGD"))
        .err();
    assert!(matches!(gone, Some(Error::Connect { .. })), "{gone:?}");
}

#[test]
fn another_station_of_the_switch_is_not_answered() {
    let server = server("NET.SERVER");
    let mut config = AppcConfig::named("NET.CLIENT").unwrap();
    config.activation_timeout_s = 1;
    let client = NodeHost::start(config).unwrap();
    let at = server.listening().unwrap().to_string();
    client.define_partner("NET.OTHER", &at).unwrap();
    let error = client
        .allocate(&AllocateRequest::new("NET.OTHER", "APINGD"))
        .err();
    assert!(matches!(error, Some(Error::Link { .. })), "{error:?}");
}
