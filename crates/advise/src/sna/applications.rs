//! Which of a host's applications have sessions of LU 6.2.
//!
//! A member of applications may define TSO, NetView and IMS in addition to CICS
//! and APPC/MVS, each with a mode table of its own. A station's sessions use
//! the table of the application that it has sessions with.
//!
//! Reference: VTAM Resource Definition Reference, APPL definition statement:
//! APPC, AUTH, PARSESS.

use std::collections::HashMap;

use super::Statement;
use super::kinds::vtam;
use super::model;
use crate::document::{Document, DocumentSet};

/// The applications with LU 6.2 sessions, the most likely partner of the stations
/// first: the one in the system initialization table, then CICS if it has
/// definitions, otherwise those with APPC=YES.
pub fn applications(documents: &DocumentSet) -> Vec<(&Document, &Statement)> {
    let all: Vec<_> = documents.stated(&vtam::MAJOR, "APPL").collect();
    let tables = tables(documents);
    // Parallel sessions are for LU 6.2, but others that may have them as well
    // are not among its speakers without a mode for it.
    let speaks = |s: &Statement| {
        let table = s.operand("MODETAB").map(|t| t.value.to_ascii_uppercase());
        let modes = table.is_some_and(|t| tables.get(&t) != Some(&false));
        is_yes(s, "APPC") || is_yes(s, "PARSESS") && modes
    };
    let mut found: Vec<_> = all.iter().copied().filter(|(_, s)| speaks(s)).collect();
    if found.is_empty() {
        found = all.iter().copied().filter(|(_, s)| !is_tso(s)).collect();
        found.sort_by_key(|(_, s)| s.operand("MODETAB").is_none());
    }
    let applid = documents.sit("APPLID").map(|(_, p)| p.value.clone());
    let cics = documents.definitions("SESSIONS").next().is_some();
    found.sort_by_key(|(_, s)| {
        let named = applid.as_deref().is_some_and(|id| is_named(s, id));
        (!named, is_yes(s, "APPC") == cics)
    });
    found
}

/// Whether each mode table of the set has a mode for LU 6.2.
fn tables(documents: &DocumentSet) -> HashMap<String, bool> {
    let all = documents.stated(&vtam::MODES, "MODETAB");
    let mut tables: HashMap<String, bool> = all
        .map(|(_, s)| (s.name.to_ascii_uppercase(), false))
        .collect();
    for mode in model::host_modes(documents) {
        tables.insert(mode.table.to_ascii_uppercase(), true);
    }
    tables
}

fn is_yes(appl: &Statement, name: &str) -> bool {
    appl.operand(name).is_some_and(|o| o.is("YES"))
}

fn is_tso(appl: &Statement) -> bool {
    let rights = appl.operand("AUTH").map(|o| o.list()).unwrap_or_default();
    rights.iter().any(|r| r.eq_ignore_ascii_case("TSO"))
}

/// Whether a region's name is this application's; of a generic and a specific
/// one, either.
fn is_named(appl: &Statement, applid: &str) -> bool {
    let ids = applid.trim_matches(['(', ')']).split(',').map(str::trim);
    let mut ids = ids.filter(|id| !id.is_empty());
    ids.any(|id| {
        appl.name.eq_ignore_ascii_case(id) || appl.operand("ACBNAME").is_some_and(|o| o.is(id))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const APPLS: &str = " VBUILD TYPE=APPL\n\
        TSO APPL ACBNAME=TSO,AUTH=(PASS,NVPACE,TSO),MODETAB=TSOTAB\n\
        NETV APPL ACBNAME=NETV,PARSESS=YES,MODETAB=NVTAB\n\
        CICSA APPL ACBNAME=CICSA,PARSESS=YES,MODETAB=LU62\n\
        CICSB APPL ACBNAME=CICSB,PARSESS=YES,MODETAB=LU62\n\
        MVSLU APPL ACBNAME=MVSLU,APPC=YES,MODETAB=LU62\n";
    const TABLES: &str = "NVTAB MODETAB\nA MODEENT LOGMODE=DSILGMOD,FMPROF=X'02',TSPROF=X'02'\n MODEEND\n\
        LU62 MODETAB\nB MODEENT LOGMODE=#BATCH,FMPROF=X'13',TSPROF=X'07'\n MODEEND\n";
    const CSD: &str = "DEFINE SESSIONS(A) GROUP(G) CONNECTION(A) PROTOCOL(APPC) MODENAME(#BATCH)\n";

    fn names(texts: &[(&str, &str)]) -> Vec<String> {
        let read = |(name, text): &(&str, &str)| Document::read(name, text, None).expect("read");
        let set = DocumentSet::new(texts.iter().map(read));
        let found = applications(&set);
        found.iter().map(|(_, s)| s.name.clone()).collect()
    }

    #[test]
    fn only_applications_with_modes_for_lu_6_2_are_partners() {
        let texts = [("appls", APPLS), ("modes", TABLES)];
        assert_eq!(names(&texts), ["MVSLU", "CICSA", "CICSB"]);
    }

    #[test]
    fn definitions_of_cics_make_it_the_first_partner_and_its_name_the_very_one() {
        let texts = [("appls", APPLS), ("modes", TABLES), ("csd", CSD)];
        assert_eq!(names(&texts), ["CICSA", "CICSB", "MVSLU"]);
        let sit = ("sit", "DFHSIT TYPE=CSECT,APPLID=CICSB,GRPLIST=X,MXT=20\n");
        let texts = [texts[0], texts[1], texts[2], sit];
        assert_eq!(names(&texts)[0], "CICSB");
    }

    #[test]
    fn an_application_without_settings_is_used_unless_it_is_tso() {
        let appls = " VBUILD TYPE=APPL\nTSO APPL AUTH=(PASS,TSO),MODETAB=T\nA APPL EAS=1\nB APPL MODETAB=M\n";
        assert_eq!(names(&[("appls", appls)]), ["B", "A"]);
    }
}
