//! XCTL of a script: a program takes its place.
//!
//! XCTL ends the script. The program then runs in the script's place, as by a
//! LINK, before the script's answer is sent.
//!
//! Reference: CICS application programming, XCTL.

use region::LinkData;

use crate::engine::ScriptAnswer;
use crate::failure::{self, ScriptFailure};
use crate::host::{Fault, ProgramInput, ProgramOutput, ScriptHost};

/// XCTL: what takes a script's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XctlTarget {
    /// The program.
    pub program: String,
    /// The data passed to it.
    pub given: LinkData,
    /// The offset of the data in the COMMAREA of the script's caller, or 0 for the
    /// caller's channel: the program's changes are the caller's. `None` for data of
    /// the script itself, which is dropped with it.
    pub back: Option<usize>,
}

/// Runs the target of a script's XCTL in the script's place.
pub(crate) fn gone_over(
    mut answer: ScriptAnswer,
    host: &mut dyn ScriptHost,
) -> Result<ScriptAnswer, ScriptFailure> {
    let Some(XctlTarget {
        program,
        given,
        back,
    }) = answer.transfer.take()
    else {
        return Ok(answer);
    };
    let input = match &given {
        LinkData::Commarea(area) if area.is_empty() => ProgramInput::None,
        LinkData::Commarea(area) => ProgramInput::Commarea(area),
        LinkData::Channel(channel) => ProgramInput::Channel(channel),
    };
    let output = host.link(&program, input).map_err(|fault| match fault {
        Fault::Abend(abend) => ScriptFailure {
            abend,
            stack: String::new(),
        },
        Fault::Condition(condition, resp2) => ScriptFailure::new(
            failure::NO_PROGRAM,
            format!("XCTL {program} returned {condition}, RESP2 {resp2}"),
        ),
    })?;
    let ProgramOutput { commarea, channel } = output;
    match (&mut answer.passed, channel, back) {
        (Some(LinkData::Commarea(area)), None, Some(at)) => {
            let to = area.get_mut(at..).unwrap_or_default();
            let bytes = to.len().min(commarea.len());
            to[..bytes].copy_from_slice(&commarea[..bytes]);
        }
        (Some(LinkData::Channel(to)), Some(channel), Some(_)) => *to = channel,
        _ => {}
    }
    Ok(answer)
}
