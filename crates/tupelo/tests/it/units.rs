//! Units of work over two regions: money goes from a file of one to a file of
//! the other; whichever region is killed or connection cut, none is lost or made; nor
//! are items of its queues, or tasks that it starts.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use crate::http;
use crate::ipconn::ServerProcess;
use crate::program::{tupelo, until};
use crate::server::application;

/// The money of a region: one record, and the queue items and tasks of each change.
const FILES: &str = "DEFINE FILE(MONEY) GROUP(A) KEYLENGTH(4) RECORDSIZE(12) RECORDFORMAT(F) ADD(YES) \
     READ(YES) UPDATE(YES) BROWSE(YES) DELETE(YES) RECOVERY(BACKOUTONLY) STATUS(ENABLED)\n\
     DEFINE TSMODEL(RQ) GROUP(A) PREFIX(RQ) RECOVERY(YES)\n\
     DEFINE TDQUEUE(RTDQ) GROUP(A) TYPE(INTRA) RECOVSTATUS(LOGICAL)\n\
     DEFINE TRANSACTION(STAR) GROUP(A) PROGRAM(BEGUN)\n\
     DEFINE TRANSACTION(COMT) GROUP(A) PROGRAM(TAKES) ACTION(COMMIT)\n";

/// The transaction that each change starts: it adds one to its own record.
const BEGUN: &str = include_str!("../../testdata/programs/units/BEGUN.cbl");

/// Adds one to the region's money and to two queues, and has a task started;
/// abends then when the COMMAREA says `fail`.
const TAKES: &str = include_str!("../../testdata/programs/units/TAKES.cbl");

/// Adds one here and has TAKES do so in PEER: once, or twice (`twice`), or not here (`only`);
/// backs it out (`undo`); or returns the counts of the region (`look`), in queues and of
/// started tasks (`rest`); or commits the unit in doubt and returns its attributes (`ends`), or
/// backs it out (`back`), or applies its transaction's ACTION (`forc`), or returns its locks
/// (`enqs`).
const GIVES: &str = include_str!("../../testdata/programs/units/HELLO.cbl");

/// The kind of a message, and whether it is an answer.
pub type MessageKind = (u8, bool);
const LINK: MessageKind = (0, false);
const LINKED: MessageKind = (0, true);
const PREPARE: MessageKind = (1, false);
pub const PREPARED: MessageKind = (1, true);
pub const COMMIT: MessageKind = (2, false);
pub const COMMITTED: MessageKind = (2, true);
const COMMIT_ALONE: MessageKind = (5, false);
const COMMITTED_ALONE: MessageKind = (5, true);
/// Anything else.
const OTHER: u8 = 99;
/// Kinds of frames.
const REQUEST: u8 = 3;
const REPLY: u8 = 4;

/// The kind of a request's first frame: the flags and the step are after the length of the
/// message.
fn what(payload: &[u8]) -> u8 {
    let (flags, step) = (payload[4], payload[4 + 87]);
    match (flags & 16 != 0, flags & 32 != 0) {
        (true, false) => LINK.0,
        (true, true) => step,
        _ => OTHER,
    }
}

/// A proxy between two regions: it holds the message that is to be lost
/// until the test says so, and then loses it with its connection.
#[derive(Clone)]
pub struct LossyProxy(Arc<(Mutex<ProxyGate>, Condvar)>);

#[derive(Default)]
struct ProxyGate {
    to: String,
    /// The message that is lost; none passes them all.
    loses: Option<MessageKind>,
    holds: bool,
    open: bool,
}

impl LossyProxy {
    /// A proxy without a target yet, and its address.
    pub fn new() -> (LossyProxy, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let way = LossyProxy(Arc::default());
        let own = way.clone();
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let to = own.0.0.lock().unwrap().to.clone();
                let Ok(far) = TcpStream::connect(to) else {
                    continue;
                };
                let requests = Arc::<Mutex<HashMap<u32, u8>>>::default();
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let (own, requests) = (own.clone(), requests.clone());
                    std::thread::spawn(move || own.carry(from, to, &requests));
                }
            }
        });
        (way, address)
    }

    pub fn lead_to(&self, address: &str) {
        self.0.0.lock().unwrap().to = address.to_owned();
    }

    /// Passes frames from one side to the other.
    fn carry(&self, mut from: TcpStream, mut to: TcpStream, requests: &Mutex<HashMap<u32, u8>>) {
        let mut head = [0; 12];
        while from.read_exact(&mut head).is_ok() {
            let bytes = u32::from_be_bytes(head[..4].try_into().unwrap());
            let mut payload = vec![0; bytes as usize];
            if from.read_exact(&mut payload).is_err() {
                break;
            }
            let id = u32::from_be_bytes(head[8..].try_into().unwrap());
            let message = match head[4] {
                REQUEST => {
                    let what = what(&payload);
                    requests.lock().unwrap().insert(id, what);
                    Some((what, false))
                }
                REPLY => requests
                    .lock()
                    .unwrap()
                    .remove(&id)
                    .map(|what| (what, true)),
                _ => None,
            };
            if message.is_some_and(|message| !self.passes(message)) {
                break;
            }
            if to.write_all(&[&head[..], &payload].concat()).is_err() {
                break;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    }

    fn passes(&self, message: MessageKind) -> bool {
        let (gate, changed) = &*self.0;
        let mut gate = gate.lock().unwrap();
        if gate.loses != Some(message) {
            return true;
        }
        gate.holds = true;
        changed.notify_all();
        drop(changed.wait_while(gate, |gate| !gate.open).unwrap());
        false
    }

    /// Chooses the message to be lost.
    pub fn lose(&self, message: MessageKind) {
        let mut gate = self.0.0.lock().unwrap();
        (gate.loses, gate.holds, gate.open) = (Some(message), false, false);
    }

    /// Waits for that message.
    pub fn wait(&self) {
        let (gate, changed) = &*self.0;
        let gate = gate.lock().unwrap();
        let limit = Duration::from_secs(60);
        let (_gate, waited) = changed
            .wait_timeout_while(gate, limit, |gate| !gate.holds)
            .unwrap();
        assert!(!waited.timed_out(), "the message did not come");
    }

    /// Loses it, and passes everything from now on.
    pub fn open(&self) {
        let (gate, changed) = &*self.0;
        let mut gate = gate.lock().unwrap();
        (gate.loses, gate.open) = (None, true);
        changed.notify_all();
    }
}

/// A region with money and a door.
struct UnitBank {
    folder: tempfile::TempDir,
    process: ServerProcess,
    http: String,
    admin: String,
    ipconn: String,
}

const OPTIONS: [&str; 4] = ["--listen", "127.0.0.1:0", "--ipconn", "127.0.0.1:0"];

impl UnitBank {
    fn start(program: (&str, &str), settings: &str) -> UnitBank {
        let settings = format!("{settings}\n[files.MONEY]\nkey_offset = 0\n");
        let folder = application(&[
            ("cobol/HELLO.cbl", GIVES),
            program,
            ("cobol/BEGUN.cbl", BEGUN),
            ("tupelo.toml", &settings),
            (
                "resources.csd",
                &format!("DEFINE TRANSACTION(HELO) GROUP(A) PROGRAM(HELLO)\n{FILES}"),
            ),
        ]);
        let process = ServerProcess::start(folder.path(), &OPTIONS);
        let mut bank = UnitBank {
            folder,
            process,
            http: String::new(),
            admin: String::new(),
            ipconn: String::new(),
        };
        bank.find();
        bank
    }

    fn find(&mut self) {
        self.http = self.process.address("gateway");
        self.admin = self.process.address("admin");
        self.ipconn = self.process.address("ipconn");
    }

    fn restart(&mut self) {
        self.process.restart(self.folder.path(), &OPTIONS);
        self.find();
    }

    fn money(&self) -> u64 {
        let answer = ask(&self.http, "look").expect("an answer");
        answer.trim().parse().unwrap_or_else(|_| panic!("{answer}"))
    }

    fn units(&self) -> Vec<serde_json::Value> {
        let all = http::send(&self.admin, "GET", "/uow", None).json();
        all.as_array().unwrap().clone()
    }
}

impl UnitBank {
    /// The output of `tupelo uow`, and whether it succeeded.
    fn uow(&self, what: &[&str]) -> (bool, String) {
        let asked = tupelo()
            .arg("uow")
            .args(what)
            .args(["--admin", &self.admin])
            .output();
        let asked = asked.unwrap();
        let said = String::from_utf8(asked.stdout).unwrap();
        (asked.status.success(), said)
    }
}

/// The answer of HELLO; `None` if its region has ended.
fn ask(http: &str, what: &str) -> Option<String> {
    let path = format!("GET /hello/{what} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    let answer = http::raw(http, path.as_bytes())?;
    let greeting = answer.json()["greeting"].as_str().map(str::to_owned);
    Some(greeting.unwrap_or_else(|| format!("{} {:?}", answer.status, answer.json())))
}

/// Two banks and the proxy between them.
struct BankPair {
    near: UnitBank,
    far: UnitBank,
    way: LossyProxy,
}

impl BankPair {
    fn start() -> BankPair {
        let far = UnitBank::start(
            ("cobol/TAKES.cbl", TAKES),
            "[region]\nspi = [\"SET UOW\"]\napplid = \"FAR\"\nsysid = \"FAR\"\n",
        );
        let (way, address) = LossyProxy::new();
        way.lead_to(&far.ipconn);
        let settings = format!(
            "[region]\nspi = [\"SET UOW\"]\napplid = \"NEAR\"\nsysid = \"NEAR\"\n\
             [ipconn.connections.PEER]\naddress = \"{address}\"\n"
        );
        let near = UnitBank::start(("cobol/TAKES.cbl", TAKES), &settings);
        let banks = BankPair { near, far, way };
        banks.connected();
        banks
    }

    fn connected(&self) {
        until("the regions are connected", || {
            let all = http::send(&self.near.admin, "GET", "/connections", None).json();
            all["connections"][0]["state"] == "ACQUIRED"
        });
        // The query for units in doubt has ended, too.
        until("nothing is in doubt", || {
            self.near.units().is_empty() && self.far.units().is_empty()
        });
    }

    /// The counts of both regions. The other region's queues have an item for each change,
    /// and each change has started a task.
    fn money(&self) -> (u64, u64) {
        let far = self.far.money();
        let all = format!("{far:03}/{far:03}/{far:03}");
        until("all that was started has run", || {
            let rest = ask(&self.far.http, "rest").expect("an answer");
            assert!(rest.starts_with(&all[..8]), "{rest}, not {all}");
            rest == all
        });
        (self.near.money(), far)
    }

    /// A transfer during which a message is lost and `then` happens; returns the answer of its
    /// program.
    fn give(&mut self, lost: MessageKind, then: impl FnOnce(&mut BankPair)) -> Option<String> {
        self.lose(lost, "give", then)
    }

    /// The same for another operation of the program.
    fn lose(
        &mut self,
        lost: MessageKind,
        what: &'static str,
        then: impl FnOnce(&mut BankPair),
    ) -> Option<String> {
        self.way.lose(lost);
        let http = self.near.http.clone();
        let asked = std::thread::spawn(move || ask(&http, what));
        self.way.wait();
        then(self);
        self.way.open();
        let answer = asked.join().unwrap();
        self.connected();
        answer
    }
}

#[test]
fn changes_of_one_unit_in_two_regions_are_committed_or_backed_out_in_both() {
    let banks = BankPair::start();
    let ask = |what| ask(&banks.near.http, what).unwrap();
    assert_eq!(ask("give"), "000/000");
    assert_eq!(banks.money(), (1, 1));
    assert_eq!(ask("twice"), "000/000");
    assert_eq!(banks.money(), (2, 3));
    assert_eq!(ask("undo"), "000/000");
    assert_eq!(banks.money(), (2, 3));
    assert_eq!(ask("only"), "000/000");
    assert_eq!(banks.money(), (2, 4));
    // Its changes there are backed out, so those here must be, too.
    assert_eq!(ask("fail"), "abend/082");
    assert_eq!(banks.money(), (2, 4));
    banks.connected();
}

#[test]
fn whatever_message_is_lost_both_have_the_unit_or_neither() {
    let mut banks = BankPair::start();
    let mut money = 0;
    for lost in [LINK, LINKED, PREPARE, PREPARED, COMMIT, COMMITTED] {
        let answer = banks.give(lost, |_| {}).unwrap();
        match lost {
            COMMIT | COMMITTED => {
                money += 1;
                assert_eq!(answer, "000/000", "message {lost:?}");
            }
            PREPARE | PREPARED => assert_eq!(answer, "000/082", "message {lost:?}"),
            _ => assert_eq!(answer, "081/082", "message {lost:?}"),
        }
        assert_eq!(banks.money(), (money, money), "message {lost:?}");
    }
}

#[test]
fn changes_of_only_one_region_are_committed_in_one_phase() {
    let mut banks = BankPair::start();
    for prepares in [PREPARE, COMMIT] {
        // Nothing is prepared there, so this message is not sent.
        banks.way.lose(prepares);
        assert_eq!(ask(&banks.near.http, "only").unwrap(), "000/000");
    }
    banks.way.open();
    assert_eq!(banks.money(), (0, 2));
    let mut money = 2;
    for lost in [LINK, LINKED, COMMIT_ALONE, COMMITTED_ALONE] {
        let answer = banks.lose(lost, "only", |_| {}).unwrap();
        money += u64::from(lost == COMMITTED_ALONE);
        let expected = match lost {
            COMMIT_ALONE => "000/082",
            COMMITTED_ALONE => "000/000",
            _ => "081/082",
        };
        assert_eq!(answer, expected, "message {lost:?}");
        assert_eq!(banks.money(), (0, money), "message {lost:?}");
    }
}

#[test]
fn a_region_killed_in_a_one_phase_commit_returns_the_outcome() {
    let mut banks = BankPair::start();
    let mut money = 0;
    for lost in [LINKED, COMMIT_ALONE, COMMITTED_ALONE] {
        let answer = banks.lose(lost, "only", |banks| {
            banks.far.restart();
            banks.way.lead_to(&banks.far.ipconn);
        });
        let answer = answer.unwrap();
        money += u64::from(answer == "000/000");
        let committed = lost == COMMITTED_ALONE;
        assert_eq!(answer == "000/000", committed, "message {lost:?}: {answer}");
        assert_eq!(banks.money(), (0, money), "message {lost:?}");
    }
}

#[test]
fn a_region_killed_during_a_one_phase_commit_of_another_leaves_nothing_in_doubt() {
    let mut banks = BankPair::start();
    let mut money = 0;
    for lost in [LINKED, COMMIT_ALONE, COMMITTED_ALONE] {
        banks.lose(lost, "only", |banks| banks.near.restart());
        money += u64::from(lost == COMMITTED_ALONE);
        assert_eq!(banks.money(), (0, money), "message {lost:?}");
    }
    // It takes part in further units as before.
    assert_eq!(ask(&banks.near.http, "only").unwrap(), "000/000");
    assert_eq!(ask(&banks.near.http, "give").unwrap(), "000/000");
    assert_eq!(banks.money(), (1, money + 2));
}

#[test]
fn a_killed_region_restores_its_prepared_unit_and_gets_the_decision() {
    let mut banks = BankPair::start();
    let mut money = 0;
    for lost in [LINKED, PREPARE, PREPARED, COMMIT, COMMITTED] {
        let answer = banks.give(lost, |banks| {
            banks.far.restart();
            banks.way.lead_to(&banks.far.ipconn);
        });
        let answer = answer.unwrap();
        money += u64::from(answer == "000/000");
        assert_eq!(
            answer == "000/000",
            lost.0 == COMMIT.0,
            "message {lost:?}: {answer}"
        );
        assert_eq!(banks.money(), (money, money), "message {lost:?}");
    }
}

#[test]
fn a_killed_region_sends_its_decision_after_its_restart() {
    let mut banks = BankPair::start();
    let mut money = 0;
    for lost in [LINKED, PREPARED, COMMIT, COMMITTED] {
        banks.give(lost, |banks| banks.near.restart());
        money += u64::from(lost.0 == COMMIT.0);
        assert_eq!(banks.money(), (money, money), "message {lost:?}");
    }
}

#[test]
fn an_operator_sees_a_unit_in_doubt_and_can_end_it() {
    let mut banks = BankPair::start();
    let mut done = false;
    banks.give(COMMIT, |banks| {
        let units = banks.far.units();
        assert_eq!(units.len(), 1, "{units:?}");
        assert_eq!(units[0]["with"], "NEAR");
        // The record, the queue's end, and the other queue.
        assert_eq!(units[0]["locks"].as_array().unwrap().len(), 3);
        let name = units[0]["unit"].as_str().unwrap();
        for (bank, state) in [(&banks.far, "INDOUBT"), (&banks.near, "COMMITTED")] {
            let (listed, table) = bank.uow(&["list"]);
            assert!(listed && table.contains(state), "{table}");
            crate::schemas::fits("uow", &bank.uow(&["list", "--json"]).1);
        }
        let said = banks.far.uow(&["commit", name, "--json"]);
        done = said.0;
        crate::schemas::fits("uow-done", &said.1);
        assert!(banks.far.units().is_empty());
        assert!(!banks.far.uow(&["backout", name]).0);
    });
    assert!(done);
    assert_eq!(banks.money(), (1, 1));
}

#[test]
fn a_program_sees_a_unit_in_doubt_and_can_end_it() {
    let mut banks = BankPair::start();
    let mut answer = None;
    banks.give(COMMIT, |banks| {
        answer = ask(&banks.far.http, "ends");
        until("it is committed", || banks.far.units().is_empty());
    });
    assert_eq!(answer.as_deref(), Some("NEAR/NEAR/CSMI"));
    assert_eq!(banks.money(), (1, 1));
}

#[test]
fn a_program_backs_a_unit_out_that_is_in_doubt_or_has_its_action_taken() {
    let mut banks = BankPair::start();
    let cases = [("give", "back", "CSMI", 0), ("comt", "forc", "COMT", 1)];
    for (does, ends, transid, far) in cases {
        let mut answer = None;
        let asked = banks.lose(COMMIT, does, |banks| {
            answer = ask(&banks.far.http, ends);
            until("it is over", || banks.far.units().is_empty());
        });
        // The region that decided has committed it, and its program got that answer.
        assert_eq!(asked.as_deref(), Some("000/000"));
        assert_eq!(answer, Some(format!("NEAR/NEAR/{transid}")), "{ends}");
        assert_eq!(banks.far.money(), far, "{ends}");
    }
    assert_eq!(banks.near.money(), 2);
    // Its locks are gone.
    assert_eq!(ask(&banks.near.http, "give").unwrap(), "000/000");
    assert_eq!(banks.far.money(), 2);
}

#[test]
fn a_program_can_list_the_locks_of_a_unit_in_doubt() {
    let mut banks = BankPair::start();
    let mut answer = None;
    banks.give(COMMIT, |banks| answer = ask(&banks.far.http, "enqs"));
    // The record, and a queue of each kind.
    let answer = answer.unwrap();
    assert_eq!(answer.trim_end(), "003/003/RQUEUE");
    assert_eq!(banks.money(), (1, 1));
}
