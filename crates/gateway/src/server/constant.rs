//! The same server answering a constant: the baseline for the cost of
//! everything else.
//!
//! Connections, threads, limits and protocol are those of the gateway; a
//! request is answered as soon as its headers are read.

use super::body::ResponseBody;
use super::{Gateway, GatewayConfig, StartError};
use crate::backend::ProgramBackend;
use bytes::Bytes;
use http::{HeaderValue, Response, header};
use region::{
    Abend, CallFailure, ContainerName, NotStarted, ProgramCall, ProgramDoor, ProgramReply,
    ProgramTask, PutError,
};
use std::convert::Infallible;
use std::future::Future;
use std::io;

/// Starts a gateway that answers every request with 200 and `body`.
pub fn start(config: GatewayConfig, body: Bytes) -> Result<Gateway<NoBackend>, StartError> {
    Gateway::launch(config, Vec::new(), NoBackend, Some(body))
}

/// The answer to a request.
pub(super) fn answer(body: &Bytes) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::new(body.clone()));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// A backend that runs no programs.
#[derive(Debug, Clone, Copy)]
pub struct NoBackend;

impl ProgramBackend for NoBackend {
    type Door = NoBackend;

    fn enter<F: Future>(&self, main: impl FnOnce(NoBackend) -> F) -> io::Result<F::Output> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build_local(Default::default())?;
        Ok(runtime.block_on(main(NoBackend)))
    }

    fn impairment(&self) -> Option<String> {
        None
    }

    fn metrics(&self, _: &mut String) {}
}

impl ProgramDoor for NoBackend {
    type Task = NoTask;

    async fn begin(&self, _: ProgramCall<'_>) -> Result<NoTask, NotStarted> {
        Err(NotStarted::Impossible(
            "this server answers a constant".to_string(),
        ))
    }
}

/// A task that is never made.
#[derive(Debug)]
pub struct NoTask(Infallible);

impl ProgramTask for NoTask {
    type Reply = NoTask;

    fn put_container<E>(
        &mut self,
        _: ContainerName,
        _: usize,
        _: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), PutError<E>> {
        match self.0 {}
    }

    fn set_commarea<E>(
        &mut self,
        _: usize,
        _: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), PutError<E>> {
        match self.0 {}
    }

    async fn run(self) -> Result<NoTask, CallFailure> {
        match self.0 {}
    }
}

impl ProgramReply for NoTask {
    fn abend(&self) -> Option<&Abend> {
        match self.0 {}
    }

    fn container(&self, _: ContainerName) -> Option<&[u8]> {
        match self.0 {}
    }

    fn container_names(&self) -> Vec<ContainerName> {
        match self.0 {}
    }

    fn commarea(&self) -> &[u8] {
        match self.0 {}
    }
}
