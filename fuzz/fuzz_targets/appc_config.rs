//! Any text is an [appc] section with partners, modes, users and CPI-C side
//! information, or an error; one that is found right has a mode table, an
//! identification and a station for each partner.
#![no_main]

use appc::AppcConfig;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(mut config) = toml::from_str::<AppcConfig>(text) else {
        return;
    };
    if config.validate().is_err() {
        return;
    }
    assert!(config.mode_table().is_ok() && config.node_id().is_ok());
    for (name, partner) in &config.partners {
        assert!(partner.station_mac(name).is_ok());
    }
    config.tune("#INTER", Some(1024), Some(7));
    let _ = config.validate();
});
