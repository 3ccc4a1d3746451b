//! Any text is a statement that is rewritten, or a problem with its place; the
//! same text is read as definitions.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sql::{NoCatalog, NoHostVariables, RewriteOptions, Statement, rewrite};

fuzz_target!(|text: &str| {
    let options = RewriteOptions::default();
    for parsed in [Statement::parse(text), Statement::parse_dynamic(text)] {
        if let Ok(mut statement) = parsed {
            statement.number_inputs(&[]);
            if !statement.body.is_empty() {
                let _ = rewrite(&statement, &NoCatalog, &NoHostVariables, &options);
            }
        }
    }
    let _ = sql::ddl::apply(text, &options);
});
