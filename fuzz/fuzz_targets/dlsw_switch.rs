//! Any stream is read by a DLSw switch or refused, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sna::dlc::caps::{SwitchCapabilities, Exchange, message};
use sna::dlc::ssp::{SspMessage, largest_frame_code};
use sna::dlc::switch::{DlswSwitch, SwitchConfig, SwitchEvent};

fuzz_target!(|data: &[u8]| {
    let mut switch = DlswSwitch::new(SwitchConfig {
        capabilities: SwitchCapabilities::default(),
        mac: [0; 6],
        saps: vec![4],
        largest_frame: largest_frame_code(4472),
        widest_window: 8,
        max_circuits: 8,
        setup_ns: 100,
    });
    let mut stream = Vec::new();
    message(&Exchange::Request(SwitchCapabilities::default()), &mut stream);
    message(&Exchange::Accepted, &mut stream);
    stream.extend_from_slice(data);
    let (mut rest, mut now, mut out) = (&stream[..], 0, Vec::new());
    while let Ok(Some((message, used))) = SspMessage::parse(rest) {
        now += 10;
        if switch.handle(now, &message).is_err() {
            return;
        }
        while let Some(event) = switch.poll_event() {
            if let SwitchEvent::Contact(id) = event {
                switch
                    .circuit(id)
                    .into_iter()
                    .for_each(|circuit| circuit.contacted());
            }
        }
        switch.poll_transmit(&mut out);
        switch.handle_timeout(now);
        out.clear();
        rest = &rest[used..];
    }
});
