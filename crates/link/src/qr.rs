//! The QR token: one quasi-reentrant program at a time in a region.
//!
//! One word in the region page: the holder of the token, and whether a worker
//! sleeps for it. Any bytes are a valid word, so a program that writes into the
//! page can only delay others: the region checks the word and takes the token
//! from a holder that died or never existed. Acquisition is barging: a worker
//! that arrives while the token is free gets it, because a handover in order
//! costs a wake-up each time.
//! Reference: futex(2).

use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use crate::futex;
use crate::page::MAX_WORKERS;

/// Offset of the token in the region page.
pub const QR_OFFSET: usize = 1024;

/// Set while a worker sleeps for the token.
const WAITERS: u32 = 1 << 31;

/// After so long a sleeper looks again, whether it was woken or not.
const RECHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The token, within a mapped region page.
#[derive(Clone, Copy)]
pub struct QrToken<'a> {
    word: &'a AtomicU32,
    /// The taker: a worker's number plus one.
    me: u32,
    deaths: &'a AtomicU64,
}

/// The state of the token that the region found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenHolder {
    /// The token is free.
    Free,
    /// This worker has the token, according to the page.
    Worker(usize),
    /// A number that no worker has.
    Nonsense,
}

impl<'a> QrToken<'a> {
    /// The token for a worker, or for the region as number [`MAX_WORKERS`].
    pub(crate) fn new(word: &'a AtomicU32, worker: usize, deaths: &'a AtomicU64) -> Self {
        QrToken {
            word,
            me: worker as u32 + 1,
            deaths,
        }
    }

    /// Takes the token, waiting for it. The call never fails; the result is for
    /// tokens of other kinds.
    pub fn take(&self) -> io::Result<()> {
        if self.try_take()?.is_some() {
            return Ok(());
        }
        loop {
            let word = self.word.load(Ordering::SeqCst);
            // No other worker writes this number, so the word is damaged rather
            // than owned.
            if word & !WAITERS == 0 || word & !WAITERS == self.me {
                if self.change(word, self.me | WAITERS) {
                    return Ok(());
                }
            } else if word & WAITERS != 0 || self.change(word, word | WAITERS) {
                futex::wait(self.word, word | WAITERS, Some(RECHECK_INTERVAL));
            }
        }
    }

    /// Takes the token if it is free.
    pub fn try_take(&self) -> io::Result<Option<()>> {
        Ok(self.change(0, self.me).then_some(()))
    }

    /// Releases the token. A token that the region took away in the meantime is not
    /// changed.
    pub fn give(&self) {
        if !self.change(self.me, 0) && self.change(self.me | WAITERS, 0) {
            futex::wake(self.word);
        }
    }

    /// The token's holder, and the word to take the token with.
    pub fn holder(&self) -> (TokenHolder, u32) {
        let word = self.word.load(Ordering::SeqCst);
        let holder = match (word & !WAITERS) as usize {
            0 => TokenHolder::Free,
            n if n <= MAX_WORKERS => TokenHolder::Worker(n - 1),
            _ => TokenHolder::Nonsense,
        };
        (holder, word)
    }

    /// Takes the token from its holder, if the word is still this one; counts
    /// the death of a worker.
    pub fn take_away(&self, word: u32, died: bool) -> bool {
        if !self.change(word, 0) {
            return false;
        }
        if died {
            self.deaths.fetch_add(1, Ordering::Relaxed);
        }
        futex::wake_all(self.word);
        true
    }

    /// How many holders died with the token, as this side counted them.
    pub fn deaths(&self) -> u64 {
        self.deaths.load(Ordering::Relaxed)
    }

    fn change(&self, from: u32, to: u32) -> bool {
        let order = Ordering::SeqCst;
        self.word.compare_exchange(from, to, order, order).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::RegionPage;

    #[test]
    fn one_holder_at_a_time() {
        let page = RegionPage::create().unwrap();
        page.qr_of(1).take().unwrap();
        assert_eq!(page.qr_of(2).try_take().unwrap(), None);
        // The second worker does not have the token.
        page.qr_of(2).give();
        assert_eq!(page.qr().holder().0, TokenHolder::Worker(1));
        page.qr_of(1).give();
        assert_eq!(page.qr_of(2).try_take().unwrap(), Some(()));
        page.qr_of(2).give();
        assert_eq!(page.qr().holder().0, TokenHolder::Free);
    }

    #[test]
    fn many_takers_are_never_in_at_once() {
        let page = RegionPage::create().unwrap();
        let inside = AtomicU32::new(0);
        std::thread::scope(|s| {
            for worker in 0..4 {
                let (page, inside) = (&page, &inside);
                s.spawn(move || {
                    for _ in 0..2000 {
                        page.qr_of(worker).take().unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        inside.fetch_sub(1, Ordering::SeqCst);
                        page.qr_of(worker).give();
                    }
                });
            }
        });
        assert_eq!(page.qr().holder().0, TokenHolder::Free);
    }

    #[test]
    fn a_dead_holders_token_goes_to_who_waits_for_it() {
        let page = RegionPage::create().unwrap();
        page.qr_of(7).take().unwrap();
        std::thread::scope(|s| {
            let waits = s.spawn(|| page.qr_of(8).take().unwrap());
            let word = loop {
                let (holder, word) = page.qr().holder();
                assert_eq!(holder, TokenHolder::Worker(7));
                if word & WAITERS != 0 {
                    break word;
                }
                std::thread::yield_now();
            };
            assert!(page.qr().take_away(word, true));
            assert!(!page.qr().take_away(word, true));
            waits.join().unwrap();
        });
        assert_eq!(page.qr().holder().0, TokenHolder::Worker(8));
        assert_eq!(page.qr().deaths(), 1);
    }

    #[test]
    fn any_word_is_a_token_that_can_be_taken_away() {
        let page = RegionPage::create().unwrap();
        let token = page.qr_of(3);
        for damage in [
            1,
            4,
            5,
            77,
            WAITERS,
            WAITERS | 9,
            0x7FFF_FFFF,
            u32::MAX,
            0xDEAD_BEEF,
        ] {
            token.word.store(damage, Ordering::SeqCst);
            let (holder, word) = page.qr().holder();
            if holder != TokenHolder::Free {
                assert!(page.qr().take_away(word, false));
            }
            token.take().unwrap();
            token.give();
        }
        assert_eq!(page.qr().deaths(), 0);
    }
}
