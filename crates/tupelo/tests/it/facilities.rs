//! COBOL programs at a facility that stands for a terminal: a region of its own
//! for each test, with one worker, and what its screens show.
//!
//! The region allows one task, so a program that held its worker between two
//! inputs would keep every other terminal out.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex, OnceLock};
use std::time::Duration;

use link::terminal::{ScreenSize, feature};
use region::{
    FacilityDef, FacilityEvent, FacilityId, FacilityInput, FacilitySink, Handle, Name,
    ProgramEntry, Region, RegionConfig, RegionDefinitions, StoreEntry, TransactionDef, block_on,
};
use translator::{CopyLibrary, ReferenceFormat, translate};

use crate::program::until;

const ENTER: u8 = 0x7D;
const PF3: u8 = 0xF3;
const CLEAR: u8 = 0x6D;

/// Counts its steps in its COMMAREA, and ends with PF3.
const FLOW: &str = "
01 WS-IN PIC X(20).
01 WS-LEN PIC S9(4) COMP.
01 WS-COUNT PIC 9(4) VALUE 0.
01 WS-OUT PIC X(60) VALUE SPACES.
COPY DFHAID.
LINKAGE SECTION.
01 DFHCOMMAREA PIC X(4).
PROCEDURE DIVISION.
DFHMAIN.
    EXEC CICS HANDLE AID PF3(LEAVE-IT) ANYKEY(OTHER-KEY) END-EXEC.
    EXEC CICS HANDLE CONDITION LENGERR(TOO-LONG) END-EXEC.
    IF EIBCALEN > 0 MOVE DFHCOMMAREA TO WS-COUNT.
    MOVE 20 TO WS-LEN.
    EXEC CICS RECEIVE INTO(WS-IN) LENGTH(WS-LEN) END-EXEC.
    IF EIBAID NOT = DFHENTER GO TO OTHER-KEY.
    ADD 1 TO WS-COUNT.
    STRING EIBTRNID ' ' EIBTRMID ' ' WS-COUNT ' ' WS-IN (1:WS-LEN)
        DELIMITED BY SIZE INTO WS-OUT.
    EXEC CICS SEND FROM(WS-OUT) LENGTH(60) ERASE END-EXEC.
    EXEC CICS RETURN TRANSID(EIBTRNID) COMMAREA(WS-COUNT) LENGTH(4) END-EXEC.
OTHER-KEY.
    MOVE 'another key' TO WS-OUT.
    EXEC CICS SEND FROM(WS-OUT) LENGTH(60) END-EXEC.
    EXEC CICS RETURN TRANSID(EIBTRNID) COMMAREA(WS-COUNT) LENGTH(4) END-EXEC.
TOO-LONG.
    MOVE 'too long' TO WS-OUT.
    EXEC CICS SEND FROM(WS-OUT) LENGTH(60) END-EXEC.
    EXEC CICS RETURN END-EXEC.
LEAVE-IT.
    STRING 'left after ' WS-COUNT DELIMITED BY SIZE INTO WS-OUT.
    EXEC CICS SEND FROM(WS-OUT) LENGTH(60) END-EXEC.
    EXEC CICS RETURN END-EXEC.
";

/// Asks for a name and waits for it; hands a START to another terminal.
const TALK: &str = "
01 WS-IN PIC X(20) VALUE SPACES.
01 WS-LEN PIC S9(4) COMP.
01 WS-OUT PIC X(60) VALUE SPACES.
LINKAGE SECTION.
01 DFHCOMMAREA PIC X(4).
PROCEDURE DIVISION.
DFHMAIN.
    MOVE 20 TO WS-LEN.
    EXEC CICS RECEIVE INTO(WS-IN) LENGTH(WS-LEN) END-EXEC.
    MOVE 'your name?' TO WS-OUT.
    MOVE 20 TO WS-LEN.
    EXEC CICS CONVERSE FROM(WS-OUT) FROMLENGTH(60) INTO(WS-IN) TOLENGTH(WS-LEN)
        ERASE END-EXEC.
    MOVE SPACES TO WS-OUT.
    STRING 'hello ' WS-IN (1:WS-LEN) DELIMITED BY SIZE INTO WS-OUT.
    EXEC CICS SEND FROM(WS-OUT) LENGTH(60) END-EXEC.
    EXEC CICS START TRANSID('SHOW') TERMID('T001') FROM(WS-IN) LENGTH(20) NOHANDLE END-EXEC.
    EXEC CICS RETURN END-EXEC.
";

/// Shows the results of ASSIGN for the terminal, and the data of the START.
const SHOW: &str = "
01 WS-IN PIC X(20) VALUE SPACES.
01 WS-LEN PIC S9(4) COMP VALUE 20.
01 WS-OUT PIC X(60) VALUE SPACES.
01 WS-FACILITY PIC X(4).
01 WS-NETNAME PIC X(8).
01 WS-CODE PIC XX.
01 WS-ROWS PIC S9(4) COMP.
01 WS-ROWS-TEXT PIC 99.
01 WS-COLOR PIC X.
LINKAGE SECTION.
01 DFHCOMMAREA PIC X(4).
PROCEDURE DIVISION.
DFHMAIN.
    EXEC CICS ASSIGN FACILITY(WS-FACILITY) NETNAME(WS-NETNAME) STARTCODE(WS-CODE)
        SCRNHT(WS-ROWS) COLOR(WS-COLOR) END-EXEC.
    MOVE WS-ROWS TO WS-ROWS-TEXT.
    EXEC CICS RETRIEVE INTO(WS-IN) LENGTH(WS-LEN) END-EXEC.
    STRING WS-FACILITY ' ' WS-NETNAME ' ' WS-CODE ' ' WS-ROWS-TEXT ' ' WS-IN
        DELIMITED BY SIZE INTO WS-OUT.
    IF WS-COLOR = HIGH-VALUE MOVE 'C' TO WS-OUT (60:1).
    EXEC CICS SEND FROM(WS-OUT) LENGTH(60) ERASE END-EXEC.
    EXEC CICS RETURN END-EXEC.
";

/// The programs' modules, compiled once.
fn modules() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in [("FLOW", FLOW), ("TALK", TALK), ("SHOW", SHOW)] {
            compile(folder.path(), name, text);
        }
        folder
    });
    folder.path()
}

/// Compiles a program to a module of its name: `text` begins after the heading of
/// WORKING-STORAGE.
pub fn compile(folder: &Path, name: &str, text: &str) {
    let source = format!(
        "IDENTIFICATION DIVISION.\nPROGRAM-ID. {name}.\nDATA DIVISION.\n\
         WORKING-STORAGE SECTION.{text}"
    );
    let path = PathBuf::from(format!("{name}.cbl"));
    let library = CopyLibrary::default();
    let translation = translate(&path, source.as_bytes(), ReferenceFormat::Free, &library);
    let found = &translation.diagnostics;
    assert!(!translation.has_errors(), "{name}: {found:?}");
    let input = folder.join(format!("{name}.i"));
    std::fs::write(&input, &translation.text).expect("room");
    let compiled = Command::new("cobc")
        .args(translator::flags())
        .args(translator::checked::arguments(folder).expect("a header"))
        .current_dir(folder)
        .args(["-debug", "-o"])
        .arg(folder.join(format!("{name}.so")))
        .arg(&input)
        .output()
        .expect("GnuCOBOL is installed");
    let errors = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{name}: {errors}");
}

/// A region whose records are in a folder. KEEP is FLOW whose COMMAREA outlives
/// the region.
fn region(folder: &Path) -> Region {
    let transaction = |name: &str, program: &str| TransactionDef {
        name: Name::new(name).expect("a name"),
        program: Name::new(program).expect("a name"),
        recover_conversation: name == "KEEP",
        ..TransactionDef::default()
    };
    let program = |name: &str| ProgramEntry {
        name: Name::new(name).expect("a name"),
        module: Some(modules().join(format!("{name}.so"))),
        enabled: true,
        threadsafe: true,
        translated: true,
        ..ProgramEntry::default()
    };
    let config = RegionConfig {
        mxt: 1,
        arena_bytes: 1 << 20,
        worker_exe: PathBuf::from(env!("CARGO_BIN_EXE_tupelo")),
        store: Some(StoreEntry {
            path: folder.join("store"),
            map_bytes: 1 << 28,
            ..StoreEntry::default()
        }),
        definitions: RegionDefinitions {
            transactions: vec![
                transaction("FLOW", "FLOW"),
                transaction("KEEP", "FLOW"),
                transaction("TALK", "TALK"),
                transaction("SHOW", "SHOW"),
            ],
            programs: ["FLOW", "TALK", "SHOW"].map(program).to_vec(),
            ..RegionDefinitions::default()
        },
        ..RegionConfig::default()
    };
    Region::start(config).expect("a region")
}

/// Simulates a terminal: the screens that it was sent, and its events.
#[derive(Debug, Default)]
struct Screen {
    events: Mutex<VecDeque<FacilityEvent>>,
    news: Condvar,
}

impl FacilitySink for Screen {
    fn event(&self, _: FacilityId, event: FacilityEvent) {
        self.events.lock().expect("no panic").push_back(event);
        self.news.notify_all();
    }
}

impl Screen {
    fn next(&self) -> FacilityEvent {
        let events = self.events.lock().expect("no panic");
        let limit = Duration::from_secs(30);
        let (mut events, late) = (self.news)
            .wait_timeout_while(events, limit, |events| events.is_empty())
            .expect("no panic");
        assert!(!late.timed_out(), "nothing happens at the terminal");
        events.pop_front().expect("an event")
    }

    /// The output of the next task, and the transaction that it sets for the next input.
    fn shown(&self) -> (String, String) {
        let mut text = String::new();
        loop {
            match self.next() {
                FacilityEvent::Output(output) => {
                    text = String::from_utf8_lossy(&output.data).trim_end().to_owned();
                }
                FacilityEvent::Ended {
                    abend: None,
                    next_transid,
                } => break (text, next_transid.to_string().trim_end().to_owned()),
                FacilityEvent::Begins(_) => {}
                other => panic!("{other:?} after {text:?}"),
            }
        }
    }
}

/// A terminal of a region.
struct Terminal {
    region: Handle,
    id: FacilityId,
    screen: Arc<Screen>,
}

impl Terminal {
    fn new(region: &Region, terminal: &str, user: &str) -> Terminal {
        let size = ScreenSize {
            rows: 24,
            columns: 80,
        };
        let def = FacilityDef {
            terminal: Name::new(terminal).expect("a name"),
            netname: Name::new(&format!("LU{terminal}")).expect("a name"),
            userid: Name::new(user).expect("a name"),
            screen: size,
            default_screen: size,
            features: feature::COLOR,
            ..FacilityDef::default()
        };
        let (region, screen) = (region.handle(), Arc::new(Screen::default()));
        let id = region.register_facility(def, screen.clone());
        Terminal {
            id: id.expect("a facility"),
            region,
            screen,
        }
    }

    fn press(&self, aid: u8, text: &str) {
        let word = text.split(' ').next().unwrap_or_default();
        let entered = FacilityInput {
            aid,
            cursor: 80,
            data: text.as_bytes().to_vec(),
            transid: Name::new(word).unwrap_or_default(),
            ..FacilityInput::default()
        };
        let taken = self.region.input(self.id, entered);
        taken.unwrap_or_else(|refused| panic!("{text:?}: {refused}"));
    }

    /// Enters a text. Returns the screen.
    fn enter(&self, text: &str) -> String {
        self.press(ENTER, text);
        self.screen.shown().0
    }
}

#[test]
fn a_conversation_of_three_steps_holds_no_worker_between_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = region(folder.path());
    let [one, two] = ["T001", "T002"].map(|name| Terminal::new(&region, name, "ANNE"));
    assert_eq!(one.enter("FLOW a"), "FLOW T001 0001 FLOW a");
    // The region has one worker and allows one task.
    assert_eq!(two.enter("FLOW b"), "FLOW T002 0001 FLOW b");
    assert_eq!(region.handle().statistics().active, 0);
    assert_eq!(one.enter("step"), "FLOW T001 0002 step");
    assert_eq!(two.enter("step"), "FLOW T002 0002 step");
    assert_eq!(one.enter("third"), "FLOW T001 0003 third");
    one.press(PF3, "");
    assert_eq!(
        one.screen.shown(),
        ("left after 0003".into(), String::new())
    );
}

#[test]
fn a_key_goes_to_its_label_before_a_condition_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = region(folder.path());
    let terminal = Terminal::new(&region, "T001", "ANNE");
    let long = "FLOW and more than twenty characters";
    assert_eq!(terminal.enter(long), "too long");
    terminal.press(CLEAR, long);
    assert_eq!(
        terminal.screen.shown(),
        ("another key".into(), "FLOW".into())
    );
    terminal.press(PF3, long);
    assert_eq!(terminal.screen.shown().0, "left after 0000");
}

#[test]
fn a_recoverable_conversation_goes_on_after_a_restart_and_another_does_not() {
    let folder = tempfile::tempdir().expect("a folder");
    for orderly in [true, false] {
        let before = region(folder.path());
        let kept = Terminal::new(&before, "T001", "ANNE");
        let lost = Terminal::new(&before, "T002", "ANNE");
        assert_eq!(kept.enter("KEEP a"), "KEEP T001 0001 KEEP a");
        assert_eq!(kept.enter("b"), "KEEP T001 0002 b");
        assert_eq!(lost.enter("FLOW a"), "FLOW T002 0001 FLOW a");
        // Their handles have the store open.
        drop((kept, lost));
        if orderly {
            block_on(before.shutdown());
        } else {
            drop(before);
        }
        let after = region(folder.path());
        let other = Terminal::new(&after, "T001", "BILL");
        assert_eq!(next(&other), (String::new(), false));
        after.handle().close_facility(other.id);
        drop(other);
        let kept = Terminal::new(&after, "T001", "ANNE");
        assert_eq!(next(&kept), ("KEEP".into(), true));
        assert_eq!(kept.enter("c"), "KEEP T001 0003 c");
        let lost = Terminal::new(&after, "T002", "ANNE");
        assert_eq!(next(&lost), (String::new(), false));
        kept.press(PF3, "");
        assert_eq!(kept.screen.shown().0, "left after 0003");
        drop((kept, lost));
        block_on(after.shutdown());
    }
}

#[test]
fn a_task_that_waits_for_its_terminal_ends_when_that_leaves() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = region(folder.path());
    let leaving = Terminal::new(&region, "T002", "ANNE");
    leaving.press(ENTER, "TALK");
    while leaving.screen.next() != FacilityEvent::Waits {}
    region.handle().close_facility(leaving.id);
    let statistics = || region.handle().statistics();
    until("the task to end", || statistics().tasks_abended == 1);
    assert_eq!(statistics().active, 0);
    // Its worker serves the next one.
    let other = Terminal::new(&region, "T003", "ANNE");
    assert_eq!(other.enter("FLOW a"), "FLOW T003 0001 FLOW a");
}

#[test]
fn a_started_task_comes_to_a_terminal_between_two_inputs() {
    let folder = tempfile::tempdir().expect("a folder");
    let region = region(folder.path());
    let [one, two] = ["T001", "T002"].map(|name| Terminal::new(&region, name, "ANNE"));
    assert_eq!(one.enter("FLOW a"), "FLOW T001 0001 FLOW a");
    two.press(ENTER, "TALK");
    while two.screen.next() != FacilityEvent::Waits {}
    two.press(ENTER, "WORLD");
    assert_eq!(two.screen.shown().0, "hello WORLD");
    let (text, next) = one.screen.shown();
    assert!(text.starts_with("T001 LUT001   SD 24 WORLD"), "{text}");
    assert!(text.ends_with('C'), "{text}");
    // The COMMAREA of FLOW is still there.
    assert_eq!(next, "FLOW");
    assert_eq!(one.enter("b"), "FLOW T001 0002 b");
}

/// The transaction that waits for a terminal's next input, and whether it was
/// saved by an earlier run of the region.
fn next(terminal: &Terminal) -> (String, bool) {
    let state = terminal.region.facility(terminal.id).expect("a facility");
    let next = state.next_transid.to_string();
    (next.trim_end().to_owned(), state.recovered)
}
