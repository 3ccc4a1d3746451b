//! APINGD: the side that answers.

use super::{SYSTEM_TAG, VERSION};
use crate::conversation::Conversation;
use crate::{Error, IncomingAttach, NodeHost};
use sna::TpDefinition;
use sna::conversation::code::{DataReceived, DeallocateType, PrepareToReceiveType, StatusReceived};
use sna::ebcdic;
use std::sync::Arc;

/// The server's transaction program name.
pub const TP_NAME: &str = "APINGD";

/// Lets partners attach APINGD.
pub fn define(host: &NodeHost) -> Result<(), Error> {
    let name = TP_NAME
        .parse()
        .map_err(|why| Error::config("tp", TP_NAME, why))?;
    let program = Arc::new(|incoming: IncomingAttach| {
        let partner = incoming.attached.partner.clone();
        if let Err(error) = serve(incoming.conversation) {
            tracing::info!("APINGD for {partner}: {error}");
        }
    });
    host.define_program(TpDefinition::new(name), program);
    Ok(())
}

/// Serves one conversation to its end.
fn serve(mut conversation: Conversation) -> Result<(), Error> {
    conversation.accept()?;
    let mut buffer = vec![0; 32_767];
    let mut greeted = false;
    loop {
        let (mut records, mut size) = (0u32, 0usize);
        let status = loop {
            let got = conversation.receive(&mut buffer)?;
            if got.ended {
                return Ok(());
            }
            size = if got.data.any() { got.len } else { size };
            records += u32::from(got.data == DataReceived::Complete);
            if got.status != StatusReceived::None {
                break got.status;
            }
        };
        match status {
            StatusReceived::Confirm => {
                conversation.confirmed()?;
                continue;
            }
            StatusReceived::ConfirmDeallocate => return conversation.confirmed(),
            StatusReceived::ConfirmSend => conversation.confirmed()?,
            StatusReceived::Send | StatusReceived::None => {}
        }
        if greeted {
            for _ in 0..records {
                conversation.send(&buffer[..size])?;
            }
        } else {
            if records != 1 || buffer[0] != 1 || size < 3 {
                let name = "without a version".to_owned();
                conversation.deallocate(DeallocateType::Abend)?;
                return Err(Error::Partner(name));
            }
            greeted = true;
            conversation.send(&greeting())?;
        }
        conversation.prepare_to_receive(PrepareToReceiveType::Flush)?;
    }
}

/// Version and operating system.
fn greeting() -> Vec<u8> {
    let mut answer = VERSION.to_vec();
    answer.push(SYSTEM_TAG);
    answer.extend(ebcdic::from_str("Linux (Tupelo)"));
    answer
}
