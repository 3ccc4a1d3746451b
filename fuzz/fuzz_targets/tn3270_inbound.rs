//! A terminal's record in the server's parser: fields, queries and terminal
//! types are taken or refused, never a panic, and no field is lost.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tn3270::stream::{InboundRecord, QuerySummary, plain_data};
use tn3270::telnet::{BindImage, Header, ExtendedNegotiation, device};

fuzz_target!(|bytes: &[u8]| {
    let _ = Header::parse(bytes);
    let _ = BindImage::parse(bytes);
    let _ = QuerySummary::collect(bytes);
    let _ = device::parse_terminal_type(bytes);
    if let Some(negotiation) = ExtendedNegotiation::parse(bytes) {
        let mut out = Vec::new();
        negotiation.emit(&mut out);
        assert_eq!(ExtendedNegotiation::parse(&out), Some(negotiation));
    }
    let Ok(record) = InboundRecord::parse(bytes, 1920) else {
        return;
    };
    let mut length = 0;
    for field in record.fields() {
        length += field.data.len() + if field.address.is_some() { 3 } else { 0 };
        let mut plain = Vec::new();
        plain_data(field.data, &mut plain);
        assert!(plain.len() <= field.data.len());
    }
    if let InboundRecord::Fields { data, .. } = record {
        assert_eq!(length, data.len());
    }
});
