//! Messages between a job's process and a region: any bytes, in any pieces.
#![no_main]

use batch::region_files::{FrameBuffer, JobRequest, Response};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut stream = data;
    let mut frames = FrameBuffer::default();
    while let Ok(Some(frame)) = frames.next(&mut stream) {
        if let Some(ask) = JobRequest::parse(frame) {
            let mut again = Vec::new();
            ask.emit(&mut again);
            assert_eq!(JobRequest::parse(&again[4..]), Some(ask));
        }
        let _ = Response::parse(frame);
    }
});
