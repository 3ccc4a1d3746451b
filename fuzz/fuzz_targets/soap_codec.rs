//! Any text as the body of a message, any bytes as its record.

#![no_main]

use libfuzzer_sys::fuzz_target;
use soap::xml::NamespaceScopes;

fuzz_target!(|data: &[u8]| {
    let copybook = include_str!("../record.cpy");
    let (structure, _) = soap::wsdl::structure_of(copybook, "r", "urn:r").expect("it is valid");
    let codec = soap::XmlCodec::build(&structure, &Default::default()).expect("it compiles");
    let mut out = Vec::new();
    let mut record = data.to_vec();
    record.resize(codec.max_len(), b'0');
    if codec.decode(&record, &mut out).is_ok() {
        let text = String::from_utf8(out).expect("what is written is UTF-8");
        if let Err(error) = codec.encode(&text, NamespaceScopes::new()) {
            // The bytes of a binary number hold more than its picture says.
            assert!(error.to_string().contains("too large"), "{error}");
        }
    }
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = codec.encode(text, NamespaceScopes::new());
        let _ = codec.encode(&format!("<r xmlns='urn:r'>{text}</r>"), NamespaceScopes::new());
    }
});
