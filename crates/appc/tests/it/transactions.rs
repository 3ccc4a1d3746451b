//! File transfer and inquiry between two nodes.

use crate::support::{client, client_with, server, server_with};
use appc::config::ModeConfig;
use appc::transactions::{FILE_TRANSFER, INQUIRY, file_transfer, inquiry};
use appc::{AllocateRequest, AppcConfig};

#[test]
fn a_file_goes_through_with_one_confirmation_a_time() {
    let server = server("NET.SERVER");
    let client = client("NET.CLIENT", &server);
    let call = AllocateRequest::new("NET.SERVER", FILE_TRANSFER).with_mode("#BATCH");
    let timing = file_transfer(&client, &call, 100_000, 32_000, 5).unwrap();
    assert_eq!((timing.repetitions.len(), timing.bytes), (5, 100_000));
}

#[test]
fn an_inquiry_gets_the_reply_it_requests() {
    let server = server("NET.SERVER");
    let client = client("NET.CLIENT", &server);
    let call = AllocateRequest::new("NET.SERVER", INQUIRY);
    let timing = inquiry(&client, &call, 100, 100, 50).unwrap();
    assert_eq!(timing.bytes, 200);
    inquiry(&client, &call, 4, 30_000, 3).unwrap();
    assert!(inquiry(&client, &call, 3, 10, 1).is_err());
}

#[test]
fn large_units_and_windows_carry_a_megabyte() {
    let mode = ModeConfig {
        ru_bytes: Some(16_384),
        pacing: Some(32),
        ..ModeConfig::default()
    };
    let mut config = AppcConfig::named("NET.SERVER").unwrap();
    config.modes.insert("#BATCH".into(), mode);
    let server = server_with(config.clone());
    config.lu = "NET.CLIENT".into();
    let client = client_with(config, &server);
    let call = AllocateRequest::new("NET.SERVER", FILE_TRANSFER).with_mode("#BATCH");
    file_transfer(&client, &call, 1_000_000, 32_000, 3).unwrap();
    let session = client
        .status()
        .sessions
        .into_iter()
        .find(|session| session.mode == "#BATCH");
    assert_eq!(session.unwrap().ru_bytes, (16_384, 16_384));
}
