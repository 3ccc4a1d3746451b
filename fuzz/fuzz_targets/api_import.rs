//! Any copybook beside any program is a project or a list of diagnostics, never
//! a panic. The two are parted by a line of `%`.
#![no_main]

use gateway::{ImportRequest, ImportBook, ImportNames, NameStyle, Redefines};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (copybook, program) = text.split_once("\n%\n").unwrap_or((text, ""));
    let book = ImportBook {
        file: "BOOK.cpy".into(),
        container: None,
        text: copybook.to_owned(),
        source: None,
    };
    let _ = gateway::import(&ImportRequest {
        name: "any".into(),
        program: "PROGRAM".into(),
        names: ImportNames {
            style: NameStyle::Camel,
            prefix: None,
        },
        redefines: Redefines::All,
        program_text: Some(program.to_owned()),
        request: vec![book.clone()],
        response: vec![book],
        ..ImportRequest::default()
    });
});
