//! Scenario files from text to traffic.

use crate::peers::{carry_out, plan, read_request, serve};
use drive::scenario::{json_schema, read, reference};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

#[test]
fn captures_feeders_and_checks_work_together() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let address = serve(move |mut stream| {
        while let Some(request) = read_request(&mut stream) {
            log.lock()
                .unwrap()
                .push(request.lines().next().unwrap().to_owned());
            let body = r#"{"token":{"id":42}}"#;
            let head = format!(
                "HTTP/1.1 200 OK\r\nX-Next: seven\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all((head + body).as_bytes());
        }
    });
    let plan = plan(&format!(
        r#"
base = "http://{address}"
[feeders.account]
sequence = {{ first = 5, step = 5 }}
[[population]]
name = "users"
clients = 1
iterations = 2
[[population.step]]
name = "login"
request = "GET /login/{{{{account.value}}}}"
capture = {{ id = {{ json = "/token/id" }}, next = {{ header = "x-next" }} }}
contains = "token"
[[population.step]]
name = "use"
request = "GET /use/{{{{id}}}}/{{{{next}}}}?i={{{{iteration}}}}"
matches = '"id":\d\d\d'
"#
    ));
    let outcome = carry_out(&plan);
    let record = &outcome.total.populations[0];
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "GET /login/5 HTTP/1.1",
            "GET /use/42/seven?i=0 HTTP/1.1",
            "GET /login/10 HTTP/1.1",
            "GET /use/42/seven?i=1 HTTP/1.1",
        ]
    );
    assert_eq!(record.measured.answered, 4);
    assert_eq!(
        (record.measured.checks_failed, record.steps[1].errors),
        (2, 2)
    );
}

#[test]
fn a_run_that_ends_by_iterations_has_no_warm_up_with_a_duration_either() {
    let of = |head: &str| {
        plan(&format!(
            "base = \"http://127.0.0.1:1\"\n{head}[[population]]\nname = \"users\"\nclients = 1\n\
             iterations = 2\n[[population.step]]\nrequest = \"GET /\"\n"
        ))
    };
    assert_eq!(of("duration = \"5s\"\n").warmup_ns, 0);
    assert_eq!(of("").warmup_ns, 0);
    assert_eq!(
        of("duration = \"5s\"\nwarmup = \"2s\"\n").warmup_ns,
        2_000_000_000
    );
}

#[test]
fn raw_sockets_send_framed_messages_in_pieces() {
    let address = serve(|mut stream| {
        let mut length = [0; 2];
        while stream.read_exact(&mut length).is_ok() {
            let mut message = vec![0; usize::from(u16::from_be_bytes(length)) - 2];
            if stream.read_exact(&mut message).is_err() {
                return;
            }
            let mut answer = ((message.len() + 2) as u16).to_be_bytes().to_vec();
            answer.extend(message.iter().rev());
            let _ = stream.write_all(&answer);
        }
    });
    let outcome = carry_out(&plan(&format!(
        r#"
[[population]]
name = "raw"
clients = 3
iterations = 30
sockets = {{ main = "tcp://{address}" }}
[[population.step]]
socket = "main"
send = "hello {{{{client}}}}"
frame = {{ length = 2, inclusive = true }}
contains = "olleh"
writes = [1, 3]
write_pause = "100us"
"#
    )));
    let sum = outcome.sum().measured;
    assert_eq!((sum.answered, sum.checks_failed), (30, 0));
}

#[test]
fn an_answer_may_come_on_a_second_socket() {
    // The receiver's connection announces itself; answers to the sender's
    // messages go out on it.
    let receivers: Arc<Mutex<Vec<std::net::TcpStream>>> = Arc::default();
    let known = receivers.clone();
    let back = serve(move |stream| known.lock().unwrap().push(stream));
    let front = serve(move |mut stream| {
        let mut message = [0; 4];
        while stream.read_exact(&mut message).is_ok() {
            // The receiver connects before it is sent for.
            for _ in 0..10_000_000 {
                if let Some(receiver) = receivers.lock().unwrap().first_mut() {
                    let _ = receiver.write_all(&message);
                    break;
                }
                std::thread::yield_now();
            }
        }
    });
    let outcome = carry_out(&plan(&format!(
        r#"
[[population]]
name = "dual"
clients = 1
iterations = 20
sockets = {{ out = "tcp://{front}", in = "tcp://{back}" }}
[[population.step]]
socket = "out"
receive_from = "in"
send = "ping"
frame = {{ fixed = 4 }}
"#
    )));
    assert_eq!(outcome.sum().measured.answered, 20);
}

#[test]
fn all_mistakes_are_reported_at_once_with_their_places() {
    let text = r#"titel = "x"
warmup = "5 parsecs"
[loop]
n = []
[[population]]
name = "a"
clients = 0
outstanding = 4
[[population.step]]
request = "GET"
status = ["9xx"]
[[population.step]]
request = "GET http://127.0.0.1/{{who}}"
matches = "("
[[population]]
name = "a"
[[population.step]]
socket = "nowhere"
send = "${nothing}"
frame = { length = 3 }
"#;
    let mistakes = read(text, Path::new(".")).unwrap_err();
    let places: Vec<String> = mistakes
        .iter()
        .map(|m| {
            format!(
                "{}:{} {}",
                m.line,
                m.column,
                m.message
                    .split_whitespace()
                    .take(2)
                    .collect::<Vec<_>>()
                    .join(" ")
            )
        })
        .collect();
    for expected in [
        "1:1 there is",
        "2:10 `5 parsecs`",
        "4:1 the loop",
        "7:11 clients is",
        "8:1 `outstanding` can",
        "10:11 write the",
        "11:11 a status",
        "13:11 `who` is",
        "14:11 not a",
        "15:1 a population",
        "18:10 this population",
        "19:8 there is",
    ] {
        assert!(
            places.iter().any(|p| p.starts_with(expected)),
            "{expected} in {places:#?}"
        );
    }
    assert!(read("a = [", Path::new(".")).is_err());
}

#[test]
fn what_is_not_used_and_what_cannot_be_judged_is_a_mistake_with_its_place() {
    let text = r#"title = "${n} times"
objectives = ["p99<20ms", "p99<<20ms", "errors<=1%", "cpu<50us"]
[loop]
n = [1, 2]
unused = [1, 2]
[feeders.used]
sequence = {}
[feeders.idle]
sequence = {}
[[population]]
name = "a"
clients = 0
[[population.step]]
request = "GET http://127.0.0.1/{{ used.value }}"
capture = { a = { json = "noslash" }, b = { json = "" }, c = { json = "/a" } }
"#;
    let mistakes = read(text, Path::new(".")).unwrap_err();
    let places: Vec<String> = mistakes
        .iter()
        .map(|m| format!("{}:{} {}", m.line, m.column, m.message))
        .collect();
    let expected = [
        "2:31 `<<` is not an operator",
        "2:54 `cpu<50us` cannot be judged",
        "5:1 the loop `unused` is not used",
        "8:10 no template uses the feeder `idle`",
        "12:11 clients is a whole number from",
        "15:26 a JSON Pointer begins with `/`, as in `/noslash`",
    ];
    assert_eq!(places.len(), expected.len(), "{places:#?}");
    for (place, expected) in places.iter().zip(expected) {
        assert!(place.starts_with(expected), "{expected} in {places:#?}");
    }
}

#[test]
fn a_feeder_that_only_a_body_file_uses_is_used() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("b.txt"), "n={{n.value}}").unwrap();
    let text = "[feeders.n]\nsequence = {}\n[[population]]\nname = \"a\"\nclients = 1\n\
                [[population.step]]\nrequest = \"POST http://127.0.0.1/\"\nbody_file = \"b.txt\"\n";
    assert!(read(text, folder.path()).is_ok());
}

#[test]
fn a_loop_gives_one_run_for_each_combination() {
    let text = r#"
title = "matrix"
base = "http://127.0.0.1:9"
[loop]
clients = [100, 200]
size = ["1k", "2k", "3k"]
[[population]]
name = "a"
clients = "${clients}"
think = "500ms"
[[population.step]]
request = "PUT /response/${size}"
body = "x"
"#;
    let scenario = read(text, Path::new(".")).unwrap();
    let names: Vec<&str> = scenario.variants.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names.len(), 6);
    assert_eq!(names[4], "clients=200 size=2k");
    assert_eq!(scenario.variants[4].plan.populations[0].clients(), 200);
}

#[test]
fn the_sample_scenarios_of_the_docs_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    let matrix = std::fs::read_to_string(folder.join("drive-matrix.toml")).unwrap();
    let scenario = drive::scenario::read(&matrix, &folder).unwrap();
    assert_eq!(scenario.variants.len(), 30);
    assert_eq!(scenario.variants[29].name, "clients=500 size=262144");
}

#[test]
fn a_message_longer_than_its_length_field_can_hold_is_a_mistake() {
    let text = |frame: &str, size: usize| {
        format!(
            "[[population]]\nname = \"a\"\nclients = 1\nsockets = {{ s = \"tcp://127.0.0.1:9\" }}\n\
             [[population.step]]\nsocket = \"s\"\nsend = \"{}\"\nframe = {{ {frame} }}\n",
            "x".repeat(size)
        )
    };
    let read = |frame: &str, size| drive::scenario::read(&text(frame, size), Path::new("."));
    assert!(read("length = 1", 255).is_ok());
    assert!(
        read("length = 1", 256).unwrap_err()[0]
            .message
            .contains("255 bytes")
    );
    assert!(read("length = 2, inclusive = true", 65_533).is_ok());
    assert!(read("length = 2, inclusive = true", 65_534).is_err());
    assert!(read("length = 8", 100_000).is_ok() && read("delimiter = \"!\"", 1000).is_ok());
}

#[test]
fn mistakes_of_a_step_are_reported_although_its_request_is_wrong() {
    let text = "[[population]]\nname = \"a\"\nclients = 1\n[[population.step]]\nrequest = \"GET\"\n\
                body = \"{{undefined}}\"\nheaders = { A = \"{{x.y}}\", B = \"{{\" }\n";
    let mistakes = drive::scenario::read(text, Path::new(".")).unwrap_err();
    let lines: Vec<u32> = mistakes.iter().map(|m| m.line).collect();
    assert_eq!(lines, [5, 6, 7, 7], "{mistakes:?}");
}

#[test]
fn schema_and_reference_name_every_key() {
    let schema = json_schema().to_string();
    let page = reference();
    for key in [
        "outstanding",
        "write_pause",
        "exponential",
        "receive_from",
        "ca_file",
    ] {
        assert!(schema.contains(key) && page.contains(key), "{key}");
    }
    for key in drive::scenario::keys() {
        assert!(!key.doc.is_empty());
    }
}

#[test]
fn the_reference_page_in_the_docs_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/drive-scenario.md");
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, reference()).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap();
    assert_eq!(page, reference(), "run the test with UPDATE_GOLDENS=1");
}

proptest::proptest! {
    #[test]
    fn no_file_makes_reading_panic(text in "[a-z\\[\\]{}=\"\\n .${}0-9,]{0,200}") {
        let _ = read(&text, Path::new("."));
    }
}

#[test]
fn a_cycle_opens_two_sockets_says_who_they_are_and_closes_them_after_its_requests() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    // Lines of a receiver are answered on the sender of the same session.
    let senders: Arc<Mutex<std::collections::HashMap<String, std::net::TcpStream>>> =
        Arc::default();
    let address = serve(move |stream| {
        let mut lines = std::io::BufReader::new(stream.try_clone().unwrap());
        let mut line = || {
            let mut text = String::new();
            std::io::BufRead::read_line(&mut lines, &mut text).ok();
            text.trim_end().to_owned()
        };
        let opening = line();
        log.lock().unwrap().push(opening.clone());
        let (kind, session) = opening.split_once(',').unwrap();
        if kind == "SEND" {
            senders.lock().unwrap().insert(session.to_owned(), stream);
            return;
        }
        loop {
            let text = line();
            if text.is_empty() {
                senders.lock().unwrap().remove(session);
                return;
            }
            let mut sender = loop {
                if let Some(sender) = senders.lock().unwrap().get(session) {
                    break sender.try_clone().unwrap();
                }
                std::thread::yield_now();
            };
            sender.write_all(text.to_uppercase().as_bytes()).unwrap();
            sender.write_all(b"\n").unwrap();
        }
    });
    let outcome = carry_out(&plan(&format!(
        r#"
[[population]]
name = "cycles"
clients = 1
cycle = 3
cycles = 2
sockets = {{ to = "tcp://{address}", from = "tcp://{address}" }}
opening = {{ to = "RECV,S{{{{iteration}}}}\n", from = "SEND,S{{{{iteration}}}}\n" }}
[[population.step]]
socket = "to"
receive_from = "from"
send = "request {{{{iteration}}}}"
frame = {{ delimiter = "\n" }}
contains = "REQUEST"
"#
    )));
    let record = &outcome.total.populations[0];
    assert_eq!(record.measured.answered, 6);
    assert_eq!(
        (record.measured.checks_failed, record.whole.connects),
        (0, 4)
    );
    let mut openings = seen.lock().unwrap().clone();
    openings.sort();
    assert_eq!(openings, ["RECV,S0", "RECV,S3", "SEND,S0", "SEND,S3"]);
}

#[test]
fn an_opening_of_a_socket_that_is_not_there_is_a_mistake() {
    let text = r#"
[[population]]
name = "a"
clients = 1
opening = { elsewhere = "x" }
cycle = 2
iterations = 3
cycles = 2
[[population.step]]
request = "GET http://127.0.0.1:1/"
"#;
    let mistakes = read(text, Path::new(".")).unwrap_err();
    let messages: Vec<String> = mistakes.iter().map(|m| m.message.clone()).collect();
    assert!(
        messages
            .iter()
            .any(|t| t.contains("no socket named `elsewhere`")),
        "{messages:?}"
    );
    assert!(
        messages
            .iter()
            .any(|t| t.contains("`cycle` can be used only")),
        "{messages:?}"
    );
    assert!(
        messages
            .iter()
            .any(|t| t.contains("either `iterations` or `cycles`")),
        "{messages:?}"
    );
}

#[test]
fn values_never_break_the_request_line() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let address = serve(move |mut stream| {
        while let Some(request) = read_request(&mut stream) {
            let line = request.lines().next().unwrap().to_owned();
            log.lock().unwrap().push(line);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let rows = "user\nann\n\"a b\"\n\u{fc}\n\"a\r\nX-Evil: 1\"\n";
    std::fs::write(folder.path().join("u.csv"), rows).unwrap();
    let scenario = |header: &str| {
        format!(
            r#"
base = "http://{address}"
[feeders.u]
csv = "u.csv"
[[population]]
name = "p"
clients = 1
iterations = 4
[[population.step]]
request = "GET /\u00e4/{{{{u.user}}}}"
{header}
"#
        )
    };
    let good = read(&scenario(""), folder.path()).unwrap();
    assert_eq!(carry_out(&good.variants[0].plan).sum().measured.answered, 4);
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "GET /%C3%A4/ann HTTP/1.1",
            "GET /%C3%A4/a%20b HTTP/1.1",
            "GET /%C3%A4/%C3%BC HTTP/1.1",
            "GET /%C3%A4/a%0D%0AX-Evil:%201 HTTP/1.1",
        ]
    );
    let header = r#"headers = { "X-U" = "{{u.user}}" }"#;
    let mistakes = read(&scenario(header), folder.path()).unwrap_err();
    assert_eq!(
        mistakes[0].message,
        "feeder `u`, row 4, column `user`: the value contains a carriage return, which is not allowed in the header X-U"
    );
}

#[test]
fn a_captured_value_with_a_line_end_fails_the_request_that_has_it_in_a_header() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = lines.clone();
    let address = serve(move |mut stream| {
        while let Some(request) = read_request(&mut stream) {
            log.lock().unwrap().push(request);
            let body = r#"{"a":"x\r\nX-Evil: 1"}"#;
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            let _ = stream.write_all((head + body).as_bytes());
        }
    });
    let plan = plan(&format!(
        r#"
base = "http://{address}"
[[population]]
name = "p"
clients = 1
iterations = 2
[[population.step]]
request = "GET /first"
capture = {{ a = {{ json = "/a" }} }}
[[population.step]]
request = "GET /{{{{a}}}}"
headers = {{ X-A = "{{{{a}}}}" }}
"#
    ));
    let outcome = carry_out(&plan);
    let failed = outcome.sum().measured.failed;
    assert_eq!(failed.iter().sum::<u64>(), 2);
    let why = "the header X-A was not sent: its value holds a carriage return";
    let messages = &outcome.total.messages;
    assert!(messages.keys().any(|m| m.contains(why)), "{messages:?}");
    let lines = lines.lock().unwrap();
    assert!(
        lines.iter().all(|l| l.starts_with("GET /first")),
        "{lines:?}"
    );
}

#[test]
fn any_number_of_messages_without_an_answer_is_sent_one_after_another() {
    let address = serve(|mut stream| {
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    });
    let plan = plan(&format!(
        r#"
[[population]]
name = "p"
clients = 1
iterations = 50000
sockets = {{ s = "tcp://{address}" }}
[[population.step]]
socket = "s"
send = "hello"
reply = false
frame = {{ length = 4 }}
"#
    ));
    let sum = carry_out(&plan).sum();
    assert_eq!((sum.measured.answered, sum.whole.connects), (50_000, 1));
    assert_eq!(sum.measured.bytes_out, 50_000 * 9);
}

/// `DRIVE_UPDATE=1` writes `testdata/mistakes.golden`; review it before a commit.
#[test]
fn mistakes_are_shown_with_their_lines_and_remedies() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let text = std::fs::read_to_string(folder.join("mistakes.toml")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mistakes = read(&text, &folder).unwrap_err();
    let shown: String = mistakes
        .iter()
        .map(|mistake| {
            let line = lines[mistake.line as usize - 1];
            base::excerpt(mistake, Path::new("mistakes.toml"), Some(line), false)
        })
        .collect();
    let golden = folder.join("mistakes.golden");
    if std::env::var_os("DRIVE_UPDATE").is_some() {
        std::fs::write(&golden, &shown).unwrap();
    }
    assert_eq!(shown, std::fs::read_to_string(golden).unwrap());
}
