//! Formulas of queueing theory for a server of known capacity, to check the driver.
//!
//! Reference: Kleinrock, "Queueing Systems" volume 1: M/M/c (Erlang C), M/G/1
//! (Pollaczek and Khinchine).

/// The probability that an arrival has to wait for one of `servers` servers, by
/// Erlang's C formula. `erlangs` is the offered load (arrival rate × mean service
/// time). Returns 1 at and beyond capacity.
pub fn erlang_c(servers: u32, erlangs: f64) -> f64 {
    let c = f64::from(servers);
    if erlangs >= c {
        return 1.0;
    }
    // Erlang B by its recursion, then C from it: no factorials.
    let blocked = (1..=servers).fold(1.0, |b, k| erlangs * b / (f64::from(k) + erlangs * b));
    blocked / (1.0 - erlangs / c * (1.0 - blocked))
}

/// Mean response time of M/M/c in the unit of `service`. Returns `None` at and
/// beyond capacity.
pub fn mmc_response(servers: u32, rate: f64, service: f64) -> Option<f64> {
    let spare = f64::from(servers) / service - rate;
    (spare > 0.0).then(|| service + erlang_c(servers, rate * service) / spare)
}

/// The fraction of M/M/c's responses that take longer than `time`.
pub fn mmc_beyond(servers: u32, rate: f64, service: f64, time: f64) -> Option<f64> {
    let mu = 1.0 / service;
    let spare = f64::from(servers) * mu - rate;
    if spare <= 0.0 {
        return None;
    }
    let waits = erlang_c(servers, rate * service);
    let gap = spare - mu;
    let served = (-mu * time).exp();
    // Response = service + (with chance C) an exponential wait of rate `spare`.
    let both = if gap.abs() < 1e-9 * mu {
        served * (1.0 + mu * time)
    } else {
        (spare * served - mu * (-spare * time).exp()) / gap
    };
    Some((1.0 - waits) * served + waits * both)
}

/// Mean response time of M/D/1 in the unit of `service`. Returns `None` at and
/// beyond capacity.
pub fn md1_response(rate: f64, service: f64) -> Option<f64> {
    let load = rate * service;
    (load < 1.0).then(|| service + load * service / (2.0 * (1.0 - load)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textbook_values() {
        // M/M/1 at 80 %: the mean is service ÷ (1 − load).
        assert!((mmc_response(1, 80.0, 0.01).unwrap() - 0.05).abs() < 1e-12);
        assert!((erlang_c(2, 1.0) - 1.0 / 3.0).abs() < 1e-12);
        assert!((md1_response(80.0, 0.01).unwrap() - 0.03).abs() < 1e-12);
        assert_eq!(md1_response(100.0, 0.01), None);
        // M/M/1's response is exponential with that mean.
        let beyond = mmc_beyond(1, 80.0, 0.01, 0.05).unwrap();
        assert!((beyond - (-1.0f64).exp()).abs() < 1e-12, "{beyond}");
    }
}
