//! The QR token: one quasi-reentrant program at a time in a region.
//!
//! A robust, process-shared mutex in the region page. The kernel tells the
//! next taker when a holder died, who then goes on and counts it. Taking is
//! barging: whoever comes while the token is free gets it, because handing it
//! over in order costs a wake-up each time.
//! Reference: pthread_mutexattr_setrobust(3).

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::map::Mapping;

/// Offset of the token in the region page.
pub const QR_OFFSET: usize = 1024;
const DEATHS_OFFSET: usize = QR_OFFSET + 512;

/// The token, within a mapped region page.
#[derive(Clone, Copy)]
pub struct QrToken<'a> {
    mutex: *mut libc::pthread_mutex_t,
    deaths: &'a AtomicU64,
}

/// What taking the token told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It was free, or its holder gave it back.
    Clean,
    /// Its last holder died with it.
    HolderDied,
}

impl<'a> QrToken<'a> {
    /// Makes the mutex in a page that nobody else has yet.
    pub(crate) fn init(map: &Mapping) -> io::Result<()> {
        let mutex = map.at(QR_OFFSET).cast::<libc::pthread_mutex_t>();
        // SAFETY: the place is ours, large enough and aligned; each call gets
        // an attribute object that was initialised first.
        unsafe {
            let mut attr: libc::pthread_mutexattr_t = std::mem::zeroed();
            check(libc::pthread_mutexattr_init(&mut attr))?;
            check(libc::pthread_mutexattr_setpshared(
                &mut attr,
                libc::PTHREAD_PROCESS_SHARED,
            ))?;
            check(libc::pthread_mutexattr_setrobust(
                &mut attr,
                libc::PTHREAD_MUTEX_ROBUST,
            ))?;
            check(libc::pthread_mutex_init(mutex, &attr))?;
            check(libc::pthread_mutexattr_destroy(&mut attr))
        }
    }

    pub(crate) fn at(map: &'a Mapping) -> Self {
        QrToken {
            mutex: map.at(QR_OFFSET).cast(),
            // SAFETY: an atomic is valid for any bytes.
            deaths: unsafe { map.get(DEATHS_OFFSET) },
        }
    }

    /// Takes the token, waiting for it. An error means that the mutex was
    /// damaged; the caller goes on without the token.
    pub fn take(&self) -> io::Result<Taken> {
        // SAFETY: the mutex was made by `init` and stays mapped.
        let rc = unsafe { libc::pthread_mutex_lock(self.mutex) };
        self.taken(rc)
    }

    /// Takes the token if it is free.
    pub fn try_take(&self) -> io::Result<Option<Taken>> {
        // SAFETY: as in `take`.
        match unsafe { libc::pthread_mutex_trylock(self.mutex) } {
            libc::EBUSY => Ok(None),
            rc => self.taken(rc).map(Some),
        }
    }

    /// Gives the token back. Only the thread that took it may do so.
    pub fn give(&self) {
        // SAFETY: as in `take`; a robust mutex refuses a foreign owner.
        unsafe { libc::pthread_mutex_unlock(self.mutex) };
    }

    /// How many holders died with the token.
    pub fn deaths(&self) -> u64 {
        self.deaths.load(Ordering::Relaxed)
    }

    fn taken(&self, rc: libc::c_int) -> io::Result<Taken> {
        if rc != libc::EOWNERDEAD {
            return check(rc).map(|()| Taken::Clean);
        }
        self.deaths.fetch_add(1, Ordering::Relaxed);
        // SAFETY: we hold the mutex, as EOWNERDEAD says.
        check(unsafe { libc::pthread_mutex_consistent(self.mutex) })?;
        Ok(Taken::HolderDied)
    }
}

fn check(rc: libc::c_int) -> io::Result<()> {
    match rc {
        0 => Ok(()),
        code => Err(io::Error::from_raw_os_error(code)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::RegionPage;

    #[test]
    fn one_holder_at_a_time() {
        let page = RegionPage::create().unwrap();
        assert_eq!(page.qr().take().unwrap(), Taken::Clean);
        std::thread::scope(|s| {
            s.spawn(|| assert_eq!(page.qr().try_take().unwrap(), None));
        });
        page.qr().give();
        assert_eq!(page.qr().try_take().unwrap(), Some(Taken::Clean));
        page.qr().give();
    }

    #[test]
    fn a_holders_death_is_noticed_and_counted() {
        let page = RegionPage::create().unwrap();
        std::thread::scope(|s| {
            s.spawn(|| page.qr().take().unwrap());
        });
        assert_eq!(page.qr().take().unwrap(), Taken::HolderDied);
        page.qr().give();
        assert_eq!(page.qr().deaths(), 1);
        assert_eq!(page.qr().take().unwrap(), Taken::Clean);
        page.qr().give();
    }
}
