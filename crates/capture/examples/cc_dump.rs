//! dump
fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap();
    let threads = args.next().and_then(|t| t.parse().ok()).unwrap_or(1);
    let brief = args.next().is_some();
    let options = capture::Options {
        threads,
        ..Default::default()
    };
    let t = std::time::Instant::now();
    let e = capture::explain_file(path.as_ref(), &options).unwrap();
    let d = t.elapsed().as_secs_f64();
    eprintln!(
        "{:.3} s {:.0} MB/s {:.0} kpkt/s",
        d,
        e.capture.bytes as f64 / d / 1e6,
        e.capture.packets as f64 / d / 1e3
    );
    if brief {
        println!(
            "{}",
            serde_json::to_string_pretty(&(&e.capture, &e.totals, &e.causes, &e.services)).unwrap()
        );
        return;
    }
    println!("{}", serde_json::to_string_pretty(&e).unwrap());
}
