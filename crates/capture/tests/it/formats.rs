//! Every format, byte order, resolution and link layer gives the same result.

use crate::build::{RAW, pcap, segment, tcp};
use capture::{AnalysisOptions, CaptureExplanation, CaptureInfo};
use std::io::Write;

fn explain(bytes: &[u8]) -> CaptureExplanation {
    capture::explain(bytes, &AnalysisOptions::default()).unwrap()
}

/// One segment as a datagram.
fn datagram() -> Vec<u8> {
    segment((50_000, 80), 7, 9, 0x18, b"payload")
}

/// Info of a file that must hold one whole segment of seven bytes.
fn one(bytes: &[u8]) -> CaptureInfo {
    one_with(bytes, &[])
}

/// The same, with these problems.
fn one_with(bytes: &[u8], problems: &[&str]) -> CaptureInfo {
    let explanation = explain(bytes);
    let found: Vec<&str> = (explanation.capture.problems.iter())
        .map(|p| p.id)
        .collect();
    assert_eq!(found, problems);
    assert_eq!(explanation.totals.segments, 1, "{:?}", explanation.totals);
    assert_eq!(explanation.totals.payload_bytes, 7);
    explanation.capture
}

/// Bytes of a file with words of one byte order.
struct File {
    big: bool,
    bytes: Vec<u8>,
}

impl File {
    fn new(big: bool) -> File {
        let bytes = Vec::new();
        File { big, bytes }
    }

    fn u32(&mut self, word: u32) -> &mut File {
        self.bytes.extend(if self.big {
            word.to_be_bytes()
        } else {
            word.to_le_bytes()
        });
        self
    }

    fn u16(&mut self, word: u16) -> &mut File {
        self.bytes.extend(if self.big {
            word.to_be_bytes()
        } else {
            word.to_le_bytes()
        });
        self
    }

    /// A block of pcapng around `body`.
    fn block(&mut self, kind: u32, body: &[u8]) -> &mut File {
        let padded = body.len().next_multiple_of(4);
        let total = padded as u32 + 12;
        self.u32(kind).u32(total);
        self.bytes.extend(body);
        self.bytes.resize(self.bytes.len() + padded - body.len(), 0);
        self.u32(total)
    }

    fn section(&mut self) -> &mut File {
        let mut body = File::new(self.big);
        body.u32(0x1a2b_3c4d).u16(1).u16(0);
        body.u32(u32::MAX).u32(u32::MAX);
        self.block(0x0a0d_0d0a, &body.bytes)
    }

    /// An interface of raw IP with a resolution and an offset in seconds.
    fn interface(&mut self, resolution: u8, offset_s: u32) -> &mut File {
        let mut body = File::new(self.big);
        body.u16(RAW as u16).u16(0).u32(0);
        body.u16(1).u16(5);
        body.bytes.extend(b"notes\0\0\0");
        body.u16(9).u16(1);
        body.bytes.extend([resolution, 0, 0, 0]);
        body.u16(14).u16(8);
        if self.big {
            body.u32(0).u32(offset_s)
        } else {
            body.u32(offset_s).u32(0)
        };
        body.u16(0).u16(0);
        self.block(1, &body.bytes)
    }

    fn enhanced(&mut self, interface: u32, stamp: u64, data: &[u8]) -> &mut File {
        let mut body = File::new(self.big);
        body.u32(interface)
            .u32((stamp >> 32) as u32)
            .u32(stamp as u32);
        body.u32(data.len() as u32).u32(data.len() as u32);
        body.bytes.extend(data);
        self.block(6, &body.bytes)
    }
}

#[test]
fn pcap_is_read_in_both_orders_and_resolutions() {
    for big in [false, true] {
        for (magic, fraction, ns) in [(0xa1b2_c3d4, 5, 5_000), (0xa1b2_3c4d, 5, 5)] {
            let mut file = File::new(big);
            file.u32(magic).u16(2).u16(4).u32(0).u32(0).u32(65_535);
            file.u32(RAW);
            let data = datagram();
            let length = data.len() as u32;
            file.u32(3).u32(fraction).u32(length).u32(length);
            file.bytes.extend(data);
            assert_eq!(one(&file.bytes).first_ns, 3_000_000_000 + ns);
        }
    }
}

#[test]
fn pcapng_is_read_in_every_resolution() {
    for big in [false, true] {
        for (resolution, stamp, ns) in [
            (3, 1_500, 1_500_000_000),
            (6, 1_500_000, 1_500_000_000),
            (9, 1_500_000_001, 1_500_000_001),
            (12, 1_500_000_001_999, 1_500_000_001),
            (0x80 | 10, 1_536, 1_500_000_000),
        ] {
            let mut file = File::new(big);
            file.section().interface(resolution, 10);
            file.block(5, &[0; 12]).block(0x0000_000a, b"secrets");
            file.enhanced(0, stamp, &datagram());
            let info = one(&file.bytes);
            assert_eq!(info.first_ns, 10_000_000_000 + ns, "{resolution:#x}");
            assert_eq!((info.interfaces, &info.link_types[..]), (1, &[101][..]));
        }
    }
}

#[test]
fn sections_of_different_byte_order_may_follow_each_other() {
    let mut file = File::new(false);
    file.section().interface(6, 0).interface(9, 0);
    file.enhanced(1, 1_000, &datagram());
    let mut second = File::new(true);
    second.section().interface(6, 0);
    second.enhanced(0, 2, &segment((80, 50_000), 9, 14, 0x18, b"answer"));
    file.bytes.extend(second.bytes);
    let explanation = explain(&file.bytes);
    assert_eq!(explanation.capture.problems, []);
    assert_eq!(explanation.capture.interfaces, 3);
    assert_eq!(explanation.totals.exchanges, 1);
    assert_eq!(explanation.exchanges[0].total_ns(), 1_000);
}

#[test]
fn simple_and_old_packet_blocks_are_read() {
    let data = datagram();
    let mut body = File::new(false);
    body.u32(data.len() as u32).bytes.extend(&data);
    let mut file = File::new(false);
    file.section().interface(6, 0).block(3, &body.bytes);
    // It has no time.
    one_with(&file.bytes, &["file.times"]);

    let mut body = File::new(false);
    body.u16(0).u16(0).u32(0).u32(77);
    body.u32(data.len() as u32).u32(data.len() as u32);
    body.bytes.extend(&data);
    let mut file = File::new(false);
    file.section().interface(6, 0).block(2, &body.bytes);
    assert_eq!(one(&file.bytes).first_ns, 77_000);
}

#[test]
fn meaningless_times_are_reported() {
    let data = datagram();
    let mut body = File::new(false);
    body.u32(data.len() as u32);
    body.bytes.extend(&data);
    let mut none = File::new(false);
    none.section().interface(6, 0);
    let first = none.bytes.len() as u64;
    none.block(3, &body.bytes).block(3, &body.bytes);
    // Microseconds that the interface says are milliseconds.
    let mut beyond = File::new(false);
    beyond.section().interface(3, 0);
    beyond.enhanced(0, 1_700_000_000_000_000, &data);
    beyond.enhanced(0, 1_700_000_000_050_000, &data);
    for (file, words) in [(none, "have no time"), (beyond, "if_tsresol")] {
        let info = explain(&file.bytes).capture;
        let problem = &info.problems[0];
        assert_eq!((info.packets, info.problems.len()), (2, 1), "{words}");
        assert_eq!((problem.id, problem.offset), ("file.times", first));
        assert!(problem.text.contains(words), "{}", problem.text);
    }
}

#[test]
fn a_version_that_is_not_known_is_not_guessed_at() {
    let mut file = File::new(false);
    file.section().interface(6, 0).enhanced(0, 1, &datagram());
    file.bytes[12] = 9;
    let info = explain(&file.bytes).capture;
    assert_eq!(
        (info.packets, info.problems[0].id, info.problems[0].offset),
        (0, "file.version", 0)
    );
}

#[test]
fn a_packet_of_an_unknown_interface_is_reported_with_its_offset() {
    let mut file = File::new(false);
    file.section().interface(6, 0).enhanced(0, 1, &datagram());
    let offset = file.bytes.len() as u64;
    file.enhanced(4, 2, &datagram());
    let info = explain(&file.bytes).capture;
    assert_eq!(info.packets, 1);
    assert_eq!(
        (info.problems[0].id, info.problems[0].offset),
        ("file.corrupt", offset)
    );
}

#[test]
fn compressed_captures_are_read_and_damage_is_reported() {
    let plain = pcap(RAW, &[(5, datagram())]);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&plain).unwrap();
    let gzip = gzip.finish().unwrap();
    assert_eq!(one(&gzip).format, "pcap, gzip");
    // A file in two members, as a program that appends writes it.
    let two = [gzip.clone(), {
        let mut more = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        more.write_all(&plain[24..]).unwrap();
        more.finish().unwrap()
    }]
    .concat();
    assert_eq!(explain(&two).capture.packets, 2);
    let zstd = ruzstd::encoding::compress_to_vec(
        &plain[..],
        ruzstd::encoding::CompressionLevel::Uncompressed,
    );
    assert_eq!(one(&zstd).format, "pcap, zstd");
    let large = pcap(RAW, &vec![(5, datagram()); 5_000]);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&large).unwrap();
    let cut = encoder.finish().unwrap();
    let info = explain(&cut[..cut.len() * 2 / 3]).capture;
    assert!(info.packets > 100 && info.packets < 5_000);
    assert!(info.problems.iter().any(|p| p.id == "file.compression"));
}

#[test]
fn netmon_files_are_read() {
    let ip = datagram();
    let frame = [&[2; 12][..], &[8, 0], &ip].concat();
    let mut file = b"GMBU\x00\x02\x01\x00".to_vec();
    for field in [2024_u16, 2, 4, 29, 12, 30, 1, 500] {
        file.extend(field.to_le_bytes());
    }
    file.extend((128 + 16 + frame.len() as u32).to_le_bytes());
    file.resize(128, 0);
    file.extend(1_000_u64.to_le_bytes());
    file.extend((frame.len() as u32).to_le_bytes());
    file.extend((frame.len() as u32).to_le_bytes());
    file.extend(&frame);
    file.extend(128_u32.to_le_bytes());
    let info = one(&file);
    assert_eq!(
        (info.format.as_str(), info.first_ns),
        ("netmon", 1_709_209_801_501_000_000)
    );
}

#[test]
fn netmon_files_of_the_first_version_and_with_frames_of_their_own_type_are_read() {
    let ip = datagram();
    let header = |magic: &[u8], table: usize| {
        let mut file = magic.to_vec();
        for field in [2024_u16, 2, 4, 29, 12, 30, 1, 500] {
            file.extend(field.to_le_bytes());
        }
        file.extend((table as u32).to_le_bytes());
        file.resize(128, 0);
        file
    };
    let frame = [&[2; 12][..], &[8, 0], &ip].concat();
    let mut file = header(b"RTSS\x01\x01\x01\x00", 128 + 8 + frame.len());
    file.extend(1_u32.to_le_bytes());
    file.extend((frame.len() as u16).to_le_bytes());
    file.extend((frame.len() as u16).to_le_bytes());
    file.extend(&frame);
    assert_eq!(one(&file).first_ns, 1_709_209_801_501_000_000);

    // Version 2.1: raw IP in a file of Ethernet frames.
    for medium in [8_u16, 0xE000 | 101] {
        let mut file = header(b"GMBU\x01\x02\x01\x00", 128 + 16 + ip.len() + 2);
        file.extend(1_000_u64.to_le_bytes());
        file.extend((ip.len() as u32).to_le_bytes());
        file.extend((ip.len() as u32).to_le_bytes());
        file.extend(&ip);
        file.extend(medium.to_le_bytes());
        one(&file);
    }
}

#[test]
fn every_link_layer_leads_to_the_segment() {
    let ip = datagram();
    let mac = [2; 12];
    let tagged = [&mac[..], &[0x88, 0xa8, 0, 5, 0x81, 0, 0, 6, 8, 0], &ip].concat();
    let session = [&mac[..], &[0x88, 0x64, 0x11, 0, 0, 1, 0, 0, 0, 0x21], &ip].concat();
    let padded = [&mac[..], &[8, 0], &ip, &[0; 9]].concat();
    let mut cooked = vec![0; 16];
    cooked[14..].copy_from_slice(&[8, 0]);
    let mut cooked_2 = vec![0; 20];
    cooked_2[..2].copy_from_slice(&[8, 0]);
    for (link, frame) in [
        (1, [&mac[..], &[8, 0], &ip].concat()),
        (1, tagged),
        (1, session),
        (1, padded),
        (0, [&[2, 0, 0, 0][..], &ip].concat()),
        (108, [&[0, 0, 0, 2][..], &ip].concat()),
        (101, ip.clone()),
        (12, ip.clone()),
        (228, ip.clone()),
        (113, [cooked, ip.clone()].concat()),
        (276, [cooked_2, ip.clone()].concat()),
        (9, [&[0xFF, 3, 0, 0x21][..], &ip].concat()),
        (9, [&[0x21][..], &ip].concat()),
        (50, [&[0x0F, 0, 8, 0][..], &ip].concat()),
        (51, [&[0x11, 0, 0, 1, 0, 60, 0, 0x21][..], &ip].concat()),
        (166, [&[1, 3, 0, 0x21][..], &ip].concat()),
        (104, [&[0x0F, 0, 8, 0][..], &ip].concat()),
        (109, [&[0; 12][..], &ip].concat()),
        (1, [&mac[..], &[0x88, 0x47, 0, 1, 0x41, 64], &ip].concat()),
        (
            105,
            [&[8, 1][..], &[0; 22], &[0xAA, 0xAA, 3, 0, 0, 0, 8, 0], &ip].concat(),
        ),
        (
            127,
            [
                &[0, 0, 8, 0, 0, 0, 0, 0, 0x88, 1][..],
                &[0; 24],
                &[0xAA, 0xAA, 3, 0, 0, 0, 8, 0],
                &ip,
            ]
            .concat(),
        ),
        (
            197,
            [
                &[0; 8][..],
                &[2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
                &mac,
                &[8, 0],
                &ip,
            ]
            .concat(),
        ),
    ] {
        one(&pcap(link, &[(5, frame)]));
    }
}

#[test]
fn seldom_link_layers_lead_to_the_segment_too() {
    let ip = datagram();
    let mac = [2; 12];
    let snap = [0xAA, 0xAA, 3, 0, 0, 0, 8, 0];
    let wifi = [&[8, 1][..], &[0; 22], &snap, &ip].concat();
    let ethernet = [&mac[..], &[8, 0], &ip].concat();
    let words = |length: u32, big: bool| {
        let word = if big {
            length.to_be_bytes()
        } else {
            length.to_le_bytes()
        };
        [&[0; 4][..], &word].concat()
    };
    let erf = |kind: u8, frame: &[u8]| [&[0; 8][..], &[kind, 0, 0, 0, 0, 0, 0, 0], frame].concat();
    let ppi = |link: u8| [0, 0, 8, 0, link, 0, 0, 0];
    for (link, frame) in [
        (1, [&mac[..], &[0, 60], &snap, &ip].concat()),
        (6, [&[0x10, 0x40][..], &[2; 12], &snap, &ip].concat()),
        // A route of two bytes.
        (
            6,
            [
                &[0x10, 0x40, 2, 2, 2, 2, 2, 2, 0x82, 2, 2, 2, 2, 2, 2, 0][..],
                &snap,
                &ip,
            ]
            .concat(),
        ),
        (8, [&[0; 16][..], &ip].concat()),
        (10, [&[0x50][..], &mac, &snap, &ip].concat()),
        (100, [&snap[..], &ip].concat()),
        (107, [&[0x18, 0x41, 3, 0xCC][..], &ip].concat()),
        (
            107,
            [&[0x18, 0x41, 3, 0, 0x80, 0, 0, 0, 8, 0][..], &ip].concat(),
        ),
        (107, [&[0x18, 0x41, 8, 0][..], &ip].concat()),
        (117, [&[61][..], &[0; 63], &ip].concat()),
        (119, [words(8, false), wifi.clone()].concat()),
        (122, [&[0; 16][..], &snap, &ip].concat()),
        (138, [&[0; 16][..], &[8, 0], &ip].concat()),
        (163, [words(8, true), wifi.clone()].concat()),
        (192, [&ppi(105)[..], &wifi].concat()),
        (192, [&ppi(1)[..], &ethernet].concat()),
        (197, erf(22, &ip)),
        (197, erf(1, &[&[0xFF, 3, 0, 0x21][..], &ip].concat())),
        (204, [&[1, 0xFF, 3, 0, 0x21][..], &ip].concat()),
        (205, [&[1, 0x0F, 0, 8, 0][..], &ip].concat()),
        (206, [&[1, 0x18, 0x41, 3, 0xCC][..], &ip].concat()),
        (226, [&[0; 24][..], &ip].concat()),
        (
            239,
            [&[2, 0, 0, 0, 5, 0, 10, 0, 1, 0, 0, 0, 51, 0, 9, 0][..], &ip].concat(),
        ),
        (240, [&[0; 4][..], &ethernet].concat()),
        (241, [&[0; 12][..], &ethernet].concat()),
    ] {
        one(&pcap(link, &[(5, frame)]));
    }
}

#[test]
fn a_link_layer_that_is_not_read_is_named() {
    let info = explain(&pcap(249, &[(5, vec![0; 64])])).capture;
    let text = &info.problems[0].text;
    assert!(text.contains("249, USB"), "{text}");
    // A chain of headers ends.
    let nested = [[0, 0, 8, 0, 192, 0, 0, 0]; 2000].concat();
    assert_eq!(explain(&pcap(192, &[(5, nested)])).totals.segments, 0);
    let nested = [0xAA, 0xAA, 3, 0, 0, 0, 0, 8].repeat(4000);
    assert_eq!(explain(&pcap(100, &[(5, nested)])).totals.segments, 0);
}

#[test]
fn files_of_snoop_and_of_endace_cards_are_read() {
    let ethernet = [&[2; 12][..], &[8, 0], &datagram()].concat();
    let length = ethernet.len() as u32;
    let mut file = File::new(true);
    file.bytes.extend(b"snoop\0\0\0");
    file.u32(2).u32(4);
    file.u32(length)
        .u32(length)
        .u32(length + 24 + 3)
        .u32(0)
        .u32(3)
        .u32(7);
    file.bytes.extend(&ethernet);
    file.bytes.extend([0; 3]);
    let info = one(&file.bytes);
    assert_eq!(
        (info.format.as_str(), info.first_ns),
        ("snoop", 3_000_007_000)
    );

    let mut file = File::new(false);
    // Half a second, and the second.
    file.u32(1 << 31).u32(1_700_000_000);
    let record = (length as u16 + 18).to_be_bytes();
    file.bytes
        .extend([2, 4, record[0], record[1], 0, 0, 0, length as u8]);
    file.bytes.extend([0, 0]);
    file.bytes.extend(&ethernet);
    let info = one(&file.bytes);
    let format = (info.format.as_str(), info.first_ns);
    assert_eq!(format, ("erf", 1_700_000_000_500_000_000));
    // What is not a record ends the file.
    let twice = [&file.bytes[..], &file.bytes, &[0; 40]].concat();
    let explanation = explain(&twice);
    assert_eq!(explanation.totals.segments, 2);
    assert_eq!(explanation.capture.problems[0].id, "file.corrupt");
}

#[test]
fn extension_headers_of_ipv6_are_walked() {
    let segment = tcp((50_000, 80), 7, 9, 0x18, b"payload");
    let with = |next: u8, extensions: &[u8]| {
        let length = (extensions.len() + segment.len()) as u16;
        let mut frame = vec![0x60, 0, 0, 0];
        frame.extend(length.to_be_bytes());
        frame.extend([next, 64]);
        frame.extend([1; 16]);
        frame.extend([2; 16]);
        frame.extend(extensions);
        frame.extend(&segment);
        frame
    };
    let hop_by_hop = [60, 0, 0, 0, 0, 0, 0, 0];
    let destination = [6, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    one(&pcap(RAW, &[(5, with(6, b""))]));
    one(&pcap(
        RAW,
        &[(5, with(0, &[&hop_by_hop[..], &destination].concat()))],
    ));
    one(&pcap(229, &[(5, with(44, &[6, 0, 0, 0, 0, 0, 0, 1]))]));
    let later = pcap(RAW, &[(5, with(44, &[6, 0, 0, 8, 0, 0, 0, 1]))]);
    assert_eq!(explain(&later).totals.fragments, 1);
}

#[test]
fn fragments_and_offloaded_datagrams_are_distinguished() {
    let mut first = datagram();
    first[6] = 0x20;
    let mut later = datagram();
    later[7] = 1;
    // Segmentation offload: the total length is filled in by the card.
    let mut offloaded = segment((50_001, 80), 7, 9, 0x18, b"payload");
    offloaded[2..4].copy_from_slice(&[0, 0]);
    let file = pcap(RAW, &[(1, first), (2, later), (3, offloaded)]);
    let totals = explain(&file).totals;
    assert_eq!((totals.segments, totals.fragments), (2, 2));
    assert_eq!(totals.payload_bytes, 14);
}

#[test]
fn cut_frames_keep_their_length() {
    let mut file = pcap(RAW, &[(5, datagram())]);
    // Twenty of forty-seven bytes after the IP header were captured.
    let start = 24 + 8;
    file[start..start + 4].copy_from_slice(&40_u32.to_le_bytes());
    file.truncate(24 + 16 + 40);
    let totals = explain(&file).totals;
    assert_eq!((totals.cut_frames, totals.payload_bytes), (1, 7));
}
