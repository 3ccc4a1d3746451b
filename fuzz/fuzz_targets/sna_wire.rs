//! Every parser of SNA formats, on arbitrary bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sna::wire::{
    bind, cnos, dfc, fmh5, fmh7, gds, ipm, piu, ps_header, security, unbind, user_data,
};

fuzz_target!(|bytes: &[u8]| {
    let _ = piu::Packet::parse(bytes);
    if let Ok(repr) = bind::Repr::parse(bytes) {
        assert!(bind::Repr::parse(&repr.emit()).is_ok());
    }
    let _ = user_data::UserData::parse(bytes);
    let _ = unbind::Repr::parse(bytes);
    let _ = dfc::Repr::parse(bytes);
    let _ = ipm::Repr::parse(bytes);
    let _ = fmh5::Repr::parse(bytes).map(|(repr, _)| repr.emit());
    let _ = fmh7::Repr::parse(bytes);
    let _ = gds::Packet::parse(bytes);
    let _ = gds::parse_pip(bytes);
    let _ = cnos::Repr::parse(bytes);
    let _ = ps_header::Repr::parse(bytes);
    let _ = security::AccessSecurity::parse(bytes);
});
