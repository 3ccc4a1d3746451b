//! gen
fn main() {
    let mut args = std::env::args().skip(1);
    let kind = match args.next().unwrap().as_str() {
        "many" => capture::synth::Bulk::ManyFlows,
        "few" => capture::synth::Bulk::FewFlows,
        _ => capture::synth::Bulk::Lossy,
    };
    let mb: u64 = args.next().unwrap().parse().unwrap();
    let to = std::io::BufWriter::new(std::fs::File::create(args.next().unwrap()).unwrap());
    println!("{:?}", capture::synth::bulk(kind, mb << 20, 7, to).unwrap());
}
