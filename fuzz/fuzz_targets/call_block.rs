//! Any bytes are a command's block or an error; every pair of a block lies
//! within it. The same bytes are read as a date.
#![no_main]

use cics::abi::CommandBlock;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(block) = CommandBlock::parse(bytes) {
        let _ = (
            block.command(),
            block.line(),
            block.flags(),
            block.source_file(),
        );
        let _ = (block.operand_count(), block.options());
        assert!(block.pairs().count() * 4 <= bytes.len());
    }
    let _ = cics::time::parse_date_string(&String::from_utf8_lossy(bytes));
});
