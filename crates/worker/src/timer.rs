//! The timer event area of a task, whose address POST returns.
//!
//! The area is posted when its time has come, which is checked with each command,
//! or when the region posts it. The storage stays the program's until the task
//! ends, also when another command has cancelled its POST.
//!
//! Reference: CICS API reference, POST: four bytes, posted by X'40' in the
//! first and X'80' in the third.

use std::time::Duration;

use crate::clock::monotonic_ns;

/// Bytes of an event control block, and what its address is a multiple of.
pub const ECB_BYTES: usize = 4;
/// Bit 1 of the first byte.
const POSTED: u8 = 0x40;

/// A task's POST, if it has one.
#[derive(Debug, Default)]
pub struct PostTimer {
    post: Option<PendingPost>,
}

#[derive(Debug)]
struct PendingPost {
    /// Nanoseconds of the monotonic clock.
    at: u64,
    area: *mut u8,
    name: [u8; 8],
}

impl PostTimer {
    /// The task's POST, which replaces the one before. The area is storage of
    /// the task, of [`ECB_BYTES`].
    pub fn set(&mut self, at: u64, area: *mut u8, name: [u8; 8]) {
        self.post = Some(PendingPost { at, area, name });
    }

    /// Another command took the POST back.
    pub fn forget(&mut self) {
        self.post = None;
    }

    /// Posts the area when its time has come.
    #[inline]
    pub fn post_if_due(&mut self) {
        if let Some(post) = &self.post
            && monotonic_ns() >= post.at
        {
            self.post();
        }
    }

    /// Posts the area.
    pub fn post(&mut self) {
        if let Some(post) = self.post.take() {
            // SAFETY: storage of the task, of that size; it is given back when
            // the task ends, and `forget` comes with the next one's start.
            unsafe {
                post.area.write(POSTED);
                post.area.add(2).write(0x80);
            }
        }
    }

    /// How long it is until the POST is due.
    pub fn remaining(&self) -> Option<Duration> {
        let post = self.post.as_ref()?;
        let left_ns = post.at.saturating_sub(monotonic_ns());
        Some(Duration::from_nanos(left_ns))
    }

    /// Whether the area of the POST is there.
    pub fn is_at(&self, ecb: *mut u8) -> bool {
        self.post.as_ref().is_some_and(|p| p.area == ecb)
    }

    /// Whether the POST has this name.
    pub fn is_named(&self, name: [u8; 8]) -> bool {
        self.post.as_ref().is_some_and(|p| p.name == name)
    }
}

/// Whether an event control block is posted.
///
/// # Safety
/// The block is storage that can be read.
pub unsafe fn is_posted(ecb: *const u8) -> bool {
    // SAFETY: by the contract. Volatile, for others may write it.
    unsafe { ecb.read_volatile() & POSTED != 0 }
}

/// Whether storage of this process can be read, from its first byte to its
/// last. The system is asked to take a signal mask from there, in a way that
/// it refuses after it has read it: a bad address is then another error than
/// the refusal. No more is asked of the system than any thread asks, for a
/// program's sandbox has little else.
pub fn is_readable(at: *const u8, bytes: usize) -> bool {
    const NO_SUCH_WAY: libc::c_int = -1;
    const MASK_BYTES: usize = 8;
    let Some(last) = (at as usize).checked_add(bytes.saturating_sub(1)) else {
        return false;
    };
    [at as usize, last].iter().all(|&byte| {
        let mask = byte & !(MASK_BYTES - 1);
        // SAFETY: the way is none the system knows, so no mask is set.
        unsafe {
            libc::syscall(
                libc::SYS_rt_sigprocmask,
                NO_SUCH_WAY,
                mask,
                std::ptr::null_mut::<libc::c_void>(),
                MASK_BYTES,
            )
        };
        mask != 0 && std::io::Error::last_os_error().raw_os_error() != Some(libc::EFAULT)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_area_is_posted_when_its_time_has_come() {
        let mut area = [0u8; ECB_BYTES];
        let mut timer = PostTimer::default();
        timer.set(u64::MAX, area.as_mut_ptr(), *b"NAME    ");
        timer.post_if_due();
        assert_eq!(area, [0; 4]);
        timer.set(1, area.as_mut_ptr(), *b"NAME    ");
        assert!(timer.is_named(*b"NAME    "));
        timer.post_if_due();
        assert_eq!(area, [0x40, 0, 0x80, 0]);
        // SAFETY: an array of our own.
        assert!(unsafe { is_posted(area.as_ptr()) });
        assert!(!timer.is_at(area.as_mut_ptr()));
    }

    #[test]
    fn a_post_that_was_taken_back_posts_nothing() {
        let mut area = [0u8; ECB_BYTES];
        let mut timer = PostTimer::default();
        timer.set(1, area.as_mut_ptr(), [0; 8]);
        timer.forget();
        timer.post_if_due();
        timer.post();
        assert_eq!(area, [0; 4]);
    }

    #[test]
    fn storage_that_is_not_there_is_not_readable() {
        let here = [0u8; 100];
        assert!(is_readable(here.as_ptr(), here.len()));
        assert!(!is_readable(std::ptr::without_provenance(8), 4));
        assert!(!is_readable(here.as_ptr(), usize::MAX));
    }
}
