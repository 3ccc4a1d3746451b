//! Any frames leave an LLC2 station in one of its states, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sna::dlc::llc2::{Config, LinkStation};

fuzz_target!(|data: &[u8]| {
    let mut station = LinkStation::new(Config::default());
    station.set_listening(true);
    let (mut now, mut out) = (0, Vec::new());
    for frame in data.split(|byte| *byte == 0xFE) {
        now += 40_000_000;
        let mut pdu = vec![4, 4 | frame.first().map_or(0, |byte| byte & 1)];
        pdu.extend(frame.iter().skip(1));
        station.handle_pdu(now, &pdu);
        station.handle_timeout(now);
        let _ = station.send(vec![0; 10]);
        while station.poll_transmit(now, &mut out) {}
        while station.poll_event().is_some() {}
        assert!(station.outstanding() <= usize::from(station.config().window));
        out.clear();
    }
});
