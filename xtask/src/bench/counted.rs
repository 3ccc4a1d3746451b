//! What each bench counts, on our side and on the peer's.
//!
//! A ratio says nothing when one side is spared a part of the work, so every row
//! carries this sentence: in the JSON as `counted`, and above the rows in text.

/// A bench's name, and what is counted.
const COUNTED: &[(&str, &str)] = &[
    (
        "sql",
        "time of a statement, unit or row in a loop, from the first after the connection was made; the peer runs the same statements through libpq on the same server and socket",
    ),
    (
        "appc-bulk",
        "bytes of the application over the time of a transfer with its confirmation; plain TCP: the same buffers and one byte back",
    ),
    (
        "appc-inquiry",
        "time from the request to the whole reply, 100 bytes each; plain TCP: the same bytes over one socket",
    ),
    (
        "appc-sessions-memory",
        "resident memory of each process after less before, over the sessions; no peer",
    ),
    (
        "appc-piu",
        "time of one call over a million calls in one thread; no peer",
    ),
    (
        "appc-ring",
        "events of the model over the time of its thread; no peer",
    ),
    (
        "capture-many-flows",
        "bytes of the file over the time of a process from its start to its end, both sides; the tshark rows read a tenth of the file on both sides",
    ),
    (
        "capture-few-flows",
        "bytes of the file over the time of a process from its start to its end, both sides; the tshark rows read a tenth of the file on both sides",
    ),
    (
        "capture-lossy",
        "bytes of the file over the time of a process from its start to its end, both sides; the tshark rows read a tenth of the file on both sides",
    ),
    (
        "copybook-decode",
        "bytes of records over the time of a process that reads, converts and writes them on one thread, both sides; the peer is the library copybook-codec in a program of its own",
    ),
    (
        "copybook-encode",
        "bytes of records over the time of a process that reads, converts and writes them on one thread, both sides; the peer is the library copybook-codec in a program of its own",
    ),
    (
        "copybook-accepted",
        "copybooks of one folder that each side takes",
    ),
    (
        "drive-cpu",
        "CPU of the driver's process, opening of connections and warm-up included, over its answers, every driver alike",
    ),
    (
        "drive-constant",
        "gaps between arrivals as one and the same server sees them; response times are those that each driver prints",
    ),
    (
        "drive-stall",
        "the p99 that a driver prints of its run; arithmetic: the share of requests that were due during the standstill",
    ),
    (
        "drive-theory",
        "mean response that the driver measures against the queue's formula with the path's time added",
    ),
    (
        "drive-many",
        "memory of the driver's process at its greatest, and lateness as it measures it",
    ),
    (
        "exec-time",
        "time of a call in a task by the clock of the program; peers: the system's own calls",
    ),
    (
        "exec",
        "requests a second and CPU of region and worker together; peers: a pipe, a function call and LMDB alone, in one process",
    ),
    (
        "gateway-idle",
        "resident memory of the server after less before, over its connections; no peer",
    ),
    (
        "gateway-mapping",
        "CPU of all server processes over their requests; the peer is the same server with mappings of fields",
    ),
    (
        "gateway-remote",
        "CPU of gateway, region and workers together over their requests; the peer has them in one process",
    ),
    (
        "gateway-secure",
        "CPU of all server processes over their requests; the peer is the same server without the feature",
    ),
    (
        "gateway",
        "answers a second, and CPU of all processes of the server, workers included, over them; the driver is not counted, and both sides get the same requests",
    ),
    (
        "script-link",
        "answers a second, and CPU of all processes of the server over them, both sides",
    ),
    (
        "script-engine",
        "time of a call in one thread; the engine's start is counted with the fresh realm alone",
    ),
    (
        "sockets-memory",
        "resident memory of the region after less before, over its connections; no peer",
    ),
    (
        "sockets",
        "CPU of the region, its helper threads and its workers over the messages; with offload the threads of general engines alone, and of the bare server its whole process",
    ),
    (
        "terminal-cpu",
        "CPU of all processes of the server over the answers of the run, both sides; one in a hundred answers is of the way to the inquiry and back",
    ),
    (
        "terminal-rate",
        "time from the key to the unlocked keyboard, as the load driver measures it; no peer",
    ),
    (
        "terminal-idle",
        "resident memory of the server's own process after less before, over its terminals; no peer",
    ),
    (
        "terminal-bytes",
        "bytes of the record that SEND MAP writes, without Telnet; the peer is command, WCC, IC and for each field SBA, SF or SFE and its data",
    ),
    (
        "terminal-maps",
        "time of one thread to read the source, lay out its maps and write their copybook; no peer",
    ),
    (
        "web-echo",
        "answers a second, and CPU of all processes of the server over them, both sides",
    ),
    (
        "web-converse",
        "time of a call by the clock of the program; the peer is a client without a region over the same connection",
    ),
    (
        "web-soap-codec",
        "bytes of XML over the time of one thread; the peer only reads or writes the same XML",
    ),
    (
        "web-soap-provider",
        "CPU of all processes of the server over their requests; the peer is REST for the same program",
    ),
];

/// What a bench counts on both sides.
pub fn on_both_sides(bench: &str) -> &'static str {
    let known = COUNTED.iter().find(|(name, _)| *name == bench);
    known.map_or("", |(_, what)| what)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_bench_says_what_it_counts() {
        for bench in super::super::BENCHES.iter().flat_map(|group| group.iter()) {
            assert_ne!(super::on_both_sides(bench.name), "", "{}", bench.name);
        }
    }
}
