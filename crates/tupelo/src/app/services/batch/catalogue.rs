//! IDCAMS commands of a job on the catalogue of a store that the region has open:
//! DEFINE, BLDINDEX and DELETE.
//!
//! A data set that a FILE definition names is in use: tasks refer to its number, and
//! maintain its indexes. Commands that would change these are rejected, as VSAM
//! rejects them for an open data set.

use batch::status::Status;
use region::Handle;
use store::idcams::{Command, DataRef, parse};
use store::transfer::LoadOptions;
use store::{CatalogueName, DefineError, FileName, WriteStore};

/// A report of what was done, or a status and the reason.
type CatalogueResult = Result<String, (Status, String)>;

/// Runs the commands of a text.
pub fn done(region: &Handle, text: &str) -> CatalogueResult {
    let deck = parse(text);
    if let Some(wrong) = deck.diagnostics.first() {
        return refused(format!("the command is not valid: {wrong}"));
    }
    let statements = deck.steps.into_iter().flat_map(|step| step.statements);
    let mut reports = Vec::new();
    for statement in statements {
        let uses = uses(&statement.command);
        if let Some(name) = uses.iter().find(|name| region.uses_data_set(name.as_str())) {
            return refused(format!(
                "{name} is in use: a FILE of the running region names it, or names a path or index over it"
            ));
        }
        let work = move |store: &mut dyn WriteStore| apply(store, statement.command);
        match region.with_store(work) {
            Some(done) => reports.push(done?),
            None => return refused("the region has no store".to_owned()),
        }
    }
    Ok(reports.join(", "))
}

/// The data sets that a command needs not to be in use.
fn uses(command: &Command) -> Vec<FileName> {
    match command {
        Command::DefineIndex(def) => vec![def.base.clone()],
        Command::Delete { names, .. } => names.clone(),
        Command::BuildIndex { base, .. } => named(base).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn named(of: &DataRef) -> Option<FileName> {
    match of {
        DataRef::DataSet(name) => name.parse().ok(),
        DataRef::Dd(_) => None,
    }
}

fn apply(store: &mut dyn WriteStore, command: Command) -> CatalogueResult {
    match command {
        Command::DefineCluster(def) => {
            let text = format!("{} defined", def.name);
            store.define(def).map_err(of_define)?;
            Ok(text)
        }
        Command::DefineIndex(def) => {
            let text = format!("{} defined", def.name);
            store.define_index(def).map_err(of_define)?;
            Ok(text)
        }
        Command::DefinePath(def) => {
            let text = format!("{} defined", def.name);
            store.define_path(def).map_err(of_define)?;
            Ok(text)
        }
        Command::Delete { names, .. } => {
            for name in &names {
                match find(store, name)? {
                    Some(CatalogueName::File(entry)) => {
                        store.remove(entry.id).map_err(of_define)?
                    }
                    Some(CatalogueName::Index(entry)) => {
                        store.remove(entry.id).map_err(of_define)?
                    }
                    Some(CatalogueName::Path(_)) => store.remove_path(name).map_err(of_define)?,
                    None => return Err((Status::NOT_FOUND, format!("{name} is not there"))),
                }
            }
            Ok("deleted".to_owned())
        }
        Command::BuildIndex { indexes, .. } => {
            let mut reports = Vec::new();
            for name in indexes.iter().filter_map(named) {
                let Some(CatalogueName::Index(entry)) = find(store, &name)? else {
                    return Err((
                        Status::NOT_FOUND,
                        format!("{name} is not an alternate index"),
                    ));
                };
                let mut written = 0;
                let sort_bytes = LoadOptions::SORT_BYTES;
                store
                    .build_index(entry.id, sort_bytes, &mut |done| written = done.written)
                    .map_err(unreadable)?;
                reports.push(format!("{name} built, {written} entries"));
            }
            Ok(reports.join(", "))
        }
        _ => refused("the region runs only DEFINE, BLDINDEX and DELETE".to_owned()),
    }
}

fn find(
    store: &mut dyn WriteStore,
    name: &FileName,
) -> Result<Option<CatalogueName>, (Status, String)> {
    let mut reader = store.reader().map_err(unreadable)?;
    let names = reader.names().map_err(unreadable)?;
    Ok(names.into_iter().find(|named| named.name() == name))
}

fn unreadable(error: impl std::fmt::Display) -> (Status, String) {
    (Status::PERMANENT, error.to_string())
}

fn of_define(error: DefineError) -> (Status, String) {
    let status = match error {
        DefineError::NotDefined { .. } | DefineError::UnknownFile(_) => Status::NOT_FOUND,
        _ => Status::PERMANENT,
    };
    (status, error.to_string())
}

fn refused(text: String) -> CatalogueResult {
    Err((Status::IN_USE, text))
}
