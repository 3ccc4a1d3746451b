//! Any text is a task list, a trace and a formatted packet trace as far as it
//! can be read, never a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let tasks = capture::join::parse_tasks(text);
    let trace = capture::join::parse_trace(text);
    if let Some(account) = capture::join::reconcile(&tasks.tasks, &trace.receives, None, &[]) {
        let _ = account.to_string();
    }
    let packets = capture::ipcs::parse(text);
    let file = capture::ipcs::to_pcap(&packets);
    let _ = capture::explain(file.as_slice(), &capture::AnalysisOptions::default());
});
