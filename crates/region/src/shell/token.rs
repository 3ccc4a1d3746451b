//! Takes the QR token back from workers that no longer run, so that no worker
//! waits for it for ever.
//!
//! A worker that dies gives nothing back: the thread that notices its end takes
//! the token from it. A program may also write into the page that the token lies
//! in: the dispatch thread looks at the word while there are tasks, which are
//! the only ones that could wait for it.

use link::TokenHolder;

use super::SharedRegion;

/// The state of the token at the last look.
#[derive(Default)]
pub struct TokenWatch {
    /// The word of a holder that seemed to sleep for work.
    suspect: Option<u32>,
}

impl TokenWatch {
    /// Frees the token when its holder does not run. A holder that seems
    /// to sleep for work is believed once, since it may have given the token
    /// back meanwhile.
    pub fn check_holder(&mut self, shared: &SharedRegion) {
        let suspect = self.suspect.take();
        let (holder, word) = shared.page.qr().holder();
        let worker = match holder {
            TokenHolder::Free => return,
            TokenHolder::Nonsense => return shared.free_token(holder, false),
            TokenHolder::Worker(worker) => worker,
        };
        let link = shared.lock().links.get(worker).cloned();
        match link {
            Some(link) if !link.has_ended() => {
                if !link.side.is_sleeping() {
                    return;
                }
                if suspect == Some(word) {
                    shared.page.qr().take_away(word, false);
                }
                self.suspect = Some(word);
            }
            _ => shared.free_token(holder, true),
        }
    }
}

impl SharedRegion {
    /// A worker's process has ended: frees its token. Called before
    /// another one of its number can be started.
    pub(super) fn token_of_dead(&self, worker: usize) {
        self.free_token(TokenHolder::Worker(worker), true);
    }

    /// Takes the token from this holder, if it is still this one's.
    fn free_token(&self, from: TokenHolder, died: bool) {
        let token = self.page.qr();
        let (holder, word) = token.holder();
        if holder == from && token.take_away(word, died) {
            tracing::warn!(
                ?holder,
                "the holder of the QR token does not run: it is free again"
            );
        }
    }
}
