//! A region elsewhere as the gateway sees it: the provider of the gateway that
//! goes over `ipconn`.

use std::rc::Rc;

use bytes::Bytes;
use gateway::{Abend, Call, Failed, PutError, Refusal, Reply, Task};
use ipconn::Pool;
use ipconn::wire::{self, Ending, RequestBuilder, RequestHead};
use region::{ContainerName, ContainerType};

/// A call whose input is being written.
pub struct RemoteTask {
    pool: Rc<Pool>,
    connection: String,
    request: RequestBuilder,
    idempotent: bool,
}

/// What came back.
pub struct RemoteReply(wire::Reply);

/// Begins a call of a connection or a group.
pub fn begin(pool: &Rc<Pool>, connection: &str, call: &Call<'_>) -> Result<RemoteTask, Refusal> {
    let impossible = |what: &str, name: &str, why: &dyn std::fmt::Display| {
        Refusal::Impossible(format!("{what} {name:?}: {why}"))
    };
    let seen = call.eib_transid.unwrap_or_default();
    let head = RequestHead {
        timeout_ms: call.timeout_ms,
        trace_id: call.trace_id,
        transid: call
            .transid
            .parse()
            .map_err(|e| impossible("transaction", call.transid, &e))?,
        eib_transid: match seen {
            "" => region::TransId::BLANK,
            seen => seen
                .parse::<region::TransId>()
                .map_err(|e| impossible("transaction", seen, &e))?,
        },
        program: call
            .program
            .parse()
            .map_err(|e| impossible("program", call.program, &e))?,
        user: call
            .user_id
            .and_then(|id| id.parse().ok())
            .unwrap_or(region::UserId::BLANK),
        ..RequestHead::default()
    };
    Ok(RemoteTask {
        pool: pool.clone(),
        connection: connection.to_owned(),
        request: RequestBuilder::new(head, call.expected_bytes),
        idempotent: call.idempotent,
    })
}

impl Task for RemoteTask {
    type Reply = RemoteReply;

    fn put_container<E>(
        &mut self,
        name: &str,
        max: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), PutError<E>> {
        let name = ContainerName::new(name).map_err(|e| PutError::Name(e.to_string()))?;
        if !region::program_link::valid_name(name.as_bytes()) {
            return Err(PutError::Name(format!("{name}: not a container's name")));
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

    async fn run(self) -> Result<RemoteReply, Failed> {
        let message = Bytes::from(self.request.finish());
        let called = self.pool.call(&self.connection, message, self.idempotent);
        let reply = called.await.map_err(failed)?;
        match reply.head.ending {
            Ending::Normal | Ending::Abend(_) => Ok(RemoteReply(reply)),
            Ending::Later => Err(Failed::Refused(Refusal::Busy(reply.head.text))),
            Ending::Never | Ending::Condition(..) => {
                Err(Failed::Refused(Refusal::Impossible(reply.head.text)))
            }
        }
    }
}

fn failed(failed: ipconn::Failed) -> Failed {
    let text = failed.to_string();
    match failed {
        ipconn::Failed::Unknown(_) => Failed::Refused(Refusal::Impossible(text)),
        ipconn::Failed::NoSession(_) | ipconn::Failed::Busy(_) => {
            Failed::Refused(Refusal::Busy(text))
        }
        ipconn::Failed::Unreachable(_) => Failed::Refused(Refusal::Unreachable(text)),
        ipconn::Failed::Lost(_) => Failed::Lost(text),
        ipconn::Failed::TooLarge(..) => Failed::TooLarge,
    }
}

impl Reply for RemoteReply {
    fn abend(&self) -> Option<Abend> {
        let head = &self.0.head;
        let Ending::Abend(code) = head.ending else {
            return None;
        };
        Some(Abend {
            code: String::from_utf8_lossy(&code).into_owned(),
            program: head.program.to_string(),
            line: head.line,
            message: head.text.clone(),
        })
    }

    fn container(&self, name: &str) -> Option<&[u8]> {
        self.0.container(name)
    }

    fn container_names(&self) -> Vec<String> {
        let all = self.0.containers.iter();
        all.map(|c| c.name.to_string()).collect()
    }

    fn commarea(&self) -> &[u8] {
        self.0.commarea()
    }
}
