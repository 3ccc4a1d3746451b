//! Any address that a script calls, or that settings allow, is taken apart or
//! refused, and none is called that is not allowed.
#![no_main]

use std::path::Path;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use script::{FetchConfig, FetchRequest, Fetcher};

fuzz_target!(|input: (&str, &str)| {
    let (allowed, asked) = input;
    if allowed.starts_with("https:") {
        // Certificates would be read again and again.
        return;
    }
    let config = FetchConfig {
        allow: vec![allowed.to_owned()],
        ..FetchConfig::default()
    };
    let Ok(fetcher) = Fetcher::new(&config, Path::new(".")) else {
        return;
    };
    let request = FetchRequest {
        method: "GET".into(),
        url: asked.to_owned(),
        ..FetchRequest::default()
    };
    // The call begins when it is waited for, which nobody does here.
    if Arc::new(fetcher).fetch(request).is_ok() {
        assert!(asked.to_ascii_lowercase().starts_with("http:"));
    }
});
