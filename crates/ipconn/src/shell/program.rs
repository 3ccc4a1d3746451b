//! A program call of a front door that runs in a region elsewhere.
//!
//! The input is written into the message in place, and the reply is read in place,
//! as with a region of this process.

use std::rc::Rc;

use bytes::Bytes;
use region::{
    Abend, CallFailure, ContainerName, ContainerType, NotStarted, ProgramCall, ProgramReply,
    ProgramTask, PutError,
};

use super::pool::ConnectionPool;
use crate::wire::{self, RequestBuilder, RequestEnding, RequestHead};

/// A call whose input is being written.
pub struct RemoteTask {
    pool: Rc<ConnectionPool>,
    connection: String,
    request: RequestBuilder,
    idempotent: bool,
}

/// The reply.
pub struct RemoteReply(wire::ReplyMessage, Option<Abend>);

impl RemoteTask {
    /// Begins a call of a connection or a group.
    pub fn begin(
        pool: &Rc<ConnectionPool>,
        connection: &str,
        call: &ProgramCall<'_>,
    ) -> RemoteTask {
        let request = &call.request;
        let head = RequestHead {
            timeout_ms: request.timeout_ms,
            trace_id: request.trace_id,
            transid: request.transid,
            eib_transid: request.eib_transid,
            program: request.program,
            user: request.userid,
            ..RequestHead::default()
        };
        RemoteTask {
            pool: pool.clone(),
            connection: connection.to_owned(),
            request: RequestBuilder::new(head, request.expected_bytes),
            idempotent: call.idempotent,
        }
    }
}

impl ProgramTask for RemoteTask {
    type Reply = RemoteReply;

    fn put_container<E>(
        &mut self,
        name: ContainerName,
        max: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), PutError<E>> {
        if !region::program_link::valid_name(name.as_bytes()) {
            return Err(PutError::Form(format!("{name}: not a container's name")));
        }
        let what = (name, ContainerType::Bit, 0);
        let put = self.request.put(what, max, fill);
        put.ok_or(PutError::TooLarge)?.map_err(PutError::Fill)
    }

    fn set_commarea<E>(
        &mut self,
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), PutError<E>> {
        self.request.set_commarea(len, fill).map_err(PutError::Fill)
    }

    async fn run(self) -> Result<RemoteReply, CallFailure> {
        let message = Bytes::from(self.request.finish());
        let called = self.pool.call(&self.connection, message, self.idempotent);
        let reply = called.await?;
        match reply.head.ending {
            RequestEnding::Normal => Ok(RemoteReply(reply, None)),
            RequestEnding::Abend(code) => {
                let abend = Abend {
                    code,
                    program: reply.head.program,
                    line: reply.head.line,
                    message: reply.head.text.clone(),
                };
                Ok(RemoteReply(reply, Some(abend)))
            }
            RequestEnding::Later => Err(CallFailure::NotStarted(NotStarted::Busy(reply.head.text))),
            RequestEnding::Never | RequestEnding::Condition(..) => Err(CallFailure::NotStarted(
                NotStarted::Impossible(reply.head.text),
            )),
        }
    }
}

impl ProgramReply for RemoteReply {
    fn abend(&self) -> Option<&Abend> {
        self.1.as_ref()
    }

    fn container(&self, name: ContainerName) -> Option<&[u8]> {
        self.0.named(name)
    }

    fn container_names(&self) -> Vec<ContainerName> {
        let all = self.0.containers.iter();
        all.map(|container| container.name).collect()
    }

    fn commarea(&self) -> &[u8] {
        self.0.commarea()
    }
}
