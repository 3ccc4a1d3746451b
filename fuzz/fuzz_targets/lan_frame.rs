//! Any bytes are an 802.3 frame with an 802.2 PDU, or an error; what is one is
//! written as it was read. The same bytes are read as DLSw capabilities, whose
//! answer can be read in turn.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sna::dlc::caps::Exchange;
use sna::dlc::mac::Frame;
use sna::dlc::pdu::Pdu;
use sna::{LuName, ModeName, TpName};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(frame) = Frame::parse(bytes) {
        let mut again = Vec::new();
        frame.emit(&mut again);
        assert_eq!(Frame::parse(&again), Ok(frame));
        if let Ok(pdu) = Pdu::parse(frame.pdu) {
            let mut again = Vec::new();
            pdu.emit(&mut again);
            assert_eq!(Pdu::parse(&again), Ok(pdu));
        }
    }
    match Exchange::parse(bytes) {
        Ok(told) => assert_eq!(Exchange::parse(&told.encode()), Ok(told)),
        Err(wrong) => assert!(Exchange::parse(&wrong.answer().encode()).is_ok()),
    }
    let _ = LuName::from_ebcdic(bytes);
    let _ = ModeName::from_ebcdic(bytes);
    let _ = TpName::from_ebcdic(bytes);
});
