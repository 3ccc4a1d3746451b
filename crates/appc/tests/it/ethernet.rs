//! LLC2 over a raw socket on the loopback interface; skipped without CAP_NET_RAW.

use appc::aping::{self, Options};
use appc::config::PartnerConfig;
use appc::{AppcConfig, Error, Host};

fn on_loopback(lu: &str, mac: &str) -> Option<Host> {
    let mut config = AppcConfig::named(lu).unwrap();
    config.interface = Some("lo".into());
    config.mac = Some(mac.into());
    match Host::start(config) {
        Ok(host) => Some(host),
        Err(Error::Socket(why)) => {
            assert!(why.contains("CAP_NET_RAW"), "{why}");
            println!("skipped: {why}");
            None
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn aping_goes_over_llc2() {
    // Token-ring order; the frames carry the bits of each byte turned round.
    let process = std::process::id() as u16;
    let (here, there) = (
        format!("4000{process:04x}0001"),
        format!("4000{process:04x}0002"),
    );
    let (Some(server), Some(client)) = (
        on_loopback("NET.SERVER", &there),
        on_loopback("NET.CLIENT", &here),
    ) else {
        return;
    };
    aping::define(&server).unwrap();
    let turned: String = (0..6)
        .map(|at| u8::from_str_radix(&there[2 * at..2 * at + 2], 16).unwrap())
        .map(|byte| format!("{:02x}", byte.reverse_bits()))
        .collect();
    let partner = PartnerConfig {
        ethernet: true,
        mac: Some(turned),
        ..PartnerConfig::default()
    };
    client.define_partner_as("NET.SERVER", partner).unwrap();
    let mut options = Options::new("NET.SERVER");
    options.size = 20_000;
    options.iterations = 5;
    let report = aping::run(&client, &options, |_| {}).unwrap();
    assert_eq!(report.total().bytes, 200_000);
    let status = client.status();
    assert!(status.links[0].kind.starts_with("llc2"), "{status:?}");
    assert!(status.links[0].up);
}
