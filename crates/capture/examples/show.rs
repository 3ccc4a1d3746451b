//! temporary
fn main() {
    for name in std::env::args().skip(1) {
        let bytes = match capture::synth::planted(&name) {
            Some(p) => (p.make)(),
            None => std::fs::read(&name).unwrap(),
        };
        let e = capture::explain(bytes.as_slice(), &capture::Options::default()).unwrap();
        println!("=== {name}");
        for c in &e.causes {
            println!(
                "cause {} n={} cost={:.3} stalled={:.3}",
                c.rule,
                c.count,
                c.cost_ns as f64 / 1e6,
                c.stalled_ns as f64 / 1e6
            );
        }
        for f in &e.findings {
            println!("  {} {:?} {:?} {}", f.rule, f.confidence, f.packets, f.text);
        }
        for s in &e.services {
            println!(
                "svc {} conns {} opened {} single {} tls {} resumed {} reused {} ex {} {:?}",
                s.port,
                s.connections,
                s.opened,
                s.single_exchange,
                s.tls,
                s.tls_resumed,
                s.ports_reused,
                s.exchanges,
                s.protocol
            );
        }
        for x in e.exchanges.iter().take(3) {
            println!(
                "exchange {} idx {} {} {:?} total {:.3}",
                x.id,
                x.index,
                x.label,
                x.split.phases,
                x.total_ns() as f64 / 1e6
            );
            for g in &x.gaps {
                println!(
                    "   gap {}..{} {:.3} ms {:?} {:?}",
                    g.before,
                    g.after,
                    (g.to_ns - g.from_ns) as f64 / 1e6,
                    g.phase,
                    g.rule
                );
            }
            for s in x.segments.iter().filter(|s| s.marks.0 & !(1 << 22) != 0) {
                println!(
                    "      {} {:?} seq {} ack {} len {} win {} {:?}",
                    s.packet,
                    s.from,
                    s.seq,
                    s.ack,
                    s.len,
                    s.window,
                    s.marks.names().collect::<Vec<_>>()
                );
            }
        }
    }
}
