//! Any path can be a route or says why not, and any request's path finds its
//! route or none, without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use script::{Route, ScriptRoutes};

fuzz_target!(|data: (Vec<&str>, &str)| {
    let (paths, asked) = data;
    let routes = paths.iter().filter_map(|p| Route::new(p, "s.js", "T").ok());
    let routes = ScriptRoutes::new(routes.collect());
    if let Some(found) = routes.find(asked) {
        assert!(asked.starts_with('/') && !found.route.path.is_empty());
    }
});
