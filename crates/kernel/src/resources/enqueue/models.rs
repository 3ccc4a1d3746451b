//! ENQMODEL: which names ENQ may use.
//!
//! A model applies to one name, or to all names with a prefix; of several models that match
//! the longest is used. If the model is disabled, or waits until its names are free, an ENQ
//! fails with an abend. Names are local to the region, whatever ENQSCOPE is.
//!
//! Reference: CICS system programming reference, CREATE, DISCARD, INQUIRE and
//! SET ENQMODEL.

use cics::command::commands::set_enqmodel as row;
use cics::cvda;
use cics::resp::Condition;
use link::Name;

use super::super::Resources;
use super::EnqueueTable;
use crate::kernel::{
    CallResult, CommandFailure, KernelContext, LockSpace, Request, condition, done,
};
use crate::types::{EnqModelDef, KernelConfig};

/// An installed model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnqueueModel {
    /// Its definition, as SET has changed it.
    pub def: EnqModelDef,
    /// It waits until no task uses its names.
    pub waits: bool,
    /// It is removed then.
    discarded: bool,
}

/// Why a model cannot be enabled: another enabled model matches all of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NestedModel;

impl EnqModelDef {
    fn fits(&self, name: &[u8]) -> bool {
        if self.generic {
            name.starts_with(&self.enq_name)
        } else {
            name == self.enq_name
        }
    }

    /// Whether the ENQ model matches all names of another model.
    fn covers(&self, other: &EnqModelDef) -> bool {
        if self.generic {
            other.enq_name.starts_with(&self.enq_name)
        } else {
            !other.generic && other.enq_name == self.enq_name
        }
    }
}

impl EnqueueTable {
    /// The installed models, including those that are being discarded.
    pub fn models(&self) -> &[EnqueueModel] {
        &self.models
    }

    /// The models as they are defined now.
    pub fn model_definitions(&self) -> Vec<EnqModelDef> {
        let kept = self.models.iter().filter(|m| !m.discarded);
        kept.map(|m| m.def.clone()).collect()
    }

    /// CREATE: a model replaces one with the same name.
    ///
    /// # Errors
    /// It is to be enabled, and another enabled model matches all of its names.
    pub fn install(&mut self, def: EnqModelDef) -> Result<(), NestedModel> {
        self.check_nested(&def)?;
        let model = EnqueueModel {
            waits: self.is_used(&def),
            discarded: false,
            def,
        };
        match self
            .models
            .iter_mut()
            .find(|m| m.def.name == model.def.name)
        {
            Some(known) => *known = model,
            None => self.models.push(model),
        }
        Ok(())
    }

    /// DISCARD. Returns false if there is no such model.
    pub fn discard(&mut self, name: Name<8>) -> bool {
        let found = self.models.iter().position(|m| m.def.name == name);
        let Some(at) = found.filter(|at| !self.models[*at].discarded) else {
            return false;
        };
        if self.is_used(&self.models[at].def) {
            let model = &mut self.models[at];
            (model.waits, model.discarded) = (true, true);
        } else {
            self.models.remove(at);
        }
        true
    }

    /// The abend of an ENQ on a name, if its model does not allow it.
    pub(super) fn check(&self, name: &[u8]) -> Result<(), CommandFailure> {
        let fitting = self.models.iter().filter(|m| m.def.fits(name));
        let nearest = fitting.max_by_key(|m| (!m.def.generic, m.def.enq_name.len()));
        match nearest {
            Some(model) if model.waits || !model.def.enabled => Err(CommandFailure::Abend(REFUSED)),
            _ => Ok(()),
        }
    }

    /// Names may have become free: completes changes that waited for that.
    pub(super) fn settle_models(&mut self) {
        if !self.models.iter().any(|m| m.waits) {
            return;
        }
        let mut models = std::mem::take(&mut self.models);
        for model in &mut models {
            model.waits = model.waits && self.is_used(&model.def);
        }
        models.retain(|m| m.waits || !m.discarded);
        self.models = models;
    }

    /// Whether a task uses a name that matches.
    fn is_used(&self, def: &EnqModelDef) -> bool {
        let names = self.held.values().flat_map(|names| names.keys());
        let mut names = names.filter(|name| name.space == LockSpace::Enqueue);
        names.any(|name| def.fits(&name.key))
    }

    fn check_nested(&self, def: &EnqModelDef) -> Result<(), NestedModel> {
        let enabled = |m: &&EnqueueModel| m.def.enabled && !m.discarded && m.def.name != def.name;
        let mut others = self.models.iter().filter(enabled);
        if def.enabled && others.any(|m| m.def.covers(def)) {
            Err(NestedModel)
        } else {
            Ok(())
        }
    }
}

/// Definitions are put in force. A model whose definition is unchanged keeps its state.
pub(super) fn define(resources: &mut Resources, config: &KernelConfig) {
    let enqueues = &mut resources.enqueue;
    let wanted = &config.definitions.queues.enq_models;
    let gone: Vec<Name<8>> = (enqueues.models.iter())
        .map(|m| m.def.name)
        .filter(|name| !wanted.iter().any(|def| def.name == *name))
        .collect();
    for name in gone {
        enqueues.discard(name);
    }
    for def in wanted {
        let known = |m: &&EnqueueModel| m.def == *def && !m.discarded;
        if enqueues.models.iter().find(known).is_none() && enqueues.install(def.clone()).is_err() {
            tracing::warn!(
                model = %def.name,
                "ENQMODEL is not installed: an enabled model matches all of its names; define the more specific one first"
            );
        }
    }
}

/// SET ENQMODEL.
pub(super) fn set(
    resources: &mut Resources,
    _: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let enqueues = &mut resources.enqueue;
    let operands = &request.operands;
    let value = |name| cvda::value(name).map(i64::from);
    let enable = match operands.get_int(row::STATUS) {
        Some(n) if Some(n) == value("ENABLED") => Some(true),
        Some(n) if Some(n) == value("DISABLED") => Some(false),
        Some(_) => return condition(Condition::InvReq, 3),
        None if operands.has(row::ENABLED) => Some(true),
        None => operands.has(row::DISABLED).then_some(false),
    };
    let name = operands.get_name(row::ENQMODEL).map(Name::from_bytes);
    let found = (enqueues.models.iter()).position(|m| Some(m.def.name) == name && !m.discarded);
    let Some(at) = found else {
        return condition(Condition::NotFnd, 1);
    };
    let Some(enable) = enable else {
        return done();
    };
    if enqueues.models[at].waits {
        return condition(Condition::InvReq, 4);
    }
    let mut def = enqueues.models[at].def.clone();
    def.enabled = enable;
    if enqueues.check_nested(&def).is_err() {
        return condition(Condition::InvReq, 2);
    }
    let waits = !enable && enqueues.is_used(&def);
    enqueues.models[at] = EnqueueModel {
        def,
        waits,
        discarded: false,
    };
    done()
}

/// The abend of an ENQ that its model does not allow.
const REFUSED: [u8; 4] = *b"ANQE";
