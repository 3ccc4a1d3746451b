//! Takes the files of the documentation page (Swagger UI) out of their archive.
//!
//! The archive holds the whole of the project's sources, 1.8 MB; the page needs
//! four files of it. They stay deflated as they are there, 0.5 MB, since a
//! browser takes them so.
//! Reference: PKWARE APPNOTE, "Central directory structure".

use std::fmt::Write;
use std::path::PathBuf;

const ARCHIVE: &[u8] = utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;

/// The files that the page of `server/documents.rs` names.
const WANTED: [&str; 4] = [
    "swagger-ui.css",
    "swagger-ui-bundle.js",
    "swagger-ui-standalone-preset.js",
    "favicon-32x32.png",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names a folder"));
    let mut table = String::from("[\n");
    for name in WANTED {
        let member = find(name).unwrap_or_else(|| panic!("the archive has no dist/{name}"));
        std::fs::write(out.join(name), member.data).expect("the folder can be written to");
        writeln!(
            table,
            "Member {{ name: {name:?}, data: include_bytes!({name:?}), deflated: {}, crc: {}, size: {} }},",
            member.deflated, member.crc, member.size
        )
        .expect("a string takes it");
    }
    table.push(']');
    std::fs::write(out.join("pages.rs"), table).expect("the folder can be written to");
}

struct Member {
    data: &'static [u8],
    deflated: bool,
    crc: u32,
    size: u32,
}

/// The member of the folder `dist` with that file name.
fn find(name: &str) -> Option<Member> {
    let end = ARCHIVE.windows(4).rposition(|w| w == b"PK\x05\x06")?;
    let count = half(end + 10)?;
    let mut at = word(end + 16)? as usize;
    for _ in 0..count {
        let lengths = [half(at + 28)?, half(at + 30)?, half(at + 32)?].map(usize::from);
        let path = ARCHIVE.get(at + 46..at + 46 + lengths[0])?;
        let folder = path.strip_suffix(name.as_bytes());
        if folder.is_some_and(|folder| folder.ends_with(b"dist/")) {
            let local = word(at + 42)? as usize;
            let start =
                local + 30 + usize::from(half(local + 26)?) + usize::from(half(local + 28)?);
            return Some(Member {
                data: ARCHIVE.get(start..start + word(at + 20)? as usize)?,
                deflated: half(at + 10)? == 8,
                crc: word(at + 16)?,
                size: word(at + 24)?,
            });
        }
        at += 46 + lengths.iter().sum::<usize>();
    }
    None
}

fn half(at: usize) -> Option<u16> {
    let bytes = ARCHIVE.get(at..at + 2)?;
    Some(u16::from_le_bytes(bytes.try_into().ok()?))
}

fn word(at: usize) -> Option<u32> {
    let bytes = ARCHIVE.get(at..at + 4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}
