//! Detects changes of an application's files on the disk.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use miette::Result;

use super::Application;

/// Reads an application, and its fingerprint before that. A file written during the
/// reading is therefore found at the next comparison.
pub fn read_seen(read: impl Fn() -> Result<Application>) -> Result<(Application, u64)> {
    let seen = fingerprint(&read()?);
    Ok((read()?, seen))
}

/// A hash over the files that a reload reads, with their lengths and times. It
/// differs when a file was written, added, removed or replaced by an older one.
pub fn fingerprint(app: &Application) -> u64 {
    let settings = &app.config;
    let mut seen = DefaultHasher::new();
    hash_entry(&app.folder.join("tupelo.toml"), &mut seen);
    hash_entry(&app.folder.join("resources.csd"), &mut seen);
    hash_entry(&app.folder.join(super::transforms::FOLDER), &mut seen);
    for section in settings.files.values() {
        if let Some(copybook) = &section.copybook {
            hash_entry(&app.folder.join(copybook), &mut seen);
        }
    }
    let gateway = &settings.gateway;
    for policy in gateway.policy.iter().chain(gateway.policies.values()) {
        hash_entry(&app.folder.join(policy), &mut seen);
    }
    for folder in folders(app) {
        hash_entry(&folder, &mut seen);
    }
    seen.finish()
}

/// The folders that a reload reads.
fn folders(app: &Application) -> Vec<PathBuf> {
    let settings = &app.config;
    let maps = PathBuf::from(super::maps::FOLDER);
    let folders = settings
        .compile
        .programs
        .iter()
        .chain(&settings.compile.copybooks)
        .chain([&settings.gateway.apis, &settings.script.folder])
        .chain([&settings.requester.folder, &maps]);
    folders.map(|folder| app.folder.join(folder)).collect()
}

/// From now on this process reads files of the application only from its folder and
/// from folders that its settings name: symbolic links to other places are not
/// followed.
pub fn confine(app: &Application) {
    let settings = &app.config;
    sources::confine(&app.folder);
    sources::confine(&app.state);
    folders(app)
        .iter()
        .for_each(|folder| sources::confine(folder));
    let gateway = &settings.gateway;
    let files = settings
        .files
        .values()
        .filter_map(|file| file.copybook.as_ref());
    let policies = gateway.policy.iter().chain(gateway.policies.values());
    for file in files.chain(policies) {
        if let Some(folder) = app.folder.join(file).parent() {
            sources::confine(folder);
        }
    }
    sources::confine(&app.folder.join(&settings.web.files));
}

fn hash_entry(path: &Path, seen: &mut DefaultHasher) {
    let Ok(about) = path.metadata() else { return };
    // An empty folder hashes differently from a missing one: its programs are gone.
    path.hash(seen);
    if !about.is_dir() {
        (about.len(), about.modified().ok()).hash(seen);
        return;
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        hash_entry(&path, seen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_folder_differs_from_a_missing_one() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("cobol");
        let seen = || {
            let mut seen = DefaultHasher::new();
            hash_entry(&folder, &mut seen);
            seen.finish()
        };
        let none = seen();
        std::fs::create_dir(&folder).unwrap();
        assert_ne!(seen(), none);
    }

    #[test]
    fn a_file_written_during_the_reading_is_found_at_the_next_look() {
        let folder = tempfile::tempdir().unwrap();
        let settings = folder.path().join("tupelo.toml");
        let write = |text: &str| std::fs::write(&settings, text).unwrap();
        write("");
        let (app, seen) = read_seen(|| {
            let app = Application::open(folder.path(), None);
            let text = std::fs::read_to_string(&settings).unwrap();
            write(&(text + "# more\n"));
            app
        })
        .unwrap();
        assert_ne!(fingerprint(&app), seen);
    }

    #[test]
    fn documents_of_apis_that_programs_call_count() {
        let folder = tempfile::tempdir().unwrap();
        let app = Application::open(folder.path(), None).unwrap();
        let none = fingerprint(&app);
        std::fs::create_dir(folder.path().join("requesters")).unwrap();
        assert_ne!(fingerprint(&app), none);
    }
}
