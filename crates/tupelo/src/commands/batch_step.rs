//! `tupelo batch-step`: the process of one batch program. Only `tupelo batch` starts it,
//! since it prepares the parameters.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use batch::{CodePageOf, StepConversions, RecordConversion, ProgramStep};
use copybook::CodePage;
use miette::{Context, IntoDiagnostic, Result};

use crate::Outcome;
use crate::app::Application;
use crate::app::config::ZonedSign;
use crate::app::records::ExternalRecords;

/// Run one program of a batch job (started by `tupelo batch`, not by hand).
#[derive(Debug, clap::Args)]
pub struct Args {
    /// File that describes the step.
    step: PathBuf,
}

/// Runs the program; returns only if it could not be started.
pub fn run(args: Args) -> Result<Outcome> {
    let text = std::fs::read(&args.step)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", args.step.display()))?;
    let step: ProgramStep = serde_json::from_slice(&text).into_diagnostic()?;
    let conversions = conversions(&step)?;
    Err(batch::run(step, conversions)).into_diagnostic()
}

/// The conversions of the files of the step's DDs.
fn conversions(step: &ProgramStep) -> Result<StepConversions> {
    let mut made = StepConversions::new();
    for (name, dd) in &step.dds {
        if let Some(code_page) = dd.code_page.as_ref().filter(|of| is_other(of)) {
            let conversion = conversion(&step.application, code_page)?;
            made.insert(name.clone(), Rc::new(conversion));
        }
    }
    Ok(made)
}

/// Whether a code page differs from that of programs: `ascii` means no conversion.
pub fn is_other(of: &CodePageOf) -> bool {
    CodePage::by_name(&of.name).is_ok_and(|page| page != CodePage::ascii())
}

/// The conversion of one DD.
pub fn conversion(application: &Path, of: &CodePageOf) -> Result<RecordConversion> {
    let layout = match &of.copybook {
        Some(path) => Some(Application::open(application, None)?.layout_of(path)?),
        None => None,
    };
    let signs = if of.letter_signs { ZonedSign::Ebcdic } else { ZonedSign::Ascii };
    ExternalRecords::conversion(&of.name, layout.as_ref(), signs)
}
