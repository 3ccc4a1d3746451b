//! Any segments of two connections, which over DLSw may be one link, are
//! followed: the input is a list of
//! (side, flags, sequence, acknowledgement, time, payload).
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut file = 0xa1b2_c3d4_u32.to_le_bytes().to_vec();
    file.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 101, 0, 0, 0]);
    let (mut rest, mut time) = (bytes, 0u32);
    while let [side, flags, s, a, pause, len, more @ ..] = rest {
        let (payload, next) = more.split_at((*len as usize).min(more.len()));
        rest = next;
        time = time.wrapping_add(*pause as u32 * 1_000);
        let mut ip = vec![0x45, 0];
        ip.extend((40 + payload.len() as u16).to_be_bytes());
        ip.extend([0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 1]);
        // Port 2065 is DLSw's.
        let [high, low] = if side & 0x80 != 0 { [8, 0x11] } else { [0, 80] };
        let port = 0x50 + ((side >> 6) & 1);
        ip.extend(match side & 1 {
            0 => [0xc3, port, high, low],
            _ => [high, low, 0xc3, port],
        });
        ip.extend((*s as u32 * 16).to_be_bytes());
        ip.extend((*a as u32 * 16).to_be_bytes());
        ip.extend([0x50, *flags, 0x10, side >> 1, 0, 0, 0, 0]);
        ip.extend(payload);
        let length = ip.len() as u32;
        for word in [time / 1_000_000, time % 1_000_000, length, length] {
            file.extend(word.to_le_bytes());
        }
        file.extend(ip);
    }
    let options = capture::AnalysisOptions {
        max_held_bytes: 512,
        ..capture::AnalysisOptions::default()
    };
    let explanation = capture::explain(&file[..], &options);
    assert!(explanation.is_ok());
});
