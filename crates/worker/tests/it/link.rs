//! A worker process on a link, as a region runs it.

use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use link::config::WorkerConfig;
use link::layout::REQUEST_CHANNEL;
use link::{
    CallAnswer, CallAreaState, CallOperation, ChannelName, ConfigText, ContainerEntry,
    ContainerName, ContainerType, ProgramName, RegionPage, RegionSide, Request, SlotResults,
    SlotState, WORKER_FD,
};
use serde_json::json;

use crate::cobol::CobolHarness;

const ARENA_BYTES: usize = 4 << 20;

struct Region {
    page: RegionPage,
    side: RegionSide,
    child: Child,
    sequence: u32,
}

impl Region {
    fn start(harness: &CobolHarness) -> Self {
        let config: WorkerConfig = serde_json::from_value(harness.config()).unwrap();
        let page = RegionPage::create().unwrap();
        let config = ConfigText::new(&config).unwrap();
        let (side, socket) = RegionSide::create(0, ARENA_BYTES, &page, &config).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tupelo-worker"));
        let from = socket.as_raw_fd();
        // SAFETY: dup2 may be called between fork and exec; it also clears
        // the close-on-exec flag, unless both numbers are the same.
        unsafe {
            command.pre_exec(move || {
                let rc = if from == WORKER_FD {
                    libc::fcntl(from, libc::F_SETFD, 0)
                } else {
                    libc::dup2(from, WORKER_FD)
                };
                if rc < 0 {
                    Err(std::io::Error::last_os_error())
                } else {
                    Ok(())
                }
            });
        }
        let child = command.spawn().unwrap();
        Region {
            page,
            side,
            child,
            sequence: 0,
        }
    }

    fn submit(&mut self, mut request: Request, data: &[u8]) {
        // SAFETY: the slot is free, so its arena is ours.
        unsafe {
            self.side
                .arena(0)
                .copy_from_nonoverlapping(data.as_ptr(), data.len())
        };
        self.sequence += 1;
        request.used += data.len() as u64;
        self.side.submit(0, self.sequence, &request);
        self.side.wake();
    }

    /// Sleeps until the worker has news.
    fn wait(&self) {
        if self.page.prepare_sleep(0) {
            let mut poll = libc::pollfd {
                fd: self.page.event(0).as_raw_fd(),
                events: libc::POLLIN,
                revents: 0,
            };
            // SAFETY: one valid pollfd, and eight bytes of a local variable.
            unsafe {
                assert_eq!(libc::poll(&mut poll, 1, 30_000), 1, "the worker is silent");
                let mut count = 0u64;
                libc::read(poll.fd, (&raw mut count).cast(), 8);
            }
        }
        self.page.awake(0);
        self.page.drain(0, |_| {});
    }

    fn done(&self) -> (SlotResults, Vec<ContainerEntry>) {
        while self.side.state(0, self.sequence) != SlotState::Done {
            self.wait();
        }
        let (mut results, mut entries) = (SlotResults::default(), Vec::new());
        self.side.results(0, &mut results, &mut entries).unwrap();
        (results, entries)
    }

    fn call(&self) -> (CallOperation, Vec<u8>) {
        loop {
            match self.side.take_call() {
                CallAreaState::Call(call) => return (call.op, call.data),
                _ => self.wait(),
            }
        }
    }

    fn text(&self, entry: &ContainerEntry) -> String {
        // SAFETY: the extent was checked; the slot is done, so no thread writes.
        let bytes = unsafe {
            std::slice::from_raw_parts(self.side.arena(0).add(entry.offset), entry.bytes)
        };
        String::from_utf8_lossy(bytes).into_owned()
    }

    fn end(mut self) -> bool {
        self.side.retire();
        self.child.wait().unwrap().success()
    }
}

fn request(program: &str) -> Request {
    Request {
        task: 7,
        program: ProgramName::new(program).unwrap(),
        ..Request::default()
    }
}

#[test]
fn containers_go_in_and_out_through_the_arena() {
    let harness = CobolHarness::new().program(
        "A",
        "01 W PIC X(5).",
        "",
        "EXEC CICS GET CONTAINER(\"IN\") INTO(W) END-EXEC\n\
         EXEC CICS PUT CONTAINER(\"OUT\") FROM(W) CHAR END-EXEC\n\
         EXEC CICS PUT CONTAINER(\"OUT\") FROM(W) APPEND END-EXEC\n GOBACK.\n",
    );
    let mut region = Region::start(&harness);
    for _ in 0..3 {
        let entry = ContainerEntry {
            name: ContainerName::new("IN").unwrap(),
            offset: 64,
            bytes: 5,
            kind: ContainerType::Char,
            ccsid: 0,
        };
        // SAFETY: the slot is free, so its arena is ours.
        unsafe { link::write_directory(region.side.arena(0), ARENA_BYTES, 0, &[entry]) };
        let mut data = vec![0; 64];
        // SAFETY: as above; the directory is not changed.
        unsafe {
            data.as_mut_ptr()
                .copy_from_nonoverlapping(region.side.arena(0), 64)
        };
        data.extend_from_slice(b"hello");
        let ask = Request {
            flags: REQUEST_CHANNEL,
            channel: ChannelName::new("CH").unwrap(),
            containers: 1,
            ..request("A")
        };
        region.submit(ask, &data);
        let (results, entries) = region.done();
        assert!(
            results.abend.is_blank(),
            "{}",
            region.side.message(0, &results)
        );
        let out = entries.iter().find(|e| e.name.as_str() == "OUT").unwrap();
        assert_eq!(region.text(out), "hellohello");
        assert_eq!(results.channel.as_str(), "CH");
        assert_eq!(results.counts.container_commands, 3);
        assert!(results.counts.cpu_ns > 0);
        region.side.free(0, results.high_water);
    }
    assert!(region.end());
}

#[test]
fn a_task_calls_its_region_and_runs_a_program_for_it() {
    let harness = CobolHarness::new()
        .program(
            "B",
            "",
            "01 DFHCOMMAREA PIC X(6).",
            "MOVE \"nested\" TO DFHCOMMAREA\n GOBACK.\n",
        )
        .program(
            "A",
            "",
            "01 DFHCOMMAREA PIC X(6).",
            "EXEC CICS LINK PROGRAM(\"FARAWAY\") COMMAREA(DFHCOMMAREA) END-EXEC\n\
             EXEC CICS SYNCPOINT END-EXEC\n GOBACK.\n",
        )
        .with("threadsafe", json!(false))
        .elsewhere("FARAWAY");
    let mut region = Region::start(&harness);
    region.submit(
        Request {
            commarea_bytes: 6,
            ..request("A")
        },
        b"asking",
    );
    let (op, data) = region.call();
    assert_eq!(
        (op, &data[..]),
        (CallOperation::Link, &b"FARAWAY asking"[..])
    );
    assert!(
        matches!(region.page.qr().try_take(), Ok(Some(_))),
        "a waiting task holds no token"
    );
    region.page.qr().give();
    region.side.run_nested(&CallAnswer {
        data: b"B       ......".to_vec(),
        ..CallAnswer::default()
    });
    let nested = loop {
        match region.side.take_call() {
            CallAreaState::NestedDone(answer) => break answer,
            _ => region.wait(),
        }
    };
    assert_eq!(nested.data, b"nested");
    region.side.answer(&CallAnswer {
        data: b"answer".to_vec(),
        ..CallAnswer::default()
    });
    assert_eq!(region.call().0, CallOperation::Syncpoint);
    region.side.answer(&CallAnswer::default());
    let (results, _) = region.done();
    assert!(
        results.abend.is_blank(),
        "{}",
        region.side.message(0, &results)
    );
    assert_eq!((results.commarea, results.commarea_bytes), (0, 6));
    assert_eq!(results.counts.region_calls, 3);
    // SAFETY: the slot is done.
    let area = unsafe { std::slice::from_raw_parts(region.side.arena(0), 6) };
    assert_eq!(area, b"answer");
    assert!(region.end());
}

#[test]
fn a_runtime_error_retires_the_worker_after_its_answer() {
    let harness = CobolHarness::new().program(
        "A",
        "01 T.\n05 E PIC X OCCURS 5.\n01 N PIC 9(4) VALUE 9.",
        "",
        "MOVE \"X\" TO E(N)\n GOBACK.\n",
    );
    let mut region = Region::start(&harness);
    region.submit(request("A"), b"");
    let (results, _) = region.done();
    assert_eq!(results.abend.as_str(), "ASRA");
    assert_eq!(results.program.as_str(), "A");
    assert!(region.side.message(0, &results).contains("subscript"));
    assert_eq!(results.flags & link::layout::RESULT_RETIRE, 1);
    assert!(region.child.wait().unwrap().success());
}
