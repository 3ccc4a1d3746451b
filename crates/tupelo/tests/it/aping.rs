//! `tupelo aping` and `tupelo appc` as commands, between processes.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::node::{Node, complaint, good, send};
use crate::ports::ClosedPort;
use crate::program::{tupelo, until};

/// The numbers of a row, and the word it begins with.
fn row(line: &str) -> Option<[f64; 4]> {
    let line = line.strip_prefix("Totals:").unwrap_or(line);
    let numbers: Vec<f64> = line
        .split_whitespace()
        .map(|word| word.parse().ok())
        .collect::<Option<_>>()?;
    numbers.try_into().ok()
}

/// Whether two figures are equal except for their last printed digit.
fn close(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= b.abs() * relative + 0.051
}

#[test]
fn aping_prints_rows_whose_arithmetic_holds() {
    let node = Node::start();
    for (options, each) in [
        (
            &["-i", "5", "-c", "3", "-s", "7000"][..],
            2.0 * 3.0 * 7000.0,
        ),
        (&["-i", "2", "-c", "4", "-s", "32763", "-1"], 4.0 * 32_763.0),
        (&[], 200.0),
        (&["-m", "#BATCH", "-t", "APINGD", "-n", "-s", "1"], 2.0),
    ] {
        let printed = good(&node.aping(options));
        let rows: Vec<[f64; 4]> = printed.lines().filter_map(row).collect();
        let (total, exchanges) = rows.split_last().unwrap();
        let wanted = match options.first() {
            Some(&"-i") => options[1].parse().unwrap(),
            _ => 2,
        };
        assert_eq!(exchanges.len(), wanted, "{printed}");
        for [ms, bytes, kb, mb] in rows.iter().copied() {
            // Durations are printed to a microsecond.
            let relative = 0.0006 / ms;
            assert!(
                close(kb, bytes / 1024.0 / (ms / 1e3), relative),
                "{printed}"
            );
            assert!(close(mb, kb * 8.0 / 1000.0, 1e-4), "{printed}");
        }
        assert!(
            exchanges.iter().all(|exchange| exchange[1] == each),
            "{printed}"
        );
        let sum = |at: usize| exchanges.iter().map(|exchange| exchange[at]).sum::<f64>();
        assert_eq!(total[1], sum(1), "{printed}");
        let few = 0.001 * (wanted as f64 + 1.0);
        assert!((total[0] - sum(0)).abs() <= few, "{printed}");
        let last = printed.lines().last().unwrap();
        let columns: Vec<f64> = last
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        let least = exchanges.iter().map(|e| e[0]).fold(f64::INFINITY, f64::min);
        let most = exchanges.iter().map(|e| e[0]).fold(0.0, f64::max);
        assert_eq!((columns[0], columns[2]), (least, most), "{printed}");
        assert!(
            (columns[1] - total[0] / wanted as f64).abs() <= 0.001,
            "{printed}"
        );
    }
}

#[test]
fn the_json_of_aping_has_the_same_arithmetic() {
    let node = Node::start();
    let printed = good(&node.aping(&["--json", "-i", "3", "-s", "1000"]));
    let json: Value = serde_json::from_str(&printed).unwrap();
    let number = |value: &Value| value.as_f64().unwrap();
    let exchanges = json["exchanges"].as_array().unwrap();
    assert_eq!(exchanges.len(), 3);
    for exchange in exchanges.iter().chain([&json["total"]]) {
        let seconds = number(&exchange["duration_ms"]) / 1e3;
        let kb = number(&exchange["bytes"]) / 1024.0 / seconds;
        assert!((kb / number(&exchange["kb_per_s"]) - 1.0).abs() < 1e-9);
        assert!((kb * 8.0 / 1000.0 / number(&exchange["mb_per_s"]) - 1.0).abs() < 1e-9);
    }
    assert_eq!(json["total"]["bytes"], 6000);
    assert_eq!(json["partner_version"], "2.43");
}

#[test]
fn every_command_explains_itself_with_an_example() {
    for command in [
        "serve",
        "status",
        "modes",
        "sessions",
        "file-transfer",
        "inquiry",
    ] {
        let help = tupelo().args(["appc", command, "--help"]).output().unwrap();
        assert!(good(&help).contains("Example"), "{command}");
    }
    let help = tupelo().args(["aping", "--help"]).output().unwrap();
    assert!(good(&help).contains("Example"));
}

#[test]
fn sizes_and_counts_out_of_range_are_wrong_usage() {
    for options in [
        ["-s", "0"],
        ["-s", "32764"],
        ["-i", "0"],
        ["-i", "32768"],
        ["-c", "0"],
        ["-c", "x"],
        ["-p", "secret"],
    ] {
        let out = tupelo()
            .args(["aping", "NET.SERVER"])
            .args(options)
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(64), "{options:?}");
    }
}

#[test]
fn a_partner_without_an_address_or_a_listener_is_reported() {
    let out = tupelo().args(["aping", "NET.ABSENT"]).output().unwrap();
    assert!(complaint(&out).contains("NET.ABSENT is not known"));
    let out = tupelo()
        .args(["aping", "not a name!", "--at", "127.0.0.1"])
        .output()
        .unwrap();
    complaint(&out);
    let out = tupelo().args(["aping", "", "--at", "127.0.0.1"]).output();
    assert_eq!(out.unwrap().status.code(), Some(64));
    let out = tupelo()
        .args(["aping", "NET.SERVER", "--at", "127.0.0.1:99999"])
        .output()
        .unwrap();
    assert!(complaint(&out).contains("`99999` is not a port"), "{out:?}");
    let closed = ClosedPort::new();
    let address = closed.address();
    let out = tupelo()
        .args(["aping", "NET.SERVER", "--at", &address])
        .output()
        .unwrap();
    let error = complaint(&out);
    assert!(
        error.contains(&address) && error.contains("refused"),
        "{error}"
    );
}

#[test]
fn a_wrong_name_of_unit_mode_or_program_is_reported() {
    let node = Node::start();
    let short = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(
        short.path(),
        "[appc]\nlu = \"NET.CLIENT\"\nactivation-timeout-s = 1\n",
    )
    .unwrap();
    let config = short.path().to_str().unwrap();
    let out = tupelo()
        .args(["aping", "NET.OTHER", "--at", &node.at, "--config", config])
        .output()
        .unwrap();
    let error = complaint(&out);
    assert!(
        error.contains("NET.OTHER") && error.contains("did not answer in time"),
        "{error}"
    );
    let error = complaint(&node.aping(&["-m", "NOMODE"]));
    assert!(error.contains("NOMODE"), "{error}");
    let error = complaint(&node.aping(&["-m", "SNASVCMG"]));
    assert!(error.contains("reserved for the node"), "{error}");
    let error = complaint(&node.aping(&["-m", "MUCHTOOLONG"]));
    assert!(error.contains("MUCHTOOLONG"), "{error}");
    let error = complaint(&node.aping(&["--lu", "net.server"]));
    assert!(error.contains("both called NET.SERVER"), "{error}");
    let error = complaint(&node.aping(&["-t", "NOPE"]));
    assert!(error.contains("TpnNotRecognized (9)"), "{error}");
    for (mode, why) in [
        (&["--ru", "7"][..], "7 is not an RU size"),
        (&["--ru", "8"], "0835000A"),
    ] {
        let error = complaint(&node.aping(mode));
        assert!(error.contains(why), "{error}");
    }
    // None of that affects the next client.
    good(&node.aping(&[]));
}

#[test]
fn a_symbolic_destination_names_partner_and_mode() {
    let node = Node::start();
    let file = tempfile::NamedTempFile::new().unwrap();
    let at = &node.at;
    std::fs::write(
        file.path(),
        format!(
            "[appc]\nlu = \"NET.CLIENT\"\n[appc.partners.\"NET.SERVER\"]\naddress = \"{at}\"\n\
             [appc.side-information.NEAR]\npartner = \"NET.SERVER\"\nmode = \"#BATCH\"\ntp = \"X\"\n\
             [appc.side-information.ODD]\npartner = \"NET.SERVER\"\nmode = \"ODDMODE\"\ntp = \"X\"\n"
        ),
    )
    .unwrap();
    let config = file.path().to_str().unwrap();
    for command in [
        &["aping", "NEAR"][..],
        &["appc", "inquiry", "NEAR", "-r", "2"],
        &["appc", "file-transfer", "NEAR", "-r", "2"],
    ] {
        good(
            &tupelo()
                .args(command)
                .args(["--config", config])
                .output()
                .unwrap(),
        );
    }
    let unknown = tupelo()
        .args(["aping", "FAR", "--config", config])
        .output()
        .unwrap();
    assert!(complaint(&unknown).contains("the partner FAR is not known"));
    let odd = tupelo()
        .args(["aping", "ODD", "--config", config])
        .output()
        .unwrap();
    assert!(complaint(&odd).contains("ODDMODE"));
}

#[test]
fn users_are_checked() {
    let node = Node::configured("[appc.users]\nALICE = \"SECRET\"\n");
    good(&node.aping(&["-u", "ALICE", "-p", "SECRET"]));
    for wrong in [
        &["-u", "ALICE", "-p", "WRONG"][..],
        &["-u", "BOB", "-p", "SECRET"],
    ] {
        let error = complaint(&node.aping(wrong));
        assert!(error.contains("SecurityNotValid (6)"), "{wrong:?}: {error}");
        assert!(
            !error.contains("WRONG") && !error.contains("SECRET"),
            "{error}"
        );
    }
}

#[test]
fn a_server_killed_in_the_middle_ends_aping_with_a_message() {
    let node = Node::start();
    let running = node
        .aping_command(&["-i", "32767", "-s", "32763"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    node.wait_for_a_conversation();
    node.signal(libc::SIGKILL);
    let out = running.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(2), "{out:?}");
    let error = String::from_utf8(out.stderr).unwrap();
    // The reporter breaks lines and marks them.
    let words = error.split_whitespace().filter(|word| *word != "│");
    let error = words.collect::<Vec<_>>().join(" ");
    for part in ["ResourceFailure", &node.at, "bytes sent and"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

/// Stops the server in the middle of an exchange: after this, the client that writes `trace`
/// waits for it.
fn silence(node: &Node, client: &Child, trace: &std::path::Path) {
    let length = || std::fs::metadata(trace).map_or(0, |file| file.len());
    // A trace grows as things happen; this much is of many exchanges.
    until("exchanges", || length() > 50_000);
    node.signal(libc::SIGSTOP);
    until("the server to stop", || all_threads_are('T', &node.child));
    // The server's last data wakes the client; when the client sleeps, it has read the data.
    until("the client to wait", || all_threads_are('S', client));
}

/// Whether the system has all threads of a process in this state.
fn all_threads_are(state: char, process: &Child) -> bool {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", process.id())).unwrap();
    let stats = tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("stat")));
    // A thread that ended meanwhile has no file any more.
    let mut stats = stats.flatten();
    stats.all(|stat| stat.rsplit(')').next().unwrap().trim().starts_with(state))
}

#[test]
fn a_signal_ends_an_aping_whose_partner_has_fallen_silent() {
    let node = Node::start();
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let running = node
        .aping_command(&["-i", "32767", "--trace", trace.to_str().unwrap()])
        .stdout(std::fs::File::create(folder.path().join("out")).unwrap())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    silence(&node, &running, &trace);
    send(&running, libc::SIGINT);
    let out = running.wait_with_output().unwrap();
    let printed = std::fs::read_to_string(folder.path().join("out")).unwrap();
    assert!(printed.contains("\nTotals:"), "{printed}");
    let error = String::from_utf8(out.stderr).unwrap();
    assert!(
        error.contains("with NET.SERVER did not end within 2 s"),
        "{error}"
    );
    assert_eq!(out.status.code(), Some(0));
}

#[test]
fn a_signal_ends_a_transaction_and_what_was_measured_is_reported() {
    for (program, silent) in [("file-transfer", false), ("inquiry", true)] {
        let node = Node::start();
        let folder = tempfile::tempdir().unwrap();
        let trace = folder.path().join("trace");
        let running = tupelo()
            .args(["appc", program, "NET.SERVER", "--at", &node.at])
            .args(["-r", "100000000", "--trace"])
            .arg(&trace)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        if silent {
            silence(&node, &running, &trace)
        } else {
            until("repetitions", || {
                std::fs::metadata(&trace).is_ok_and(|file| file.len() > 500_000)
            })
        }
        send(&running, libc::SIGINT);
        let out = running.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&out.stderr);
        assert_eq!(error.contains("did not end within"), silent, "{error}");
        assert!(good(&out).contains(" on average of "), "{out:?}");
    }
}

#[test]
fn a_repetition_that_takes_longer_than_the_grace_is_no_silence_of_the_partner() {
    let node = Node::start();
    let running = tupelo()
        .args(["appc", "file-transfer", "NET.SERVER", "--at", &node.at])
        .args(["-r", "1", "--bytes", "4294967295", "--buffer", "1"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until("the transfer", || node.status()["running"] == 1);
    until("its handler", || handles(&running, libc::SIGINT));
    send(&running, libc::SIGINT);
    let error = complaint(&running.wait_with_output().unwrap());
    assert!(error.contains("did not end within 2 s"), "{error}");
    assert!(!error.contains("silent"), "{error}");
}

/// Whether a process has a handler of its own for this signal.
fn handles(process: &Child, signal: i32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let caught = status
        .lines()
        .find_map(|line| line.strip_prefix("SigCgt:\t"));
    u64::from_str_radix(caught.unwrap().trim(), 16).unwrap() >> (signal - 1) & 1 == 1
}

#[test]
fn the_server_reports_peers_that_are_no_partners() {
    use std::io::{Read, Write};
    let mut node = Node::start_with_stderr();
    let stderr = node.child.stderr.take().unwrap();
    let bad = |bytes: &[u8]| {
        let mut stream = std::net::TcpStream::connect(&node.at).unwrap();
        let from = stream.local_addr().unwrap();
        stream.write_all(bytes).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let _ = stream.read_to_end(&mut Vec::new());
        from
    };
    let garbage = bad(b"GET / HTTP/1.1\r\n\r\n");
    let half = bad(&[0x31, 72, 0, 200, 0, 0]);
    let refused = {
        let mut message = Vec::new();
        sna::dlc::caps::message(&sna::dlc::caps::Exchange::Refused(4, 6), &mut message);
        bad(&message)
    };
    // A client that only probes the port is not logged.
    let looks = bad(b"");
    for _ in 0..50 {
        bad(b"garbage");
    }
    good(&node.aping(&[]));
    node.signal(libc::SIGTERM);
    node.child.wait().unwrap();
    let mut log = String::new();
    BufReader::new(stderr).read_to_string(&mut log).unwrap();
    let of =
        |peer: std::net::SocketAddr| log.lines().find(|line| line.contains(&format!(" {peer}:")));
    assert!(of(garbage).is_some(), "{log}");
    assert!(
        of(half).unwrap().contains("in the middle of a message"),
        "{log}"
    );
    assert!(
        of(refused).unwrap().contains("rejected the capabilities"),
        "{log}"
    );
    assert_eq!(of(looks), None, "{log}");
    assert!(log.lines().count() <= 25, "{log}");
}

#[test]
fn a_trace_whose_reader_leaves_is_reported_once_and_harms_nothing() {
    let node = Node::start();
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let name = std::ffi::CString::new(pipe.to_str().unwrap()).unwrap();
    // SAFETY: `name` is a path that ends with a zero.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || {
            let mut section = [0; 4];
            let mut file = std::fs::File::open(pipe).unwrap();
            std::io::Read::read_exact(&mut file, &mut section).unwrap();
            section
        })
    };
    let out = node.aping(&["--trace", pipe.to_str().unwrap(), "-i", "200"]);
    assert_eq!(reader.join().unwrap(), [0x0A, 0x0D, 0x0D, 0x0A]);
    assert!(good(&out).contains("Totals:"));
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    let lines = error.lines().filter(|line| line.contains("trace"));
    assert_eq!(lines.count(), 1, "{error}");
}

#[test]
fn an_interrupted_aping_leaves_the_server_as_it_was() {
    let node = Node::start();
    let mut running = node
        .aping_command(&["-i", "32767", "-s", "32763"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    node.wait_for_a_conversation();
    send(&running, libc::SIGINT);
    // Before the partner answers a signal ends it, afterwards it ends by itself.
    running.wait().unwrap();
    good(&node.aping(&[]));
    // The sessions of the client that ended are gone, and so is its program.
    until("its program's end", || node.status()["running"] == 0);
}

#[test]
fn an_interrupted_aping_reports_what_it_measured() {
    let node = Node::start();
    let mut running = node
        .aping_command(&["-i", "32767", "-s", "32763"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The head is eight lines; a row shows that exchanges are in progress.
    let mut lines = BufReader::new(running.stdout.take().unwrap()).lines();
    let row = lines.nth(8).unwrap().unwrap();
    assert!(
        row.trim().starts_with(|first: char| first.is_ascii_digit()),
        "{row}"
    );
    send(&running, libc::SIGINT);
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    assert!(
        rest.iter().any(|line| line.starts_with("Totals:")),
        "{rest:?}"
    );
    assert!(running.wait().unwrap().success());
}

#[test]
fn an_interrupted_server_ends_well() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let mut node = Node::start();
        good(&node.aping(&[]));
        node.signal(signal);
        assert_eq!(node.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn status_sessions_and_modes_show_what_the_node_has() {
    let node = Node::start();
    let mut running = node
        .aping_command(&["-i", "32767", "-s", "32763"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    node.wait_for_a_conversation();
    let ask = |what: &str| {
        let out = tupelo()
            .args(["appc", what, "--admin", &node.admin])
            .output()
            .unwrap();
        good(&out)
    };
    let status = ask("status");
    assert!(
        status.starts_with(&format!("NET.SERVER  DLSw on {}", node.at)),
        "{status}"
    );
    let line = |text: &str, word: &str| -> Vec<String> {
        let found = text.lines().find(|line| line.contains(word));
        let found = found.unwrap_or_else(|| panic!("{word}: {text}"));
        found.split_whitespace().map(str::to_owned).collect()
    };
    assert!(line(&status, "127.0.0.1:").len() > 3);
    let link = status
        .lines()
        .find(|line| line.starts_with("dlsw"))
        .unwrap();
    assert!(
        link.contains("TUPELO.A") && link.ends_with("up"),
        "{status}"
    );
    let session = line(&ask("sessions"), "conversation");
    // A client without a given name has a generated one, the same in all tables.
    assert!(session[0].starts_with("TUPELO.A") && session[0].len() == 15);
    assert!(link.contains(&session[0]), "{status}");
    assert_eq!(session[1], "#INTER");
    let mode = line(&ask("modes"), "#BATCH ");
    assert_eq!(mode[..3], ["#BATCH", "1024", "1024"]);
    send(&running, libc::SIGKILL);
    running.wait().unwrap();
}

#[test]
fn without_a_node_status_says_so_and_modes_are_the_built_in_ones() {
    let closed = ClosedPort::new();
    let address = closed.address();
    for what in ["status", "sessions"] {
        let out = tupelo()
            .args(["appc", what, "--admin", &address])
            .output()
            .unwrap();
        assert!(complaint(&out).contains("appc serve"), "{what}");
    }
    let out = tupelo()
        .args(["appc", "modes", "--admin", &address])
        .output()
        .unwrap();
    assert!(good(&out).contains("SNASVCMG"));
    assert!(String::from_utf8_lossy(&out.stderr).contains("built-in"));
}

#[test]
fn a_verified_user_that_the_partner_does_not_accept_is_reported_and_one_that_it_accepts_is_sent() {
    let node = Node::configured(
        "[appc.partners.\"NET.TRUSTED\"]\ntrusted = true\n[appc.users]\nALICE = \"SECRET\"\n",
    );
    let run = |what: &[&str], lu: &[&str], user: &[&str]| {
        let mut command = tupelo();
        command.args(what).args(["NET.SERVER", "--at", &node.at]);
        let out = command.args(lu).args(user).output().unwrap();
        good(&out);
        String::from_utf8_lossy(&out.stderr).into_owned()
    };
    for what in [
        &["aping"][..],
        &["appc", "file-transfer", "-r", "1"],
        &["appc", "inquiry", "-r", "1"],
    ] {
        let error = run(what, &[], &["-u", "ALICE"]);
        assert_eq!(error.lines().count(), 1, "{error}");
        for part in ["NET.SERVER: it does not accept users", "without ALICE"] {
            assert!(error.contains(part), "{part}: {error}");
        }
        assert_eq!(run(what, &["--lu", "NET.TRUSTED"], &["-u", "ALICE"]), "");
        assert_eq!(run(what, &[], &["-u", "ALICE", "-p", "SECRET"]), "");
        assert_eq!(run(what, &[], &[]), "");
    }
}

#[test]
fn an_undefined_mode_is_reported_with_those_there_are() {
    let serve = |options: &[&str]| {
        let mut command = tupelo();
        command.args(["appc", "serve", "--listen", "127.0.0.1:0"]);
        command.args(["--admin", "127.0.0.1:0"]).args(options);
        command
    };
    let wrong = ["--mode", "NOPE", "--ru", "4096"];
    let error = complaint(&serve(&wrong).output().unwrap());
    for part in ["there is no mode NOPE", "#BATCH", "#INTER", "appc.modes"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(!error.contains("SNASVCMG"), "{error}");
    let error = complaint(&serve(&["-m", "NOPE"]).output().unwrap());
    assert!(error.contains("there is no mode NOPE"), "{error}");
    // A configuration defines one, and the options change it.
    let node = Node::configured("[appc.modes.NOPE]\nsessions = 4\n");
    let client = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(client.path(), "[appc.modes.NOPE]\n").unwrap();
    let file = client.path().to_str().unwrap();
    good(&node.aping(&["--config", file, "--mode", "NOPE", "--ru", "512"]));
    assert!(complaint(&node.aping(&["-m", "NOPE", "--ru", "512"])).contains("there is no mode"));
}

#[test]
fn a_refused_attach_is_logged_with_its_partner_and_program() {
    let mut node = Node::start_with_stderr();
    let stderr = node.child.stderr.take().unwrap();
    for tp in ["NOPE", "X'D525'"] {
        complaint(&node.aping(&["--lu", "NET.CLIENT", "-t", tp]));
    }
    node.signal(libc::SIGTERM);
    node.child.wait().unwrap();
    let mut log = String::new();
    std::io::Read::read_to_string(&mut BufReader::new(stderr), &mut log).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 2, "{log}");
    for (line, name) in lines.iter().zip(["\"NOPE\"", "X'D525'"]) {
        let expected =
            format!("an Attach of NET.CLIENT for the program {name} was rejected: 10086021");
        assert!(line.contains(&expected), "{line}");
    }
}

#[test]
fn an_attach_beyond_the_limit_of_programs_is_logged_with_its_peer() {
    let mut node = Node::configured_with_stderr("max-programs = 1\n");
    let stderr = node.child.stderr.take().unwrap();
    let mut first = node.aping_command(&["-i", "30000", "--lu", "NET.FIRST"]);
    let first = first.stdout(Stdio::null()).stderr(Stdio::null());
    let mut first = first.spawn().unwrap();
    node.wait_for_a_conversation();
    send(&first, libc::SIGSTOP);
    complaint(&node.aping(&["--lu", "NET.SECOND"]));
    first.kill().unwrap();
    first.wait().unwrap();
    node.signal(libc::SIGTERM);
    node.child.wait().unwrap();
    let mut log = String::new();
    std::io::Read::read_to_string(&mut BufReader::new(stderr), &mut log).unwrap();
    let expected = "an Attach of NET.SECOND for the program \"APINGD\" was rejected: 084B6031";
    let line = log.lines().find(|line| line.contains(expected));
    let line = line.unwrap_or_else(|| panic!("{log}"));
    assert!(line.contains("127.0.0.1:"), "{line}");
}

#[test]
fn a_device_as_configuration_and_a_fixed_window_too_wide_are_reported() {
    let node = Node::start();
    let error = complaint(&node.aping(&["--config", "/dev/zero"]));
    assert!(
        error.contains("/dev/zero") && error.contains("16 MiB"),
        "{error}"
    );
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(
        file.path(),
        "[appc.modes.\"#INTER\"]\nfixed-pacing = true\n",
    )
    .unwrap();
    let config = file.path().to_str().unwrap();
    good(&node.aping(&["--config", config, "--pacing", "63"]));
    let error = complaint(&node.aping(&["--config", config, "--pacing", "64"]));
    assert!(error.contains("0 to 63"), "{error}");
}

#[test]
fn what_answers_status_without_being_a_node_is_reported() {
    use std::io::Write;
    let node = Node::start();
    let ask = |address: &str| {
        let out = tupelo()
            .args(["appc", "status", "--admin", address])
            .output()
            .unwrap();
        complaint(&out)
    };
    // A server that closes with an unread request resets the connection.
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    let resets = std::thread::spawn(move || {
        let (stream, _) = other.accept().unwrap();
        assert_eq!(stream.peek(&mut [0]).unwrap(), 1);
    });
    assert!(ask(&address).contains("not a node's status"));
    resets.join().unwrap();
    // The DLSw port sends first, and not text. The built-in modes are printed
    // only if no node listens.
    assert!(ask(&node.at).contains("not a node's status"));
    let out = tupelo()
        .args(["appc", "modes", "--admin", &node.at])
        .output();
    assert!(complaint(&out.unwrap()).contains("not a node's status"));
    for answer in ["HTTP/1.1 200 OK\r\n\r\n{\"lu\":1}", "hello", ""] {
        let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = other.local_addr().unwrap().to_string();
        let answers = std::thread::spawn(move || {
            let (mut stream, _) = other.accept().unwrap();
            // The request is read first, so that nothing is reset.
            let mut request = BufReader::new(stream.try_clone().unwrap()).lines();
            while request
                .next()
                .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
            {}
            stream.write_all(answer.as_bytes()).unwrap();
        });
        assert!(ask(&address).contains("not a node's status"), "{answer:?}");
        answers.join().unwrap();
    }
}

#[test]
fn a_silent_client_keeps_no_other_from_the_status() {
    let node = Node::start();
    let silent = [0; 8].map(|_| std::net::TcpStream::connect(&node.admin).unwrap());
    // With a thread for all, each would be waited for five seconds.
    assert_eq!(node.status()["lu"], "NET.SERVER");
    drop(silent);
}

#[test]
fn a_port_that_is_taken_is_reported() {
    let node = Node::start();
    let out = tupelo()
        .args([
            "appc",
            "serve",
            "--listen",
            &node.at,
            "--admin",
            "127.0.0.1:0",
        ])
        .output()
        .unwrap();
    assert!(complaint(&out).contains(&node.at));
}

#[test]
fn the_two_transactions_report_their_figures() {
    let node = Node::start();
    let run = |args: &[&str]| -> Value {
        let out = tupelo()
            .arg("appc")
            .args(args)
            .args(["NET.SERVER", "--at", &node.at, "--json"])
            .output()
            .unwrap();
        serde_json::from_str(&good(&out)).unwrap()
    };
    let transfer = run(&["file-transfer", "-r", "3"]);
    assert_eq!(
        (&transfer["bytes"], &transfer["repetitions"]),
        (&100_000.into(), &3.into())
    );
    let rate = 100_000.0 * 8.0 / 1e6 / transfer["average_s"].as_f64().unwrap();
    assert!((rate / transfer["mb_per_s"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    let inquiry = run(&["inquiry", "-r", "50"]);
    assert_eq!(
        (&inquiry["bytes"], &inquiry["repetitions"]),
        (&200.into(), &50.into())
    );
    for wrong in [
        &["inquiry", "--request", "3"][..],
        &["inquiry", "--reply", "40000"],
        &["file-transfer", "--buffer", "0"],
        &["file-transfer", "--buffer", "32764"],
        &["file-transfer", "--bytes", "0"],
        &["file-transfer", "-r", "0"],
    ] {
        let out = tupelo()
            .arg("appc")
            .args(wrong)
            .args(["NET.SERVER", "--at", &node.at])
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(64), "{wrong:?}");
    }
}
