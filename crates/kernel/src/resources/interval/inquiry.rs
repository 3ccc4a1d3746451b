//! The data of INQUIRE REQID about requests to start tasks.

use link::{TransId, UserId};

use super::{IntervalControl, ReqId, StartRequest, StartStage, UNNAMED};

/// A request that waits for its time.
#[derive(Debug, Clone, Copy)]
pub struct RequestInfo<'r> {
    /// The transaction to start.
    pub transid: TransId,
    /// The user that the started task will have.
    pub userid: UserId,
    /// The terminal of the started task, blank for none.
    pub terminal: link::Name<4>,
    /// Expiration time, nanoseconds of the region's clock.
    pub at: u64,
    /// Data for RETRIEVE.
    pub data: &'r [u8],
    /// RTRANSID.
    pub rtransid: Option<[u8; 4]>,
    /// RTERMID.
    pub rtermid: Option<[u8; 4]>,
    /// QUEUE.
    pub queue: Option<[u8; 8]>,
}

impl IntervalControl {
    /// The transactions of all requests that wait for their time.
    pub fn scheduled(&self) -> impl Iterator<Item = TransId> {
        let waiting =
            (self.requests.values()).filter(|r| matches!(r.stage, StartStage::Waiting(_)));
        waiting.map(|r| r.start.transid)
    }

    /// The names of the requests that wait for their time.
    pub fn waiting(&self) -> impl Iterator<Item = &ReqId> {
        let waiting = self.requests.values().filter(|r| waits(r));
        waiting.map(|r| &r.name)
    }

    /// The oldest request of a name that waits for its time.
    pub fn request(&self, name: ReqId) -> Option<RequestInfo<'_>> {
        let request = self.named(name).find(|r| waits(r))?;
        let data = request.data.as_ref();
        Some(RequestInfo {
            transid: request.start.transid,
            userid: request.start.userid,
            terminal: request.start.facility,
            at: request.at,
            data: data.and_then(|d| d.from.as_deref()).unwrap_or_default(),
            rtransid: data.and_then(|d| d.rtransid),
            rtermid: data.and_then(|d| d.rtermid),
            queue: data.and_then(|d| d.queue),
        })
    }
}

fn waits(request: &StartRequest) -> bool {
    matches!(request.stage, StartStage::Waiting(_)) && request.name != UNNAMED
}
