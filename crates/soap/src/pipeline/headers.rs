//! The programs for header blocks within a SOAP handler.

use super::config::HeaderProgram;
use std::collections::VecDeque;

/// Pending calls, and the header blocks that calls have made.
#[derive(Debug, Default)]
pub(super) struct Headers {
    /// Program and block.
    calls: VecDeque<(String, String)>,
    /// Programs that get a call with the answer.
    again: Vec<String>,
    /// Blocks of the message that is sent.
    pub blocks: Vec<String>,
    /// Whether blocks are taken from the programs' results.
    sending: bool,
}

impl Headers {
    /// For a message that is sent: the programs that are always called.
    pub fn to_send(programs: &[HeaderProgram]) -> Headers {
        let mandatory = programs.iter().filter(|p| p.mandatory);
        Headers {
            calls: mandatory
                .map(|p| (p.program.clone(), String::new()))
                .collect(),
            sending: true,
            ..Headers::default()
        }
    }

    /// For a message that was received: a call for each block that a program
    /// takes, and those that are always called.
    pub fn received(&mut self, program: &HeaderProgram, blocks: &[&str]) {
        if blocks.is_empty() && !program.mandatory {
            return;
        }
        self.again.push(program.program.clone());
        match blocks {
            [] => self
                .calls
                .push_back((program.program.clone(), String::new())),
            blocks => {
                let call = |block: &&str| (program.program.clone(), (*block).to_owned());
                self.calls.extend(blocks.iter().map(call));
            }
        }
    }

    /// Queues the programs that were called with the request, to be called with
    /// the answer.
    pub fn answer(&mut self) {
        self.sending = true;
        self.blocks.clear();
        let again = std::mem::take(&mut self.again);
        self.calls = again
            .into_iter()
            .map(|program| (program, String::new()))
            .collect();
    }

    /// The next call.
    pub fn next(&mut self) -> Option<(String, String)> {
        self.calls.pop_front()
    }

    /// Takes the header that a program left in DFHHEADER.
    pub fn done(&mut self, header: String) {
        if self.sending && !header.trim().is_empty() {
            self.blocks.push(header);
        }
    }
}
