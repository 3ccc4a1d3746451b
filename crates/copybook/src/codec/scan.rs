//! Looking at many bytes at a time: plain text, trailing blanks, the end of a
//! JSON string.
//!
//! On x86-64 sixteen bytes a step with SSE2, which every such machine has;
//! elsewhere eight bytes a step in ordinary registers. A test compares both.
//!
//! *Plain* bytes are in a JSON string as they are: no control character, no quote,
//! no backslash, and ASCII unless `HIGH` lets other bytes pass.

#[cfg(any(test, not(target_arch = "x86_64")))]
pub(super) use portable as fallback;
#[cfg(not(target_arch = "x86_64"))]
pub(super) use portable::{copy_plain, plain_len, trim_end};
#[cfg(target_arch = "x86_64")]
pub(super) use sse2::{copy_plain, plain_len, trim_end};

/// Bytes that [`copy_plain`] may write after the text it copies.
#[cfg(test)]
pub(super) const COPY_SLACK: usize = 16;

/// True for a byte that JSON text takes as it is.
#[inline(always)]
fn is_plain<const HIGH: bool>(byte: u8) -> bool {
    byte >= 0x20 && byte != b'"' && byte != b'\\' && (HIGH || byte < 0x80)
}

/// Copies bytes of `record[at..at + len]` through a table to `p` and stops at
/// the first that the table has as 0. Returns their number.
///
/// # Safety `at + len` is in the record; `p` has room for `len + 16` bytes.
#[inline(always)]
pub(super) unsafe fn copy_mapped(
    table: &[u8; 256],
    record: &[u8],
    at: usize,
    len: usize,
    p: *mut u8,
) -> usize {
    let mut done = 0;
    while done < len
        && let Some(&[a, b, c, d, e, f, g, h]) = record[at + done..].first_chunk()
    {
        // Built in a register; bytes after the text are looked up as well and not
        // counted.
        let map = |byte: u8| u64::from(table[usize::from(byte)]);
        let low = map(a) | map(b) << 8 | map(c) << 16 | map(d) << 24;
        let high = map(e) | map(f) << 8 | map(g) << 16 | map(h) << 24;
        let word = low | high << 32;
        // SAFETY: done < len, and the room is len + 16.
        unsafe {
            p.add(done)
                .cast::<[u8; 8]>()
                .write_unaligned(word.to_le_bytes())
        };
        let zero = word.wrapping_sub(0x0101_0101_0101_0101) & !word & 0x8080_8080_8080_8080;
        if zero != 0 {
            return (done + zero.trailing_zeros() as usize / 8).min(len);
        }
        done += 8;
    }
    while done < len {
        let byte = table[usize::from(record[at + done])];
        if byte == 0 {
            return done;
        }
        // SAFETY: done < len.
        unsafe { *p.add(done) = byte };
        done += 1;
    }
    len
}

/// Length without the `blank`s at the end.
pub(super) fn trim_end_bytes(bytes: &[u8], blank: u8) -> usize {
    bytes
        .iter()
        .rposition(|b| *b != blank)
        .map_or(0, |at| at + 1)
}

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_cmplt_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8,
        _mm_or_si128, _mm_set1_epi8, _mm_storeu_si128,
    };

    use super::{is_plain, trim_end_bytes};

    /// A bit for each byte that is not plain.
    #[inline(always)]
    fn special<const HIGH: bool>(v: __m128i) -> u32 {
        // SAFETY: SSE2 is part of the x86-64 baseline.
        unsafe { _mm_movemask_epi8(special_bytes::<HIGH>(v)) as u32 }
    }

    /// All ones for each byte that is not plain.
    #[inline(always)]
    fn special_bytes<const HIGH: bool>(v: __m128i) -> __m128i {
        // SAFETY: SSE2 is part of the x86-64 baseline.
        unsafe {
            let quote = _mm_cmpeq_epi8(v, _mm_set1_epi8(b'"' as i8));
            let backslash = _mm_cmpeq_epi8(v, _mm_set1_epi8(b'\\' as i8));
            let low = if HIGH {
                _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1f)), v)
            } else {
                // Signed: bytes from 0x80 are below as well.
                _mm_cmplt_epi8(v, _mm_set1_epi8(0x20))
            };
            _mm_or_si128(_mm_or_si128(quote, backslash), low)
        }
    }

    #[inline(always)]
    fn load(record: &[u8], at: usize) -> Option<__m128i> {
        let wide = record.get(at..at.checked_add(16)?)?;
        // SAFETY: sixteen bytes were just checked to be there.
        Some(unsafe { _mm_loadu_si128(wide.as_ptr().cast()) })
    }

    /// Copies plain bytes of `record[at..at + len]` to `p` and stops at the
    /// first other one. Returns their number.
    ///
    /// # Safety `at + len` is in the record; `p` has room for `len + 16` bytes.
    #[inline(always)]
    pub(in crate::codec) unsafe fn copy_plain<const HIGH: bool>(
        record: &[u8],
        at: usize,
        len: usize,
        p: *mut u8,
    ) -> usize {
        debug_assert!(at + len <= record.len());
        let mut done = 0;
        // Four at a time, of long texts, until there is another byte among them.
        while len - done >= 64 {
            let wide = &record[at + done..at + done + 64];
            // SAFETY: 64 bytes are there to be read, and room for them.
            let other = unsafe {
                let part = |i: usize| _mm_loadu_si128(wide.as_ptr().add(16 * i).cast());
                let (a, b, c, d) = (part(0), part(1), part(2), part(3));
                for (i, v) in [a, b, c, d].into_iter().enumerate() {
                    _mm_storeu_si128(p.add(done + 16 * i).cast(), v);
                }
                let ab = _mm_or_si128(special_bytes::<HIGH>(a), special_bytes::<HIGH>(b));
                let cd = _mm_or_si128(special_bytes::<HIGH>(c), special_bytes::<HIGH>(d));
                _mm_movemask_epi8(_mm_or_si128(ab, cd))
            };
            if other != 0 {
                break;
            }
            done += 64;
        }
        while done < len {
            let Some(v) = load(record, at + done) else {
                break;
            };
            let mask = special::<HIGH>(v);
            // SAFETY: done < len, and the room is len + 16.
            unsafe { _mm_storeu_si128(p.add(done).cast(), v) };
            if mask != 0 {
                return (done + mask.trailing_zeros() as usize).min(len);
            }
            done += 16;
        }
        while done < len {
            let byte = record[at + done];
            if !is_plain::<HIGH>(byte) {
                return done;
            }
            // SAFETY: done < len.
            unsafe { *p.add(done) = byte };
            done += 1;
        }
        len
    }

    /// Number of plain bytes from `at` on.
    #[inline(always)]
    pub(in crate::codec) fn plain_len<const HIGH: bool>(input: &[u8], at: usize) -> usize {
        let mut pos = at;
        while let Some(v) = load(input, pos) {
            let mask = special::<HIGH>(v);
            if mask != 0 {
                return pos + mask.trailing_zeros() as usize - at;
            }
            pos += 16;
        }
        while input.get(pos).is_some_and(|b| is_plain::<HIGH>(*b)) {
            pos += 1;
        }
        pos - at
    }

    /// Length of `record[at..at + len]` without the `blank`s at its end.
    #[inline(always)]
    pub(in crate::codec) fn trim_end(record: &[u8], at: usize, len: usize, blank: u8) -> usize {
        let mut len = len;
        while len > 0 {
            let Some(v) = (at + len)
                .checked_sub(16)
                .and_then(|start| load(record, start))
            else {
                return trim_end_bytes(&record[at..at + len], blank);
            };
            // SAFETY: SSE2 is part of the x86-64 baseline.
            let mask = unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(blank as i8))) };
            // The last byte in the top bit; ones are bytes to keep.
            let keep = !(mask as u32) << 16;
            if keep != 0 {
                return len.saturating_sub(keep.leading_zeros() as usize);
            }
            len = len.saturating_sub(16);
        }
        0
    }
}

/// The same three functions without vector instructions.
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(super) mod portable {
    use super::is_plain;

    /// The top bit of each byte that is not plain; exact for the lowest.
    #[inline(always)]
    fn special<const HIGH: bool>(word: u64) -> u64 {
        const ONES: u64 = 0x0101_0101_0101_0101;
        const TOPS: u64 = 0x8080_8080_8080_8080;
        let zero = |w: u64| w.wrapping_sub(ONES) & !w & TOPS;
        let low = word.wrapping_sub(ONES * 0x20) & !word & TOPS;
        let marked = zero(word ^ (ONES * b'"' as u64)) | zero(word ^ (ONES * b'\\' as u64)) | low;
        if HIGH { marked } else { marked | word & TOPS }
    }

    #[inline(always)]
    fn load(record: &[u8], at: usize) -> Option<u64> {
        let wide = record.get(at..at.checked_add(8)?)?;
        Some(u64::from_le_bytes(wide.try_into().ok()?))
    }

    /// See the SSE2 form.
    ///
    /// # Safety `at + len` is in the record; `p` has room for `len + 16` bytes.
    pub(in crate::codec) unsafe fn copy_plain<const HIGH: bool>(
        record: &[u8],
        at: usize,
        len: usize,
        p: *mut u8,
    ) -> usize {
        let plain = plain_len::<HIGH>(&record[..at + len], at);
        // SAFETY: plain is at most len.
        unsafe { std::ptr::copy_nonoverlapping(record.as_ptr().add(at), p, plain) };
        plain
    }

    /// See the SSE2 form.
    pub(in crate::codec) fn plain_len<const HIGH: bool>(input: &[u8], at: usize) -> usize {
        let mut pos = at;
        while let Some(word) = load(input, pos) {
            let mask = special::<HIGH>(word);
            if mask != 0 {
                return pos + mask.trailing_zeros() as usize / 8 - at;
            }
            pos += 8;
        }
        while input.get(pos).is_some_and(|b| is_plain::<HIGH>(*b)) {
            pos += 1;
        }
        pos - at
    }

    /// See the SSE2 form.
    pub(in crate::codec) fn trim_end(record: &[u8], at: usize, len: usize, blank: u8) -> usize {
        let blanks = u64::from(blank) * 0x0101_0101_0101_0101;
        let mut len = len;
        while len >= 8 && load(record, at + len - 8) == Some(blanks) {
            len -= 8;
        }
        super::trim_end_bytes(&record[at..at + len], blank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copied<const HIGH: bool>(
        copy: unsafe fn(&[u8], usize, usize, *mut u8) -> usize,
        record: &[u8],
        at: usize,
        len: usize,
    ) -> Vec<u8> {
        let mut out = Vec::with_capacity(len + COPY_SLACK);
        // SAFETY: the room was just reserved; the function says how much of it
        // it has written.
        unsafe {
            let n = copy(record, at, len, out.as_mut_ptr());
            out.set_len(n);
        }
        out
    }

    #[test]
    fn vector_and_portable_forms_agree_on_every_byte_at_every_place() {
        for len in [0usize, 1, 7, 8, 15, 16, 17, 31, 40, 64, 70, 130] {
            for odd in 0..=255u8 {
                for place in 0..len.max(1) {
                    let mut record = vec![b'a'; len + 5];
                    if place < len {
                        record[3 + place] = odd;
                    }
                    let at = 3;
                    assert_eq!(
                        copied::<true>(copy_plain::<true>, &record, at, len),
                        copied::<true>(fallback::copy_plain::<true>, &record, at, len)
                    );
                    assert_eq!(
                        copied::<false>(copy_plain::<false>, &record, at, len),
                        copied::<false>(fallback::copy_plain::<false>, &record, at, len)
                    );
                    assert_eq!(
                        plain_len::<true>(&record, at),
                        fallback::plain_len::<true>(&record, at)
                    );
                    assert_eq!(
                        plain_len::<false>(&record, at),
                        fallback::plain_len::<false>(&record, at)
                    );
                    assert_eq!(
                        trim_end(&record, at, len, odd),
                        fallback::trim_end(&record, at, len, odd)
                    );
                    assert_eq!(
                        trim_end(&record, at, len, b'a'),
                        fallback::trim_end(&record, at, len, b'a')
                    );
                }
            }
        }
    }

    #[test]
    fn plain_bytes_are_those_that_need_no_escape() {
        let plain: Vec<u8> = (0..=255).filter(|b| is_plain::<false>(*b)).collect();
        let expected: Vec<u8> = (0x20..0x80).filter(|b| !b"\"\\".contains(b)).collect();
        assert_eq!(plain, expected);
    }
}
