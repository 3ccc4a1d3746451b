//! Any address that is called, or that settings allow, is taken apart or
//! refused, and none is called that is not allowed.
#![no_main]

use fetch::{HttpFetcher, Request, FetchSettings};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (allowed, asked) = input;
    if allowed.starts_with("https:") {
        // Certificates would be read again and again.
        return;
    }
    let settings = FetchSettings {
        allow: vec![allowed.to_owned()],
        ..FetchSettings::default()
    };
    let Ok(fetcher) = HttpFetcher::new(&settings) else {
        return;
    };
    let request = Request {
        method: "GET".into(),
        url: asked.to_owned(),
        ..Request::default()
    };
    // The call begins when it is waited for, which nobody does here.
    if fetcher.fetch(request).is_ok() {
        assert!(asked.to_ascii_lowercase().starts_with("http:"));
    }
});
