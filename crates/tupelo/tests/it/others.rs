//! Other clients of a server while a limit is reached: requests without
//! pause by one client, their response times and how many failed.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::server::Server;

/// Fewest requests of the others, so that a brief attack has figures.
const FEWEST: usize = 20;

/// The requests of the others while an attack ran.
#[derive(Default)]
pub struct OtherClients {
    ms: Vec<f64>,
    /// Answers other than 200.
    pub errors: usize,
}

impl OtherClients {
    /// Requests a path until `attack` returns. Returns the attack's result and the figures.
    pub fn during<R>(server: &Server, path: &str, attack: impl FnOnce() -> R) -> (R, OtherClients) {
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let asking = scope.spawn(|| {
                let mut others = OtherClients::default();
                while others.ms.len() < FEWEST || !is_over.load(Ordering::SeqCst) {
                    let began = Instant::now();
                    if server.get(path).status != 200 {
                        others.errors += 1;
                    }
                    others.ms.push(began.elapsed().as_secs_f64() * 1e3);
                }
                others.ms.sort_by(f64::total_cmp);
                others
            });
            let over = IsOver(&is_over);
            let result = attack();
            drop(over);
            (result, asking.join().expect("the others"))
        })
    }

    /// The response time that 99 % of the requests did not exceed, milliseconds.
    fn p99_ms(&self) -> f64 {
        let at = self.ms.len() * 99 / 100;
        self.ms.get(at).or(self.ms.last()).copied().unwrap_or(0.0)
    }
}

impl fmt::Display for OtherClients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "others: {} answers, {} errors, p99 {:.1} ms",
            self.ms.len(),
            self.errors,
            self.p99_ms()
        )
    }
}

/// Ends the other client also if the attack's assertions fail.
struct IsOver<'a>(&'a AtomicBool);

impl Drop for IsOver<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
