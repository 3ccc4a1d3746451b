//! Answers of API-first assets: the program's output in derived structures, as JSON.

use super::problems::{ProgramOutput, absent_containers, bad_data};
use crate::json::{JsonTape, TapeValue};
use crate::problem::{Fault, ProblemDocument};
use crate::project::asset::{ApiFirst, ProgramAsset};
use crate::project::structure;
use region::{ContainerName, ProgramReply};

/// The program's output in derived structures, as JSON.
pub(super) fn read_derived<'t>(
    asset: &ProgramAsset,
    derived: &ApiFirst,
    left: &ProgramOutput<'_>,
    reply: &impl ProgramReply,
    text: &'t mut Vec<u8>,
    tape: &'t mut JsonTape,
) -> Result<TapeValue<'t>, Box<ProblemDocument>> {
    text.extend_from_slice(b"{\"channel\":");
    let container = |name: &str| reply.container(ContainerName::new(name).ok()?);
    let read = derived.response.read(&container, text);
    if !read.map_err(|fault| Box::new(left.logged(asset, bad_data(*fault))))? {
        let absent = absent_containers(asset, &[structure::BASE], left);
        return Err(Box::new(absent));
    }
    text.push(b'}');
    tape.parse(text).map_err(|e| {
        let message = e.message.to_owned();
        Box::new(bad_data(Fault {
            message,
            ..Fault::default()
        }))
    })
}
