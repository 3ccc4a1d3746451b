//! The texts of scripts: a folder, read once for each of its states.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Ctx, Error, Module};

/// Largest text of a script.
const MOST_BYTES: u64 = 4 << 20;

/// Every module of a folder, by its path from there with `/` between names.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ModuleSources {
    texts: BTreeMap<String, String>,
    left_out: Vec<(String, String)>,
}

/// A file that cannot be a script.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file cannot be read.
    #[error("{0}: {1}")]
    Read(PathBuf, std::io::Error),
    /// The file is not text.
    #[error("{0}: not UTF-8; a script is text in UTF-8")]
    Utf8(PathBuf),
    /// The file is larger than a script may be.
    #[error("{0}: larger than 4 MiB")]
    Large(PathBuf),
}

impl ModuleSources {
    /// Reads a folder and those in it; a folder that is not there is empty.
    pub fn read(folder: &Path) -> Result<ModuleSources, SourceError> {
        let mut sources = ModuleSources::default();
        if folder.is_dir() {
            sources.read_into(folder, "")?;
        }
        Ok(sources)
    }

    fn read_into(&mut self, folder: &Path, prefix: &str) -> Result<(), SourceError> {
        let failed = |e| SourceError::Read(folder.to_owned(), e);
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let Some(name) = path.file_name().and_then(|n| n.to_str()) else {
                continue;
            };
            if name.starts_with('.') {
                continue;
            }
            if path.is_dir() {
                self.read_into(&path, &format!("{prefix}{name}/"))?;
            } else if name.ends_with(".js") || name.ends_with(".mjs") {
                let failed = |e| SourceError::Read(path.clone(), e);
                let file = match sources::open(&path) {
                    Ok(file) => file,
                    // A FIFO or a link that leads out keeps no other script from loading.
                    Err(error) if sources::is_foreign(&error) => {
                        let name = format!("{prefix}{name}");
                        self.left_out.push((name, error.to_string()));
                        continue;
                    }
                    Err(error) => return Err(failed(error)),
                };
                if file.metadata().map_err(failed)?.len() > MOST_BYTES {
                    return Err(SourceError::Large(path));
                }
                let mut bytes = Vec::new();
                let mut file = file.take(MOST_BYTES);
                file.read_to_end(&mut bytes).map_err(failed)?;
                let text = String::from_utf8(bytes).map_err(|_| SourceError::Utf8(path.clone()))?;
                self.texts.insert(format!("{prefix}{name}"), text);
            }
        }
        Ok(())
    }

    /// A script of one text, for tests and instruments.
    pub fn of(texts: impl IntoIterator<Item = (String, String)>) -> ModuleSources {
        ModuleSources {
            texts: texts.into_iter().collect(),
            left_out: Vec::new(),
        }
    }

    /// Names that are not files of the application, and why not.
    pub fn left_out(&self) -> &[(String, String)] {
        &self.left_out
    }

    /// The text of a module.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// The modules' names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }

    /// The module that an import means. A name is a path from the importing
    /// module (`./`, `../`) or from the folder (`/`).
    pub fn resolve(&self, base: &str, name: &str) -> Result<String, String> {
        let mut parts: Vec<&str> = if name.starts_with('.') {
            base.split('/').collect()
        } else {
            Vec::new()
        };
        parts.pop();
        if !name.starts_with(['.', '/']) {
            let text = "an import must be the path of a script: \"./name.js\", or \"/name.js\" \
                from the folder of scripts";
            return Err(text.into());
        }
        for part in name.split('/') {
            match part {
                "" | "." => {}
                ".." if parts.pop().is_none() => {
                    return Err("the path leads out of the folder of scripts".into());
                }
                ".." => {}
                part => parts.push(part),
            }
        }
        let path = parts.join("/");
        if self.texts.contains_key(&path) {
            Ok(path)
        } else {
            Err(format!("no script {path}"))
        }
    }
}

/// Modules come from the folder of scripts and nowhere else.
pub(crate) struct InFolder(pub Arc<ModuleSources>);

impl Resolver for InFolder {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        base: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        self.0
            .resolve(base, name)
            .map_err(|why| Error::new_resolving_message(base, name, why))
    }
}

impl Loader for InFolder {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        match self.0.text(name) {
            Some(text) => Module::declare(ctx.clone(), name, text),
            None => Err(Error::new_loading(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_paths_within_the_folder() {
        let names = ["a.js", "lib/b.js", "lib/c.js"];
        let sources = ModuleSources::of(names.map(|n| (n.to_owned(), String::new())));
        assert_eq!(
            sources.resolve("a.js", "./lib/b.js").as_deref(),
            Ok("lib/b.js")
        );
        assert_eq!(
            sources.resolve("lib/b.js", "./c.js").as_deref(),
            Ok("lib/c.js")
        );
        assert_eq!(
            sources.resolve("lib/b.js", "../a.js").as_deref(),
            Ok("a.js")
        );
        assert_eq!(sources.resolve("lib/b.js", "/a.js").as_deref(), Ok("a.js"));
        for wrong in ["fs", "../../etc/passwd", "./none.js", "/../a.js", ""] {
            assert!(sources.resolve("lib/b.js", wrong).is_err(), "{wrong}");
        }
    }
}
