//! The application folder of a case: the programs of `examples/sockets`.

use super::CycleCase;
use crate::serve::ServedApplication;

/// LINKs of the customer's program in one run of LABLOOP.
pub const LOOPS: u32 = 20_000;

/// The folder.
pub fn application(case: &CycleCase) -> ServedApplication {
    let settings = format!(
        "{}\
         [sockets]\nserved = \"{}\"\nconnect = [\"127.0.0.1\"]\n\
         [sockets.listeners.CSKL]\nport = 0\nnumsock = 2000\nbacklog = 4096\n\
         [sockets.receivers.RECV]\nprogram = \"SHOUT\"\nanswers = \"SEND\"\n\
         frame = {{ delimiter = \"\\n\" }}\narea_bytes = 1002\narea_length = 2\n\
         [sockets.receivers.LINE]\nprogram = \"SHOUT\"\n\
         frame = {{ delimiter = \"\\n\" }}\narea_bytes = 1002\narea_length = 2\n",
        if case.offload { ENGINES_APART } else { "" },
        case.served
    );
    let programs = PROGRAMS.iter().fold(
        ServedApplication::default().settings(&settings),
        |application, (name, source)| application.program(name, source),
    );
    let copybooks = COPYBOOKS
        .iter()
        .fold(programs, |application, (name, text)| {
            application.file(format!("copybooks/{name}.cpy"), *text)
        });
    let mut definitions = String::new();
    for (transid, program) in TRANSACTIONS {
        definitions += &format!("DEFINE TRANSACTION({transid}) GROUP(LAB) PROGRAM({program})\n");
    }
    for (program, _) in PROGRAMS {
        definitions += &format!("DEFINE PROGRAM({program}) GROUP(LAB) CONCURRENCY(THREADSAFE)\n");
    }
    copybooks.definitions(&definitions)
}

/// The first processor is general, the second is for the infrastructure.
const ENGINES_APART: &str = "[engines]\ngeneral = \"0\"\noffload = \"1\"\n";

const TRANSACTIONS: [(&str, &str); 5] = [
    ("RECV", "RECEIVER"),
    ("SEND", "SENDER"),
    ("LINE", "LINES"),
    ("INJ1", "INJECT"),
    ("LOOP", "LABLOOP"),
];

const PROGRAMS: [(&str, &str); 6] = [
    (
        "RECEIVER",
        include_str!("../../../../examples/sockets/cobol/RECEIVER.cbl"),
    ),
    (
        "SENDER",
        include_str!("../../../../examples/sockets/cobol/SENDER.cbl"),
    ),
    (
        "LINES",
        include_str!("../../../../examples/sockets/cobol/LINES.cbl"),
    ),
    (
        "INJECT",
        include_str!("../../../../examples/sockets/cobol/INJECT.cbl"),
    ),
    (
        "SHOUT",
        include_str!("../../../../examples/sockets/cobol/SHOUT.cbl"),
    ),
    ("LABLOOP", include_str!("../../programs/LABLOOP.cbl")),
];

const COPYBOOKS: [(&str, &str); 5] = [
    (
        "SOCKTIM",
        include_str!("../../../../examples/sockets/copybooks/SOCKTIM.cpy"),
    ),
    (
        "SOCKTAKE",
        include_str!("../../../../examples/sockets/copybooks/SOCKTAKE.cpy"),
    ),
    (
        "SOCKPAIR",
        include_str!("../../../../examples/sockets/copybooks/SOCKPAIR.cpy"),
    ),
    (
        "SOCKLINE",
        include_str!("../../../../examples/sockets/copybooks/SOCKLINE.cpy"),
    ),
    (
        "SOCKREAD",
        include_str!("../../../../examples/sockets/copybooks/SOCKREAD.cpy"),
    ),
];
