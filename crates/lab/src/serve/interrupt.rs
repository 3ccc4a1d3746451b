//! Ctrl-C while servers of the laboratory run: the experiment ends as one that
//! failed does, so that its servers are stopped and its folders removed. A
//! second one ends the command at once.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// The stop flag of the driver and of every wait; Ctrl-C sets it.
pub fn stop_flag() -> &'static AtomicBool {
    SET.call_once(|| {
        // If another handler is installed already, it handles Ctrl-C.
        let _ = ctrlc::set_handler(|| {
            if STOP.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
        });
    });
    &STOP
}

/// Whether Ctrl-C was pressed.
pub fn interrupted() -> bool {
    stop_flag().load(Ordering::SeqCst)
}

static SET: Once = Once::new();
static STOP: AtomicBool = AtomicBool::new(false);
