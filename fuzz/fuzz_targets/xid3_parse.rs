//! Any information field is an XID, or an error, and negotiates without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sna::dlc::xid3::{XidNegotiation, Xid3};

fuzz_target!(|data: &[u8]| {
    if let Ok(xid) = Xid3::parse(data) {
        let again = Xid3::parse(&xid.emit()).expect("what was emitted is read");
        assert_eq!(
            (again.id_block, again.id_number),
            (xid.id_block, xid.id_number)
        );
        let mut negotiation = XidNegotiation::new(again);
        let _ = negotiation.handle(data);
        let _ = negotiation.handle(data);
    }
});
