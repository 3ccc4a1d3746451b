//! Any text is a set of maps with diagnostics; every map can be written as a
//! copybook, painted and laid out.
#![no_main]

use bms::{MapLayout, OccursForm, cobol_copybook, paint, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = bms::source_text(bytes);
    let source = parse(&text);
    for diagnostic in &source.diagnostics {
        assert!(diagnostic.line > 0 && diagnostic.column > 0);
    }
    for set in &source.sets {
        cobol_copybook(set, OccursForm::Assembler);
        cobol_copybook(set, OccursForm::Rehosted);
        for map in &set.maps {
            paint(map);
            let layout = MapLayout::new(map);
            let ends = layout.fields.iter().filter_map(|f| {
                f.symbolic
                    .map(|at| at + layout.data_start() + f.data_bytes())
            });
            assert!(ends.max().unwrap_or(0) <= layout.symbolic_bytes);
        }
    }
});
