//! The list of process initialisation parameters as programs have it.
//!
//! ```text
//! LL (2, itself and the next two included) | reserved (2) | parameter ...
//! ```
//! Reference: CICS API reference, CONNECT PROCESS and EXTRACT PROCESS. The contents
//! of the reserved bytes in a list of CICS could not be
//! confirmed: here they are zeros.

/// Bytes before a parameter.
const HEADER: usize = 4;
/// Longest list, in bytes: the limit that the manual names, and what the record
/// of an Attach holds.
const MOST_BYTES: usize = 32_763;

/// The parameters of a list. Returns `None` when its lengths are wrong.
pub fn parse(mut list: &[u8]) -> Option<Vec<Vec<u8>>> {
    if list.len() > MOST_BYTES {
        return None;
    }
    let mut parameters = Vec::new();
    while let Some((length, _)) = list.split_first_chunk::<2>() {
        let bytes = usize::from(u16::from_be_bytes(*length));
        if bytes < HEADER || bytes > list.len() {
            return None;
        }
        let (parameter, rest) = list.split_at(bytes);
        parameters.push(parameter[HEADER..].to_vec());
        list = rest;
    }
    list.is_empty().then_some(parameters)
}

/// The list of these parameters, which an Attach has brought.
pub fn emit(parameters: &[Vec<u8>]) -> Vec<u8> {
    let mut list = Vec::new();
    for parameter in parameters {
        let bytes = (parameter.len() + HEADER) as u16;
        list.extend_from_slice(&bytes.to_be_bytes());
        list.extend_from_slice(&[0; 2]);
        list.extend_from_slice(parameter);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_with_wrong_lengths_are_refused() {
        let list = emit(&[b"ONE".to_vec(), vec![]]);
        assert_eq!(list, b"\0\x07\0\0ONE\0\x04\0\0");
        assert_eq!(parse(&list), Some(vec![b"ONE".to_vec(), vec![]]));
        assert_eq!(parse(&[]), Some(vec![]));
        for (at, byte) in [(1, 3), (1, 8), (0, 1), (8, 5), (8, 0)] {
            let mut wrong = list.clone();
            wrong[at] = byte;
            assert_eq!(parse(&wrong), None, "{at} {byte}");
        }
        assert_eq!(parse(&list[..list.len() - 1]), None);
        assert_eq!(parse(&[&list[..], &[0]].concat()), None);
        assert_eq!(parse(&emit(&[vec![0; MOST_BYTES - 3]])), None);
        assert!(parse(&emit(&[vec![0; MOST_BYTES - 4]])).is_some());
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_list_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Some(parameters) = parse(&bytes) {
                prop_assert_eq!(emit(&parameters).len(), bytes.len());
            }
        }
    }
}
