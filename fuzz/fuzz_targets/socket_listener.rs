//! A client's first message, EZACICD statements, and what socket calls carry:
//! any bytes are read or refused, never a panic.
#![no_main]

use ezasoket::{ClientId, HostList, SocketName, Request, SelectResult};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    assert!(sockets::header_end(bytes).is_none_or(|end| (1..=bytes.len()).contains(&end)));
    for translate in [(true, true), (true, false), (false, true), (false, false)] {
        if let Ok(header) = sockets::parse_header(bytes, translate) {
            assert!((1..=4).contains(&header.transid.len()));
            assert!(header.data.len() <= 40);
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let made = sockets::parse_definitions(text, "APPL");
        assert!(made.mistakes.iter().all(|m| m.line > 0));
    }
    if let Ok(name) = SocketName::parse(bytes) {
        assert_eq!(SocketName::parse(&name.emit()), Ok(name));
    }
    let _ = (ClientId::parse(bytes), HostList::parse(bytes));
    let maxsoc = bytes.len() * 8;
    assert!(
        SelectResult::parse(bytes, maxsoc)
            .read
            .sockets()
            .all(|s| s < maxsoc)
    );
    let mut args = [0; 8];
    for (arg, eight) in args.iter_mut().zip(bytes.chunks_exact(8)) {
        *arg = u64::from_ne_bytes(eight.try_into().unwrap());
    }
    if let Some(request) = Request::parse(&args, Vec::new()) {
        assert_eq!(request.emit()[..6], args[..6]);
    }
});
