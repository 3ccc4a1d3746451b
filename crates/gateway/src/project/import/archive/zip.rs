//! Zip archives from elsewhere, whole or not at all.
//!
//! A library extracts as much as possible; here an ambiguous archive is
//! rejected: names that leave the folder, links, an entry twice, a size that is
//! not that of the data, more data than an archive of a project can have. The
//! inflater is a library's.
//!
//! Reference: PKWARE APPNOTE 6.3, sections 4.3 and 4.4.

use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// Most entries of an archive.
const MAX_ENTRIES: usize = 4096;
/// Most bytes of an entry, inflated.
const MAX_ENTRY: usize = 8 << 20;
/// Most bytes of all entries, inflated.
const MAX_TOTAL: usize = 32 << 20;
/// Longest name of an entry.
const MAX_NAME: usize = 512;
const END_BYTES: usize = 22;
const DIRECTORY_BYTES: usize = 46;
const LOCAL_BYTES: usize = 30;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// Bits of the flags: encrypted, and the patched and masked forms of encryption.
const ENCRYPTED: u16 = 0x2041;
const SYMLINK: u32 = 0o120_000;
const FILE_TYPE: u32 = 0o170_000;
/// The system that external attributes are of.
const UNIX: u16 = 3;

/// A file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ZipEntry {
    /// Its path with `/` between names.
    pub name: String,
    pub data: Vec<u8>,
}

/// Takes the files out of an archive, in the order of its directory.
///
/// # Errors
/// Why the archive is refused as a whole.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<ZipEntry>, String> {
    let end = (0..=bytes.len().saturating_sub(END_BYTES))
        .rev()
        .take(usize::from(u16::MAX) + 1)
        .find(|at| bytes[*at..].starts_with(b"PK\x05\x06"))
        .ok_or("it is not a zip archive: it has no directory")?;
    let count = usize::from(half(bytes, end + 10)?);
    if half(bytes, end + 8)? != count as u16 || half(bytes, end + 4)? != 0 {
        return Err("it is one of several volumes".into());
    }
    if count > MAX_ENTRIES {
        return Err(format!("it has {count} entries, more than {MAX_ENTRIES}"));
    }
    let mut at = word(bytes, end + 16)? as usize;
    let mut entries: Vec<ZipEntry> = Vec::new();
    let mut total = 0;
    for _ in 0..count {
        let head = Head::parse(bytes, at)?;
        at += head.length;
        let name = name(head.name)?;
        if head.attributes >> 16 & FILE_TYPE == SYMLINK && head.system == UNIX {
            return Err(format!("{name} is a link"));
        }
        if name.ends_with('/') {
            continue;
        }
        if entries.iter().any(|e| e.name.eq_ignore_ascii_case(&name)) {
            return Err(format!("{name} occurs twice"));
        }
        total += head.size;
        if head.size > MAX_ENTRY || total > MAX_TOTAL {
            return Err(format!(
                "{name} makes it larger than {} MiB",
                MAX_TOTAL >> 20
            ));
        }
        let data = head.data(bytes).map_err(|why| format!("{name} {why}"))?;
        entries.push(ZipEntry { name, data });
    }
    if at <= end {
        Ok(entries)
    } else {
        Err("its directory is longer than stated".into())
    }
}

/// An entry of the directory.
struct Head<'a> {
    name: &'a [u8],
    system: u16,
    flags: u16,
    method: u16,
    crc: u32,
    packed: usize,
    size: usize,
    attributes: u32,
    local: usize,
    /// Bytes in the directory.
    length: usize,
}

impl<'a> Head<'a> {
    fn parse(bytes: &'a [u8], at: usize) -> Result<Head<'a>, String> {
        if word(bytes, at)? != 0x0201_4B50 {
            return Err("its directory is cut".into());
        }
        let lengths = [28, 30, 32].map(|of| half(bytes, at + of).map(usize::from));
        let [name, extra, comment] = lengths;
        let (name, extra, comment) = (name?, extra?, comment?);
        let from = at + DIRECTORY_BYTES;
        Ok(Head {
            name: bytes.get(from..from + name).ok_or("its directory is cut")?,
            system: half(bytes, at + 4)? >> 8,
            flags: half(bytes, at + 8)?,
            method: half(bytes, at + 10)?,
            crc: word(bytes, at + 16)?,
            packed: word(bytes, at + 20)? as usize,
            size: word(bytes, at + 24)? as usize,
            attributes: word(bytes, at + 38)?,
            local: word(bytes, at + 42)? as usize,
            length: DIRECTORY_BYTES + name + extra + comment,
        })
    }

    fn data(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        if self.flags & ENCRYPTED != 0 {
            return Err("is encrypted".into());
        }
        if word(bytes, self.local)? != 0x0403_4B50 {
            return Err("is not where the directory says".into());
        }
        let name = usize::from(half(bytes, self.local + 26)?);
        let extra = usize::from(half(bytes, self.local + 28)?);
        let from = self.local + LOCAL_BYTES;
        let named = bytes.get(from..from + name);
        if named != Some(self.name) || half(bytes, self.local + 8)? != self.method {
            return Err("has another name or form in the directory".into());
        }
        let from = from + name + extra;
        let packed = bytes
            .get(from..from + self.packed)
            .ok_or("is longer than the archive")?;
        let data = match self.method {
            STORED => packed.to_vec(),
            DEFLATED => decompress_to_vec_with_limit(packed, self.size)
                .map_err(|_| "does not inflate to the size it says".to_owned())?,
            other => return Err(format!("is packed by method {other}, not 0 or 8")),
        };
        if data.len() != self.size {
            return Err(format!(
                "has {} bytes; its directory entry says {}",
                data.len(),
                self.size
            ));
        }
        if crc32fast::hash(&data) == self.crc {
            Ok(data)
        } else {
            Err("does not have the checksum of its directory entry".into())
        }
    }
}

/// A name as a path within a folder. Tools on Windows write `\`.
fn name(bytes: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "a name in it is not UTF-8")?;
    let name = text.replace('\\', "/");
    let shown: String = name.escape_debug().take(80).collect();
    if name.is_empty() || name.len() > MAX_NAME {
        return Err(format!("a name in it has {} bytes", name.len()));
    }
    if name.starts_with('/') || name.contains(['\0', ':']) {
        return Err(format!("{shown} is not a path within the archive"));
    }
    let parts = name.trim_end_matches('/').split('/');
    for part in parts {
        if matches!(part, "" | "." | "..") {
            return Err(format!("{shown} leads out of the archive"));
        }
    }
    Ok(name)
}

fn half(bytes: &[u8], at: usize) -> Result<u16, String> {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk());
    let found = found.ok_or("it is cut")?;
    Ok(u16::from_le_bytes(*found))
}

fn word(bytes: &[u8], at: usize) -> Result<u32, String> {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk());
    let found = found.ok_or("it is cut")?;
    Ok(u32::from_le_bytes(*found))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An archive of these entries, deflated.
    pub fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut out, mut directory) = (Vec::new(), Vec::new());
        for (name, data) in entries {
            let packed = miniz_oxide::deflate::compress_to_vec(data, 6);
            let local = out.len() as u32;
            let mut common = Vec::new();
            for value in [0u16, DEFLATED, 0, 0] {
                common.extend(value.to_le_bytes());
            }
            for value in [
                crc32fast::hash(data),
                packed.len() as u32,
                data.len() as u32,
            ] {
                common.extend(value.to_le_bytes());
            }
            common.extend((name.len() as u16).to_le_bytes());
            common.extend(0u16.to_le_bytes());
            out.extend(b"PK\x03\x04\x14\0");
            out.extend(&common);
            out.extend(name.as_bytes());
            out.extend(&packed);
            directory.extend(b"PK\x01\x02\x14\x03\x14\0");
            directory.extend(&common);
            directory.extend([0; 10]);
            directory.extend(local.to_le_bytes());
            directory.extend(name.as_bytes());
        }
        let at = out.len() as u32;
        out.extend(&directory);
        out.extend(b"PK\x05\x06\0\0\0\0");
        for _ in 0..2 {
            out.extend((entries.len() as u16).to_le_bytes());
        }
        out.extend((directory.len() as u32).to_le_bytes());
        out.extend(at.to_le_bytes());
        out.extend([0, 0]);
        out
    }

    /// Changes bytes at an offset of the first entry of the directory.
    fn directory(mut bytes: Vec<u8>, at: usize, new: &[u8]) -> Vec<u8> {
        let start = bytes.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
        bytes[start + at..start + at + new.len()].copy_from_slice(new);
        bytes
    }

    fn refused(bytes: &[u8]) -> String {
        read(bytes).unwrap_err()
    }

    #[test]
    fn files_come_out_with_their_paths() {
        let all = read(&zip(&[
            ("a/", b""),
            ("a\\b.txt", b"one"),
            ("c", &[7; 5000]),
        ]))
        .unwrap();
        let names: Vec<&str> = all.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["a/b.txt", "c"]);
        assert_eq!(all[1].data, [7; 5000]);
    }

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        for bad in [
            "../a",
            "a/../../b",
            "/etc/passwd",
            "C:\\a",
            "a//b",
            "a/./b",
            "..\\a",
        ] {
            let why = refused(&zip(&[(bad, b"x")]));
            assert!(why.contains("archive"), "{bad}: {why}");
        }
        assert!(refused(&zip(&[("a\0b", b"x")])).contains("is not a path"));
        assert!(refused(&zip(&[(&"a".repeat(600), b"x")])).contains("600 bytes"));
    }

    #[test]
    fn links_duplicates_and_encrypted_entries_are_refused() {
        let link = directory(
            zip(&[("a", b"/etc/passwd")]),
            38,
            &(0o120_777u32 << 16).to_le_bytes(),
        );
        assert!(refused(&link).contains("a is a link"));
        let twice = zip(&[("a", b"1"), ("A", b"2")]);
        assert!(refused(&twice).contains("A occurs twice"));
        let encrypted = directory(zip(&[("a", b"1")]), 8, &1u16.to_le_bytes());
        assert!(refused(&encrypted).contains("encrypted"));
    }

    #[test]
    fn sizes_and_sums_that_lie_are_refused() {
        let data = [1; 4000];
        let less = directory(zip(&[("a", &data)]), 24, &3999u32.to_le_bytes());
        assert!(refused(&less).contains("inflate to the size"));
        let more = directory(zip(&[("a", &data)]), 24, &4001u32.to_le_bytes());
        assert!(refused(&more).contains("has 4000 bytes; its directory entry says 4001"));
        let sum = directory(zip(&[("a", &data)]), 16, &[0; 4]);
        assert!(refused(&sum).contains("checksum"));
        let name = directory(zip(&[("a", &data)]), 46, b"b");
        assert!(refused(&name).contains("another name"));
    }

    #[test]
    fn an_archive_that_inflates_to_too_much_is_refused() {
        let big = vec![0; MAX_ENTRY];
        let names: Vec<String> = (0..6).map(|i| format!("f{i}")).collect();
        let entries: Vec<(&str, &[u8])> = names.iter().map(|n| (n.as_str(), &big[..])).collect();
        let bomb = zip(&entries);
        assert!(bomb.len() < 200_000);
        assert!(refused(&bomb).contains("larger than 32 MiB"));
        // An entry with a small stated size inflates at most to that size.
        let lying = directory(zip(&[("a", &big)]), 24, &10u32.to_le_bytes());
        assert!(refused(&lying).contains("inflate to the size"));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic(cuts in proptest::collection::vec((0usize..300, proptest::num::u8::ANY), 0..8)) {
            let mut bytes = zip(&[("a", b"one"), ("b/c", b"two")]);
            for (at, byte) in cuts {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
            let _ = read(&bytes);
            let _ = read(&bytes[..bytes.len() / 2]);
        }
    }
}
