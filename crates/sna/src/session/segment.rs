//! Cutting BIUs to the link's largest unit, and joining the pieces.
//!
//! There is no offset field: segments of one BIU come in order, in sequence, under
//! one sequence number. Only the first has the request header. Reference: IBM *SNA
//! Formats* (GA27-3136), mapping field.

use crate::secret::RedactedBytes;
use crate::wire::th::{self, Segment};
use crate::wire::{Sense, piu, rh};
use bytes::Bytes;
use std::fmt;

/// A BIU in transit out, as one piece of memory with room for both headers in front
/// of the RU.
pub struct Segmenter {
    th: th::Repr,
    biu: Vec<u8>,
    at: usize,
    max_btu: usize,
}

impl fmt::Debug for Segmenter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segmenter")
            .field("th", &self.th)
            .field("biu", &RedactedBytes(self.biu.len()))
            .field("at", &self.at)
            .field("max_btu", &self.max_btu)
            .finish()
    }
}

impl Segmenter {
    /// Starts on a BIU whose first nine bytes are free for its headers.
    pub fn new(th: th::Repr, header: rh::Rh, mut biu: Vec<u8>, max_btu: usize) -> Segmenter {
        let whole = biu.len() <= max_btu;
        let th = th::Repr {
            segment: if whole {
                Segment::Whole
            } else {
                Segment::First
            },
            ..th
        };
        piu::emit_headers(&mut biu, &th, header);
        Segmenter {
            th,
            biu,
            at: 0,
            max_btu: max_btu.max(FIRST_MIN),
        }
    }

    /// The next PIU, and whether it is the last. A BIU that fits the link is
    /// sent in the memory it was built in.
    pub fn cut(&mut self) -> (Vec<u8>, bool) {
        if self.at == 0 {
            if self.th.segment == Segment::Whole {
                return (std::mem::take(&mut self.biu), true);
            }
            self.at = self.max_btu.min(self.biu.len());
            return (self.biu[..self.at].to_vec(), self.at == self.biu.len());
        }
        let end = (self.at + self.max_btu - th::LEN).min(self.biu.len());
        let last = end == self.biu.len();
        let th = th::Repr {
            segment: if last { Segment::Last } else { Segment::Middle },
            ..self.th
        };
        let mut out = Vec::with_capacity(th::LEN + end - self.at);
        out.extend_from_slice(&th.emit());
        out.extend_from_slice(&self.biu[self.at..end]);
        self.at = end;
        (out, last)
    }
}

/// The segments of an incomplete BIU.
#[derive(Debug, Default)]
pub struct Reassembler {
    partial: Option<Partial>,
}

struct Partial {
    th: th::Repr,
    header: rh::Rh,
    ru: Vec<u8>,
}

impl fmt::Debug for Partial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partial")
            .field("th", &self.th)
            .field("header", &self.header)
            .field("ru", &RedactedBytes(self.ru.len()))
            .finish()
    }
}

/// A whole BIU.
#[derive(Clone)]
pub struct Biu {
    /// Sequence number or identifier.
    pub sequence: u16,
    /// Whether it is on the expedited flow.
    pub expedited: bool,
    /// Its header.
    pub header: rh::Rh,
    /// Its RU.
    pub ru: Bytes,
}

impl fmt::Debug for Biu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Biu")
            .field("sequence", &self.sequence)
            .field("expedited", &self.expedited)
            .field("header", &self.header)
            .field("ru", &RedactedBytes(self.ru.len()))
            .finish()
    }
}

impl Reassembler {
    /// Takes a PIU; returns a BIU when one is whole. `max_ru` bounds the RU;
    /// `bytes` holds the PIU, so that a whole BIU's RU is not copied.
    pub fn handle(
        &mut self,
        piu: &piu::Packet<'_>,
        bytes: &Bytes,
        max_ru: usize,
    ) -> Result<Option<Biu>, Sense> {
        if let Some(header) = piu.rh {
            if self.partial.is_some() {
                return Err(Sense::SEGMENTING);
            }
            if piu.th.segment == Segment::First && bytes.len() < FIRST_MIN {
                return Err(Sense::SEGMENT_LENGTH);
            }
            if piu.ru.len() > max_ru {
                return Err(Sense::RU_LENGTH);
            }
            if piu.th.segment == Segment::Whole {
                return Ok(Some(Biu {
                    sequence: piu.th.sequence,
                    expedited: piu.th.expedited,
                    header,
                    ru: bytes.slice_ref(piu.ru),
                }));
            }
            self.partial = Some(Partial {
                th: piu.th,
                header,
                ru: piu.ru.to_vec(),
            });
            return Ok(None);
        }
        let Some(mut partial) = self.partial.take() else {
            return Err(Sense::SEGMENTING);
        };
        let same = th::Repr {
            segment: piu.th.segment,
            ..partial.th
        };
        if same != piu.th || piu.ru.is_empty() {
            return Err(Sense::SEGMENTING);
        }
        if partial.ru.len() + piu.ru.len() > max_ru {
            return Err(Sense::RU_LENGTH);
        }
        partial.ru.extend_from_slice(piu.ru);
        if piu.th.segment == Segment::Middle {
            self.partial = Some(partial);
            return Ok(None);
        }
        Ok(Some(Biu {
            sequence: partial.th.sequence,
            expedited: partial.th.expedited,
            header: partial.header,
            ru: Bytes::from(partial.ru),
        }))
    }
}

/// The fewest bytes of a first segment.
const FIRST_MIN: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::rh::{Rh, RuCategory};
    use proptest::prelude::*;

    fn th() -> th::Repr {
        th::Repr {
            segment: Segment::Whole,
            address: th::Address {
                odai: false,
                daf: 1,
                oaf: 2,
            },
            expedited: false,
            sequence: 7,
        }
    }

    fn cut(ru: &[u8], max_btu: usize) -> Vec<Vec<u8>> {
        let mut biu = vec![0; piu::HEADERS];
        biu.extend_from_slice(ru);
        let mut s = Segmenter::new(th(), Rh::request(RuCategory::Fmd), biu, max_btu);
        let mut out = Vec::new();
        loop {
            let (piu, last) = s.cut();
            out.push(piu);
            if last {
                return out;
            }
        }
    }

    fn join(pius: &[Vec<u8>]) -> Result<Option<Biu>, Sense> {
        let mut r = Reassembler::default();
        let mut out = None;
        for piu in pius {
            let bytes = Bytes::from(piu.clone());
            out = r.handle(&piu::Packet::parse(&bytes).unwrap(), &bytes, 1 << 16)?;
        }
        Ok(out)
    }

    proptest! {
        #[test]
        fn what_is_cut_joins_again(len in 0usize..5000, max_btu in 20usize..4500) {
            let ru: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let pius = cut(&ru, max_btu);
            prop_assert_eq!(pius.len(), (3 + len).div_ceil(max_btu - 6));
            prop_assert!(pius.iter().all(|p| p.len() <= max_btu));
            let biu = join(&pius).unwrap().unwrap();
            prop_assert_eq!(&biu.ru[..], &ru[..]);
        }
    }

    #[test]
    fn pieces_out_of_order_are_a_segmenting_error() {
        let pius = cut(&[1; 1000], 265);
        assert_eq!(pius.len(), 4);
        assert_eq!(join(&pius[1..]).unwrap_err(), Sense::SEGMENTING);
        let twice = [pius[0].clone(), pius[0].clone()];
        assert_eq!(join(&twice).unwrap_err(), Sense::SEGMENTING);
        let mut other = pius[1].clone();
        other[5] ^= 1;
        let mixed = [pius[0].clone(), other];
        assert_eq!(join(&mixed).unwrap_err(), Sense::SEGMENTING);
    }

    #[test]
    fn an_ru_longer_than_agreed_is_refused() {
        let pius = cut(&[1; 1000], 265);
        let mut r = Reassembler::default();
        let mut results = pius.iter().map(|piu| {
            let bytes = Bytes::from(piu.clone());
            r.handle(&piu::Packet::parse(&bytes).unwrap(), &bytes, 600)
        });
        assert!(results.any(|r| r.is_err_and(|s| s == Sense::RU_LENGTH)));
    }
}
