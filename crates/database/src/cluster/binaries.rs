//! Where PostgreSQL's programs are.

use std::path::{Path, PathBuf};

/// What a user reads when they are nowhere.
pub const MISSING: &str = "PostgreSQL is not installed: install the package postgresql (Debian and \
    Ubuntu: apt-get install postgresql; Fedora: dnf install postgresql-server), or name a server \
    in tupelo.toml: [sql] url = \"postgresql://…\"";

/// Folders with a folder for each version.
const VERSIONED: &[&str] = &["/usr/lib/postgresql", "/usr/lib64/pgsql", "/opt/postgresql"];
/// Folders of one version.
const PLAIN: &[&str] = &[
    "/usr/pgsql/bin",
    "/usr/local/pgsql/bin",
    "/usr/local/bin",
    "/usr/bin",
];

/// The folder with `initdb` and `postgres` of the newest version.
pub fn find() -> Option<PathBuf> {
    find_in(VERSIONED.iter().map(Path::new), PLAIN.iter().map(Path::new))
}

fn find_in<'a>(
    versioned: impl Iterator<Item = &'a Path>,
    plain: impl Iterator<Item = &'a Path>,
) -> Option<PathBuf> {
    let entries = versioned.filter_map(|folder| std::fs::read_dir(folder).ok());
    let mut found: Vec<(u32, PathBuf)> = entries
        .flat_map(|entries| entries.flatten())
        .filter_map(|entry| {
            let version = entry
                .file_name()
                .to_str()?
                .split('.')
                .next()?
                .parse()
                .ok()?;
            Some((version, entry.path().join("bin")))
        })
        .filter(|(_, folder)| has_programs(folder))
        .collect();
    found.sort();
    let newest = found.pop().map(|(_, folder)| folder);
    newest.or_else(|| plain.filter(|f| has_programs(f)).map(Path::to_owned).next())
}

fn has_programs(folder: &Path) -> bool {
    ["initdb", "postgres"]
        .iter()
        .all(|program| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_with_both_programs_is_taken() {
        let root = tempfile::tempdir().unwrap();
        for (version, programs) in [
            ("9.6", &["initdb", "postgres"][..]),
            ("15", &["initdb", "postgres"]),
            ("17", &["psql"]),
        ] {
            let bin = root.path().join(version).join("bin");
            std::fs::create_dir_all(&bin).unwrap();
            for program in programs {
                std::fs::write(bin.join(program), "").unwrap();
            }
        }
        let found = find_in([root.path()].into_iter(), [].into_iter());
        assert_eq!(found, Some(root.path().join("15/bin")));
        assert_eq!(find_in([].into_iter(), [root.path()].into_iter()), None);
    }
}
