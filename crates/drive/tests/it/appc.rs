//! Conversations over LU 6.2 against nodes of the APPC stack in this process.

use crate::peers::carry_out;
use appc::config::{AppcConfig, ModeConfig};
use appc::{Conversation, IncomingAttach, NodeHost, transactions};
use drive::engine::RequestFailure;
use drive::plan::RunPlan;
use drive::preflight::{self, PlanProblem};
use sna::conversation::code::{DeallocateType, PrepareToReceiveType, StatusReceived};
use sna::ebcdic;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

/// A node with both transactions, that allows 50 sessions.
fn server() -> NodeHost {
    server_at("127.0.0.1:0".parse().unwrap())
}

fn server_at(address: SocketAddr) -> NodeHost {
    let mut config = AppcConfig::named("NET.SERVER").unwrap();
    config.listen = Some(address);
    config.users.insert("ALICE".into(), "SECRET".into());
    let mode = ModeConfig {
        sessions: Some(50),
        winners: Some(0),
        ..ModeConfig::default()
    };
    config.modes.insert("#INTER".into(), mode);
    let host = NodeHost::start(config).unwrap();
    transactions::define(&host).unwrap();
    host
}

/// Defines a program that runs this function for each conversation.
fn program(host: &NodeHost, name: &str, serve: impl Fn(Conversation) + Send + Sync + 'static) {
    let run = Arc::new(move |mut incoming: IncomingAttach| {
        if incoming.conversation.accept().is_ok() {
            serve(incoming.conversation);
        }
    });
    host.define_program(sna::TpDefinition::new(name.parse().unwrap()), run);
}

/// The plan of one population of this program, with more keys and its steps.
fn plan(server: &NodeHost, tp: &str, keys: &str, steps: &str) -> RunPlan {
    let text = format!(
        "timeout = \"5s\"\n[[population]]\nname = \"users\"\n{keys}\n[population.appc]\n\
         address = \"{}\"\npartner = \"NET.SERVER\"\ntp = \"{tp}\"\n{steps}",
        server.listening().unwrap()
    );
    let scenario = drive::scenario::read(&text, Path::new("."));
    let mut scenario = scenario.unwrap_or_else(|all| panic!("{}", all[0]));
    scenario.variants.remove(0).plan
}

const ASK: &str = "[[population.step]]\nsend_hex = \"00000040\"\nbytes = 100\nsize = 64\n";

/// Ends a run when its test fails.
struct StopsWhenDropped<'a>(&'a AtomicBool);

impl Drop for StopsWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Receives a whole turn of the partner. Returns `None` if the conversation is
/// over.
fn receive(conversation: &mut Conversation) -> Option<Vec<u8>> {
    let mut data = Vec::new();
    let mut buffer = [0; 1000];
    loop {
        let got = conversation.receive(&mut buffer).ok()?;
        data.extend_from_slice(&buffer[..got.len]);
        match got.status {
            _ if got.ended => return None,
            StatusReceived::Send => return Some(data),
            _ => {}
        }
    }
}

#[test]
fn clients_share_a_link_and_keep_a_conversation_each() {
    let server = server();
    let plan = plan(&server, "INQUIRY", "clients = 5\niterations = 200", ASK);
    let outcome = carry_out(&plan);
    let sum = outcome.sum();
    assert_eq!(sum.measured.answered, 200, "{:?}", outcome.messages());
    assert_eq!(sum.measured.checks_failed, 0);
    assert_eq!(
        (sum.measured.bytes_out, sum.measured.bytes_in),
        (20_000, 12_800)
    );
    assert_eq!((sum.whole.connects, sum.response.count()), (5, 200));
    assert_eq!(server.status().attached, 5);
}

#[test]
fn a_conversation_an_iteration_attaches_the_program_each_time() {
    let server = server();
    let keys = "clients = 3\niterations = 30\nkeep_alive = false";
    let plan = plan(&server, "INQUIRY", keys, &format!("{ASK}{ASK}"));
    let outcome = carry_out(&plan);
    let sum = outcome.sum();
    assert_eq!(sum.measured.answered, 60, "{:?}", outcome.messages());
    assert_eq!(sum.whole.connects, 30);
    assert_eq!(server.status().attached, 30);
}

#[test]
fn a_transfer_goes_out_in_records_and_is_confirmed() {
    let server = server();
    let (sender, receiver) = mpsc::channel();
    program(&server, "TAKE", move |mut conversation| {
        let mut records = Vec::new();
        let mut buffer = [0; 32_767];
        while let Ok(got) = conversation.receive(&mut buffer) {
            if got.ended {
                break;
            }
            if got.len > 0 {
                records.push(got.len);
            }
            if got.status == StatusReceived::Confirm {
                conversation.confirmed().unwrap();
                sender.send(std::mem::take(&mut records)).unwrap();
            }
        }
    });
    let step = "[[population.step]]\nbytes = 70000\nwrites = [1000, 32000]\nconfirm = true\n";
    let outcome = carry_out(&plan(&server, "TAKE", "clients = 1\niterations = 2", step));
    assert_eq!(
        outcome.sum().measured.answered,
        2,
        "{:?}",
        outcome.messages()
    );
    for _ in 0..2 {
        assert_eq!(receiver.recv().unwrap(), [1000, 32_000, 32_000, 5_000]);
    }
}

#[test]
fn text_goes_out_in_ebcdic_and_answers_are_checked_and_captured_as_text() {
    let server = server();
    program(&server, "DESK", |mut conversation| {
        while let Some(data) = receive(&mut conversation) {
            let text = ebcdic::to_string(&data);
            let answer = match text.trim_end() {
                "HELLO 0" => "TICKET 42 WAITS".to_owned(),
                other => format!("SEEN {other}"),
            };
            conversation.send(&ebcdic::from_str(&answer)).unwrap();
            conversation
                .prepare_to_receive(PrepareToReceiveType::Flush)
                .unwrap();
        }
    });
    let steps = "[[population.step]]\nsend = \"HELLO {{client}}\"\nbytes = 20\nebcdic = true\n\
                 capture = { ticket = { regex = \"TICKET (\\\\d+)\" } }\n\
                 [[population.step]]\nsend = \"PAY {{ticket}}\"\nebcdic = true\n\
                 contains = \"SEEN PAY 42\"\n";
    let outcome = carry_out(&plan(&server, "DESK", "clients = 1\niterations = 3", steps));
    let sum = outcome.sum();
    assert_eq!(sum.measured.answered, 6, "{:?}", outcome.messages());
    assert_eq!(sum.measured.checks_failed, 0);
}

#[test]
fn an_abnormal_end_is_an_error_of_the_program_unless_the_step_wants_it() {
    let server = server();
    program(&server, "FALLS", |mut conversation| {
        receive(&mut conversation);
        conversation.deallocate(DeallocateType::Abend).unwrap();
    });
    let keys = "clients = 1\niterations = 3";
    let step = "[[population.step]]\nsend = \"X\"\n";
    let counts = |step: &str| {
        let outcome = carry_out(&plan(&server, "FALLS", keys, step));
        outcome.sum().measured
    };
    let failed = counts(step);
    assert_eq!(failed.failed[RequestFailure::Program as usize], 3);
    let wanted = counts(&format!("{step}return_code = [17]\n"));
    assert_eq!((wanted.answered, wanted.checks_failed), (3, 0));
}

#[test]
fn a_program_that_answers_and_ends_is_attached_again() {
    let server = server();
    program(&server, "ONCE", |mut conversation| {
        receive(&mut conversation);
        conversation.send(b"done").unwrap();
        conversation.deallocate(DeallocateType::Flush).unwrap();
    });
    let step = "[[population.step]]\nsend = \"X\"\ncontains = \"done\"\n";
    let outcome = carry_out(&plan(&server, "ONCE", "clients = 2\niterations = 8", step));
    let sum = outcome.sum();
    assert_eq!(
        (sum.measured.answered, sum.measured.checks_failed),
        (8, 0),
        "{:?}",
        outcome.messages()
    );
    assert_eq!(sum.whole.connects, 8);
}

#[test]
fn refused_attaches_are_counted_and_say_what_to_change() {
    let server = server();
    let text = |tp: &str, more: &str| {
        let keys = "clients = 1\niterations = 2";
        let outcome = carry_out(&plan(&server, tp, keys, &format!("{more}{ASK}")));
        let sum = outcome.sum();
        assert_eq!(sum.measured.failed[RequestFailure::Attach as usize], 2);
        outcome.messages().keys().next().unwrap().clone()
    };
    let unknown = text("NOPE", "");
    assert!(
        unknown.contains("NET.SERVER has no program `NOPE`"),
        "{unknown}"
    );
    let wrong = text("INQUIRY", "user = \"ALICE\"\npassword = \"GUESS\"\n");
    assert!(wrong.contains("user and password"), "{wrong}");
}

#[test]
fn a_program_that_does_not_answer_times_out_and_the_next_request_has_another_conversation() {
    let server = server();
    let (release, held) = mpsc::channel::<()>();
    let held = Arc::new(std::sync::Mutex::new(held));
    program(&server, "HOLDS", move |mut conversation| {
        receive(&mut conversation);
        // Until the test is over.
        let _ = held.lock().unwrap().recv();
    });
    let step = "[[population.step]]\nsend = \"X\"\n";
    let mut plan = plan(&server, "HOLDS", "clients = 1\niterations = 2", step);
    plan.populations[0].timeout_ns = 50_000_000;
    let sum = carry_out(&plan).sum();
    drop(release);
    assert_eq!(
        sum.measured.failed[RequestFailure::Timeout as usize],
        2,
        "{sum:?}"
    );
    assert_eq!(sum.whole.connects, 2);
}

#[test]
fn a_node_that_stops_in_mid_run_loses_no_count() {
    let server = server();
    let address = server.listening().unwrap();
    let stopping = server.clone();
    let (sender, receiver) = mpsc::channel();
    program(&server, "ECHO", move |mut conversation| {
        while let Some(data) = receive(&mut conversation) {
            let _ = sender.send(());
            let sent = conversation.send(&data);
            if sent.is_err()
                || conversation
                    .prepare_to_receive(PrepareToReceiveType::Flush)
                    .is_err()
            {
                return;
            }
        }
    });
    let stopper = std::thread::spawn(move || {
        for _ in 0..100 {
            receiver.recv().unwrap();
        }
        stopping.stop();
    });
    let step = "[[population.step]]\nsend = \"X\"\n";
    let keys = "clients = 4\niterations = 300";
    let outcome = carry_out(&plan(&server, "ECHO", keys, step));
    drop(server);
    stopper.join().unwrap();
    let sum = outcome.sum();
    let counts = sum.measured;
    assert_eq!(counts.sent, 300);
    assert_eq!(counts.sent, counts.answered + counts.failures());
    assert!(counts.answered >= 96, "{counts:?}");
    // A program that cannot send deallocates its conversation. The driver may
    // receive this before the link ends.
    let lost = [
        RequestFailure::Reset,
        RequestFailure::Connect,
        RequestFailure::Program,
    ];
    let lost: u64 = lost.map(|f| counts.failed[f as usize]).iter().sum();
    assert_eq!(lost, counts.failures(), "{:?}", outcome.messages());
    assert!(
        outcome
            .messages()
            .keys()
            .any(|m| m.contains(&address.to_string()))
    );
}

#[test]
fn a_partner_that_was_started_again_is_conversed_with_again() {
    // A loopback address that no other test uses, so its port stays free.
    let first = server_at("127.77.3.1:0".parse().unwrap());
    let address = first.listening().unwrap();
    let (sender, receiver) = mpsc::channel();
    program(&first, "ECHO", move |mut conversation| {
        receive(&mut conversation);
        let _ = sender.send(());
    });
    let step = "[[population.step]]\nsend = \"X\"\n";
    let plan = plan(&first, "ECHO", "clients = 3\niterations = 100000", step);
    let stop = AtomicBool::new(false);
    let outcome = std::thread::scope(|scope| {
        let _stops = StopsWhenDropped(&stop);
        let run =
            scope.spawn(|| drive::engine::run(&plan, &mut drive::engine::SilentObserver, &stop));
        receiver.recv().unwrap();
        first.stop();
        drop(first);
        let second = server_at(address);
        let (sender, receiver) = mpsc::channel();
        program(&second, "ECHO", move |mut conversation| {
            while let Some(data) = receive(&mut conversation) {
                let _ = conversation.send(&data);
                let _ = conversation.prepare_to_receive(PrepareToReceiveType::Flush);
                let _ = sender.send(());
            }
        });
        for _ in 0..50 {
            receiver.recv().unwrap();
        }
        stop.store(true, Ordering::Relaxed);
        run.join().unwrap().unwrap()
    });
    let counts = outcome.sum().whole;
    assert!(counts.answered >= 40, "{counts:?}");
}

#[test]
fn a_rate_presents_as_many_inquiries_as_arithmetic_says() {
    let server = server();
    let keys = "rate = 500\noutstanding = 20";
    let mut plan = plan(&server, "INQUIRY", keys, ASK);
    plan.warmup_ns = 100_000_000;
    plan.duration_ns = Some(400_000_000);
    let outcome = carry_out(&plan);
    let sum = outcome.sum();
    assert_eq!(sum.measured.sent, 200, "{:?}", outcome.messages());
    assert_eq!(sum.measured.answered, 200);
}

#[test]
fn a_bound_that_is_not_set_follows_what_the_partner_allows() {
    let server = server();
    let load = |more: &str| {
        let keys = format!("rate = 200\n{more}");
        let text = plan(&server, "INQUIRY", &keys, ASK);
        drive::plan::RunPlan {
            warmup_ns: 0,
            duration_ns: Some(500_000_000),
            ..text
        }
    };
    let mut plan = load("");
    let notes = preflight::prepare(&mut plan).unwrap();
    assert!(notes[0].contains("allows 50 sessions"), "{notes:?}");
    assert_eq!(plan.populations[0].clients(), 50);
    let sum = carry_out(&plan).sum();
    assert_eq!((sum.measured.sent, sum.measured.answered), (100, 100));
    // A bound that the user sets is not changed.
    let mut named = load("outstanding = 51");
    let found = preflight::prepare(&mut named).unwrap_err();
    assert!(
        matches!(found[..], [PlanProblem::Sessions { .. }]),
        "{found:?}"
    );
    let mut one_line = drive::load::HttpLoad::new(format!(
        "appc://{}/NET.SERVER?tp=INQUIRY",
        server.listening().unwrap()
    ));
    (one_line.rate, one_line.clients) = (Some(200.0), 64);
    let mut plan = one_line.plan().unwrap();
    assert_eq!(preflight::prepare(&mut plan).unwrap().len(), 1);
    one_line.ahead = Some(64);
    assert!(preflight::prepare(&mut one_line.plan().unwrap()).is_err());
}

#[test]
fn a_verified_user_that_the_partner_does_not_accept_is_reported() {
    let server = server();
    let notes_of = |more: &str| {
        let steps = format!("{more}{ASK}");
        let mut plan = plan(&server, "INQUIRY", "clients = 2\niterations = 4", &steps);
        let notes = preflight::prepare(&mut plan).unwrap();
        let sum = carry_out(&plan).sum();
        assert_eq!((sum.measured.answered, sum.measured.checks_failed), (4, 0));
        notes
    };
    let without = notes_of("user = \"ALICE\"\n");
    assert_eq!(without.len(), 1, "{without:?}");
    assert!(without[0].contains("without ALICE"), "{without:?}");
    let with = notes_of("user = \"ALICE\"\npassword = \"SECRET\"\n");
    assert!(with.is_empty(), "{with:?}");
    let mut trusted = appc::config::PartnerConfig::at("127.0.0.1:1");
    trusted.trusted = true;
    server.define_partner_as("NET.DRIVE", trusted).unwrap();
    assert!(notes_of("user = \"ALICE\"\nlu = \"NET.DRIVE\"\n").is_empty());
}

#[test]
fn wrong_names_and_too_few_sessions_are_foreseen() {
    let server = server();
    let steps = ASK;
    let keys = |n: usize| format!("clients = {n}\niterations = 1");
    assert!(preflight::check(&plan(&server, "INQUIRY", &keys(50), steps)).is_empty());
    assert_eq!(server.status().attached, 0, "nothing is attached for it");
    let found = preflight::check(&plan(&server, "INQUIRY", &keys(51), steps));
    assert!(
        matches!(
            found[..],
            [PlanProblem::Sessions {
                allowed: 50,
                wanted: 51,
                ..
            }]
        ),
        "{found:?}"
    );
    let more = format!("mode = \"NOMODE\"\n{steps}");
    let found = preflight::check(&plan(&server, "INQUIRY", &keys(1), &more));
    assert!(found[0].to_string().contains("NOMODE"), "{found:?}");
    let mut absent = plan(&server, "INQUIRY", &keys(1), steps);
    let target = &mut absent.populations[0].targets[0];
    if let drive::plan::Protocol::Appc(partner) = &mut target.protocol {
        Arc::make_mut(partner).partner = "NET.ABSENT".into();
    }
    let found = preflight::check(&absent)[0].to_string();
    assert!(found.contains("NET.ABSENT"), "{found}");
    assert_eq!(
        found.matches("is NET.ABSENT the name").count(),
        1,
        "{found}"
    );
    assert!(!found.contains("is that the name"), "{found}");
}

#[test]
fn what_does_not_belong_to_conversations_is_a_mistake_of_the_file() {
    let text = "[[population]]\nname = \"a\"\nclients = 1\n[population.appc]\n\
                address = \"127.0.0.1\"\npartner = \"A.B.C\"\ntp = \"X\"\n\
                [[population.step]]\nrequest = \"GET /\"\n\
                [[population.step]]\nsend = \"x\"\nstatus = [200]\nconfirm = true\nreply = true\n\
                [[population]]\nname = \"b\"\nclients = 1\n\
                [[population.step]]\nrequest = \"GET http://127.0.0.1:1/\"\nebcdic = true\n";
    let http2 = text.replacen("clients = 1", "clients = 1\nhttp2 = true", 1);
    let mistakes = drive::scenario::read(&http2, Path::new(".")).unwrap_err();
    let mine = "`http2` cannot be used in a population with `appc`";
    assert!(mistakes.iter().any(|m| m.line == 4 && m.message == mine));
    let mistakes = drive::scenario::read(text, Path::new(".")).unwrap_err();
    let reported: Vec<(u32, &str)> = mistakes
        .iter()
        .map(|m| (m.line, m.message.as_str()))
        .collect();
    for (line, part) in [
        (6, "partner `A.B.C`"),
        (8, "conversation steps only"),
        (12, "`status` does not belong"),
        (10, "give either `confirm`"),
        (20, "`ebcdic` can be used only in an `appc` population"),
    ] {
        assert!(
            reported.iter().any(|(l, m)| *l == line && m.contains(part)),
            "{line}: {part}: {reported:?}"
        );
    }
}
