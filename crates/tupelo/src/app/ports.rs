//! Processes that listen on a port, and the command lines of processes, for messages
//! about ports that are in use.
//!
//! Reference: proc(5), `/proc/net/tcp` and `/proc/PID/fd`.

use std::fs;

/// The process that listens on a port, as `name (pid 12)`. Returns `None` if it cannot
/// be read.
pub fn owner(port: u16) -> Option<String> {
    let inodes: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .flat_map(|file| listeners(&fs::read_to_string(file).unwrap_or_default(), port))
        .collect();
    let processes = fs::read_dir("/proc").ok()?.flatten();
    for process in processes {
        let name = process.file_name();
        let Some(pid) = name
            .to_str()
            .filter(|n| n.bytes().all(|b| b.is_ascii_digit()))
        else {
            continue;
        };
        let descriptors = fs::read_dir(process.path().join("fd"))
            .into_iter()
            .flatten()
            .flatten();
        let mut targets = descriptors.filter_map(|d| fs::read_link(d.path()).ok());
        let has = |inode: &String, target: &str| target == format!("socket:[{inode}]");
        if targets.any(|t| inodes.iter().any(|inode| has(inode, &t.to_string_lossy()))) {
            let comm = fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            return Some(format!("{} (pid {pid})", comm.trim()));
        }
    }
    None
}

/// The command line of a process, as far as a message can show it.
pub fn command(pid: u32) -> Option<String> {
    let words = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let words = String::from_utf8_lossy(&words).replace('\0', " ");
    let shown: String = words
        .trim()
        .chars()
        .filter(|c| !c.is_control())
        .take(80)
        .collect();
    (!shown.is_empty()).then_some(shown)
}

/// Inodes of the sockets of `/proc/net/tcp` that listen on a port.
fn listeners(table: &str, port: u16) -> Vec<String> {
    let wanted = format!(":{port:04X}");
    let of = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let listens = fields.get(1)?.ends_with(&wanted) && *fields.get(3)? == "0A";
        listens.then(|| fields.get(9).map(|inode| (*inode).to_owned()))?
    };
    table.lines().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_that_listens_is_named() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let owner_text = owner(listener.local_addr().unwrap().port()).unwrap();
        assert!(
            owner_text.contains(&format!("(pid {})", std::process::id())),
            "{owner_text}"
        );
    }
}
