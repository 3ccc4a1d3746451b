//! The programs that the C and COBOL programs speak to. PARTNER does what the
//! first letter of the first record says; READY ends at once.

use appc::{Conversation, Error, IncomingAttach, NodeHost};
use sna::TpDefinition;
use sna::conversation::code::{
    DataReceived, DeallocateType, PrepareToReceiveType, ReturnCode, StatusReceived,
};
use std::sync::Arc;

/// Lets the programs be attached.
pub fn define(host: &NodeHost) {
    let define = |name: &str, program: fn(Conversation) -> Result<(), Error>| {
        let tp = TpDefinition::new(name.parse().unwrap());
        // The partner's own program reports what it did wrong.
        let run = move |incoming: IncomingAttach| drop(program(incoming.conversation));
        host.define_program(tp, Arc::new(run));
    };
    define("PARTNER", partner);
    define("READY", |mut conversation| conversation.accept());
}

/// Waits until READY was attached by so many programs.
pub fn wait_until_ready(host: &NodeHost, programs: u64) {
    let begin = std::time::Instant::now();
    while host.status().attached < programs {
        assert!(begin.elapsed().as_secs() < 30, "READY was not attached");
        std::thread::yield_now();
    }
}

/// A record, and the status that came with it or next.
fn receive_record(
    conversation: &mut Conversation,
) -> Result<Option<(Vec<u8>, StatusReceived)>, Error> {
    let mut buffer = vec![0; 32_767];
    let mut record = Vec::new();
    loop {
        let got = match conversation.receive(&mut buffer) {
            // The other program says that what it sent is of no use.
            Err(error) if error.code() == Some(ReturnCode::ProgramErrorNoTrunc) => continue,
            got => got?,
        };
        if got.ended {
            return Ok(None);
        }
        if got.data != DataReceived::None {
            record = buffer[..got.len].to_vec();
        }
        if got.status != StatusReceived::None {
            return Ok(Some((record, got.status)));
        }
    }
}

fn partner(mut conversation: Conversation) -> Result<(), Error> {
    conversation.accept()?;
    let Some((record, status)) = receive_record(&mut conversation)? else {
        return Ok(());
    };
    match record.first() {
        Some(b'F') => {
            conversation.send(b"reply")?;
            conversation.confirm()?;
            listen(conversation)
        }
        Some(b'P') => {
            conversation.send(b"reply")?;
            conversation.prepare_to_receive(PrepareToReceiveType::Confirm)?;
            listen(conversation)
        }
        Some(b'D') => {
            conversation.send(b"reply")?;
            conversation.deallocate(DeallocateType::Confirm)
        }
        Some(b'S') => {
            conversation.send_error()?;
            conversation.send(b"sorry")?;
            conversation.deallocate(DeallocateType::Flush)
        }
        Some(b'A') => conversation.deallocate(DeallocateType::Abend),
        Some(b'R') => {
            conversation.request_to_send()?;
            conversation.confirmed()?;
            listen(conversation)
        }
        Some(b'T') => {
            conversation.send(b"reply")?;
            conversation.prepare_to_receive(PrepareToReceiveType::Flush)?;
            listen(conversation)
        }
        _ => answer(conversation, record, status),
    }
}

/// Confirms what is to be confirmed until the end.
fn listen(mut conversation: Conversation) -> Result<(), Error> {
    while let Some((_, status)) = receive_record(&mut conversation)? {
        match status {
            StatusReceived::Confirm | StatusReceived::ConfirmSend => conversation.confirmed()?,
            StatusReceived::ConfirmDeallocate => return conversation.confirmed(),
            _ => {}
        }
    }
    Ok(())
}

/// Gives a record back whenever it has the turn.
fn answer(
    mut conversation: Conversation,
    mut record: Vec<u8>,
    mut status: StatusReceived,
) -> Result<(), Error> {
    loop {
        match status {
            StatusReceived::Confirm => conversation.confirmed()?,
            StatusReceived::ConfirmDeallocate => return conversation.confirmed(),
            _ => {
                if status == StatusReceived::ConfirmSend {
                    conversation.confirmed()?;
                }
                conversation.send(&record)?;
                conversation.prepare_to_receive(PrepareToReceiveType::Flush)?;
            }
        }
        match receive_record(&mut conversation)? {
            Some((next, reported)) => {
                if !next.is_empty() {
                    record = next;
                }
                status = reported;
            }
            None => return Ok(()),
        }
    }
}
