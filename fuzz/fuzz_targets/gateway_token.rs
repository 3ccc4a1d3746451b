//! Tokens, the keys that they are checked by, user stores and client
//! certificates: whatever the bytes, nothing panics and no token is taken that
//! no key has signed.
#![no_main]

use gateway::security::{fuzz_token, users::UserStore};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let middle = data.iter().position(|b| *b == 0).unwrap_or(data.len());
    let (keys, rest) = data.split_at(middle);
    let text = String::from_utf8_lossy(rest);
    fuzz_token(keys, text.trim_start_matches('\0'));
    let _ = tls::common_name(rest);
    let _ = tls::Certificate::parse(rest);
    if let Ok(users) = UserStore::parse(&text) {
        let again = UserStore::parse(&users.text()).expect("what was written is read");
        assert_eq!(users.text(), again.text());
    }
});
