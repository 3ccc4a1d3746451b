//! MD5, for servers that still ask for it, and its password form.
//!
//! Own code: nothing else in the workspace needs MD5, and here it protects
//! nothing that is not known to the server already. Reference: RFC 1321.

/// Sines of RFC 1321, 2^32 × |sin(i + 1)|.
fn table() -> [u32; 64] {
    let mut table = [0; 64];
    for (i, value) in table.iter_mut().enumerate() {
        let sine = (i as f64 + 1.0).sin().abs() * 4_294_967_296.0;
        // Below 2^32 by its making.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let whole = sine as u64;
        *value = u32::try_from(whole).unwrap_or(u32::MAX);
    }
    table
}

const SHIFTS: [[u32; 4]; 4] = [
    [7, 12, 17, 22],
    [5, 9, 14, 20],
    [4, 11, 16, 23],
    [6, 10, 15, 21],
];

fn digest(data: &[u8]) -> [u8; 16] {
    let table = table();
    let mut state: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let mut padded = data.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend_from_slice(&(data.len() as u64 * 8).to_le_bytes());
    for block in padded.as_chunks::<64>().0 {
        let word = |n: usize| {
            u32::from_le_bytes([
                block[n * 4],
                block[n * 4 + 1],
                block[n * 4 + 2],
                block[n * 4 + 3],
            ])
        };
        let [mut a, mut b, mut c, mut d] = state;
        for i in 0..64 {
            let (f, g) = match i / 16 {
                0 => ((b & c) | (!b & d), i),
                1 => ((d & b) | (!d & c), (5 * i + 1) % 16),
                2 => (b ^ c ^ d, (3 * i + 5) % 16),
                _ => (c ^ (b | !d), (7 * i) % 16),
            };
            let sum = f
                .wrapping_add(a)
                .wrapping_add(table[i])
                .wrapping_add(word(g));
            a = d;
            d = c;
            c = b;
            b = b.wrapping_add(sum.rotate_left(SHIFTS[i / 16][i % 4]));
        }
        for (part, more) in state.iter_mut().zip([a, b, c, d]) {
            *part = part.wrapping_add(more);
        }
    }
    let mut out = [0; 16];
    for (place, part) in out.chunks_exact_mut(4).zip(state) {
        place.copy_from_slice(&part.to_le_bytes());
    }
    out
}

/// The answer to an MD5 challenge.
pub fn md5_password(user: &str, password: &str, salt: [u8; 4]) -> String {
    let inner = base::hex::lower(&digest(format!("{password}{user}").as_bytes()));
    let mut outer = inner.into_bytes();
    outer.extend_from_slice(&salt);
    format!("md5{}", base::hex::lower(&digest(&outer)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_rfc() {
        assert_eq!(
            base::hex::lower(&digest(b"")),
            "d41d8cd98f00b204e9800998ecf8427e"
        );
        assert_eq!(
            base::hex::lower(&digest(b"abc")),
            "900150983cd24fb0d6963f7d28e17f72"
        );
        let long = "1234567890".repeat(8);
        assert_eq!(
            base::hex::lower(&digest(long.as_bytes())),
            "57edf4a22be3c955ac49da2e2107b67a"
        );
    }
}
