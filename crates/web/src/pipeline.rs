//! The seam to pipelines: who serves a URIMAP with USAGE(PIPELINE).

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use region::{Port, TransId, UserId};

use crate::request::{WebAnswer, WebRequest};

/// Runs pipelines.
pub trait PipelineRunner: Debug + Send + Sync {
    /// Answers a request. The future runs on the thread of its connection; it
    /// is not dropped when the client goes away.
    fn run(&self, call: PipelineCall) -> Pipelined;
}

/// An answer under way.
pub type Pipelined = Pin<Box<dyn Future<Output = WebAnswer>>>;

/// A request for a pipeline.
#[derive(Clone)]
pub struct PipelineCall {
    /// PIPELINE of the URIMAP.
    pub pipeline: String,
    /// WEBSERVICE of the URIMAP.
    pub web_service: Option<String>,
    /// TRANSACTION of the URIMAP, or CPIH.
    pub transaction: TransId,
    /// Name of the URIMAP.
    pub map: String,
    /// Who calls, or USERID of the URIMAP, or the region's default user.
    pub userid: UserId,
    /// The request.
    pub request: Arc<WebRequest>,
    /// Where the thread hears of the ends of its tasks.
    pub port: Port,
}
