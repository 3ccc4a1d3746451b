//! Which attributes the types have.
//!
//! The lists hold what the manual documents for the types that are used here,
//! so that a slip of the pen can be told from an attribute that means nothing
//! to this region.

/// Types that are read into a definition of their own.
pub(super) const USED: &[(&str, &[&str])] = &[
    (
        "TRANSACTION",
        &[
            "GROUP",
            "DESCRIPTION",
            "PROGRAM",
            "TWASIZE",
            "PROFILE",
            "PARTITIONSET",
            "STATUS",
            "PRIMEDSIZE",
            "TASKDATALOC",
            "TASKDATAKEY",
            "STORAGECLEAR",
            "RUNAWAY",
            "SHUTDOWN",
            "ISOLATE",
            "BREXIT",
            "DYNAMIC",
            "ROUTABLE",
            "REMOTESYSTEM",
            "REMOTENAME",
            "TRPROF",
            "LOCALQ",
            "PRIORITY",
            "TCLASS",
            "TRANCLASS",
            "ALIAS",
            "TASKREQ",
            "XTRANID",
            "TPNAME",
            "XTPNAME",
            "DTIMOUT",
            "RESTART",
            "SPURGE",
            "TPURGE",
            "DUMP",
            "TRACE",
            "CONFDATA",
            "ACTION",
            "WAIT",
            "WAITTIME",
            "INDOUBT",
            "RESSEC",
            "CMDSEC",
            "EXTSEC",
            "TRANSEC",
            "RSL",
            "OTSTIMEOUT",
            "FACILITYLIKE",
            "APPLICATION",
            "USERDATA1",
            "USERDATA2",
            "USERDATA3",
            "DEFINETIME",
            "CHANGETIME",
            "CHANGEUSRID",
            "CHANGEAGENT",
            "CHANGEAGREL",
        ],
    ),
    (
        "PROGRAM",
        &[
            "GROUP",
            "DESCRIPTION",
            "LANGUAGE",
            "RELOAD",
            "RESIDENT",
            "USAGE",
            "USELPACOPY",
            "STATUS",
            "RSL",
            "CEDF",
            "DATALOCATION",
            "EXECKEY",
            "CONCURRENCY",
            "API",
            "REMOTESYSTEM",
            "REMOTENAME",
            "TRANSID",
            "EXECUTIONSET",
            "DYNAMIC",
            "JVM",
            "JVMCLASS",
            "JVMPROFILE",
            "JVMSERVER",
            "OPERATION",
            "ENTRYPOINT",
            "HOTPOOL",
            "USERDATA1",
            "USERDATA2",
            "USERDATA3",
            "DEFINETIME",
            "CHANGETIME",
            "CHANGEUSRID",
            "CHANGEAGENT",
            "CHANGEAGREL",
        ],
    ),
    (
        "FILE",
        &[
            "GROUP",
            "DESCRIPTION",
            "DSNAME",
            "PASSWORD",
            "RLSACCESS",
            "LSRPOOLID",
            "LSRPOOLNUM",
            "READINTEG",
            "DSNSHARING",
            "STRINGS",
            "NSRGROUP",
            "REMOTESYSTEM",
            "REMOTENAME",
            "RECORDSIZE",
            "KEYLENGTH",
            "STATUS",
            "OPENTIME",
            "DISPOSITION",
            "DATABUFFERS",
            "INDEXBUFFERS",
            "TABLE",
            "MAXNUMRECS",
            "CFDTPOOL",
            "TABLENAME",
            "UPDATEMODEL",
            "LOAD",
            "RECORDFORMAT",
            "ADD",
            "BROWSE",
            "DELETE",
            "READ",
            "UPDATE",
            "JOURNAL",
            "JNLREAD",
            "JNLSYNCREAD",
            "JNLUPDATE",
            "JNLADD",
            "JNLSYNCWRITE",
            "RECOVERY",
            "FWDRECOVLOG",
            "BACKUPTYPE",
            "RESSECNUM",
            "USERDATA1",
            "USERDATA2",
            "USERDATA3",
            "DEFINETIME",
            "CHANGETIME",
            "CHANGEUSRID",
            "CHANGEAGENT",
            "CHANGEAGREL",
        ],
    ),
    (
        "TRANCLASS",
        &[
            "GROUP",
            "DESCRIPTION",
            "MAXACTIVE",
            "PURGETHRESH",
            "USERDATA1",
            "USERDATA2",
            "USERDATA3",
            "DEFINETIME",
            "CHANGETIME",
            "CHANGEUSRID",
            "CHANGEAGENT",
            "CHANGEAGREL",
        ],
    ),
    (
        "TSMODEL",
        &[
            "GROUP",
            "DESCRIPTION",
            "PREFIX",
            "XPREFIX",
            "LOCATION",
            "RECOVERY",
            "SECURITY",
            "POOLNAME",
            "REMOTESYSTEM",
            "REMOTEPREFIX",
            "XREMOTEPFX",
            "EXPIRYINT",
            "EXPIRYINTMIN",
            "USERDATA1",
            "USERDATA2",
            "USERDATA3",
            "DEFINETIME",
            "CHANGETIME",
            "CHANGEUSRID",
            "CHANGEAGENT",
            "CHANGEAGREL",
        ],
    ),
    (
        "TDQUEUE",
        &[
            "GROUP",
            "DESCRIPTION",
            "TYPE",
            "DATABUFFERS",
            "DDNAME",
            "DSNAME",
            "SYSOUTCLASS",
            "ERROROPTION",
            "OPENTIME",
            "REWIND",
            "TYPEFILE",
            "RECORDSIZE",
            "BLOCKSIZE",
            "RECORDFORMAT",
            "BLOCKFORMAT",
            "PRINTCONTROL",
            "DISPOSITION",
            "ATIFACILITY",
            "RECOVSTATUS",
            "FACILITYID",
            "TRANSID",
            "TRIGGERLEVEL",
            "USERID",
            "WAIT",
            "WAITACTION",
            "INDIRECTNAME",
            "REMOTENAME",
            "REMOTESYSTEM",
            "REMOTELENGTH",
            "USERDATA1",
            "USERDATA2",
            "USERDATA3",
            "DEFINETIME",
            "CHANGETIME",
            "CHANGEUSRID",
            "CHANGEAGENT",
            "CHANGEAGREL",
        ],
    ),
    (
        "ENQMODEL",
        &[
            "GROUP",
            "DESCRIPTION",
            "ENQNAME",
            "ENQSCOPE",
            "STATUS",
            "USERDATA1",
            "USERDATA2",
            "USERDATA3",
            "DEFINETIME",
            "CHANGETIME",
            "CHANGEUSRID",
            "CHANGEAGENT",
            "CHANGEAGREL",
        ],
    ),
    (
        "JOURNALMODEL",
        &[
            "GROUP",
            "DESCRIPTION",
            "JOURNALNAME",
            "TYPE",
            "STREAMNAME",
            "USERDATA1",
            "USERDATA2",
            "USERDATA3",
            "DEFINETIME",
            "CHANGETIME",
            "CHANGEUSRID",
            "CHANGEAGENT",
            "CHANGEAGREL",
        ],
    ),
];

/// Every type of resource that a CSD may define, as far as it is known here.
pub fn resource_types() -> impl Iterator<Item = &'static str> + Clone {
    let used = USED.iter().map(|(name, _)| *name);
    used.chain(KEPT.iter().copied())
}

/// Types that are known and kept as they are written.
const KEPT: &[&str] = &[
    "ATOMSERVICE",
    "BUNDLE",
    "CONNECTION",
    "CORBASERVER",
    "DB2CONN",
    "DB2ENTRY",
    "DB2TRAN",
    "DJAR",
    "DOCTEMPLATE",
    "DUMPCODE",
    "IPCONN",
    "JVMSERVER",
    "LIBRARY",
    "LSRPOOL",
    "MAPSET",
    "MQCONN",
    "MQMONITOR",
    "PARTITIONSET",
    "PARTNER",
    "PIPELINE",
    "PROCESSTYPE",
    "PROFILE",
    "REQUESTMODEL",
    "SESSIONS",
    "TCPIPSERVICE",
    "TERMINAL",
    "TYPETERM",
    "URIMAP",
    "WEBSERVICE",
];

/// Whether a word is `name`, or its beginning of at least so many letters.
pub(super) fn abbreviates(word: &str, name: &str, least: usize) -> bool {
    word.len() >= least && name.starts_with(word)
}

/// The type that a word abbreviates: as short as DFHCSDUP takes it, or where it
/// is unique.
/// Reference: CICS TS, *DFHCSDUP: syntax and command rules* and the syntax of
/// DELETE, where the letters that are needed stand in upper case.
pub(super) fn complete_type<'a>(
    word: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    let short = SHORTEST
        .iter()
        .find(|(name, least)| abbreviates(word, name, *least));
    match short {
        Some((full, _)) => names.into_iter().find(|name| name == full),
        None => complete(word, names),
    }
}

/// Types that may be written in one or two letters, with how many are needed.
const SHORTEST: &[(&str, usize)] = &[
    ("BUNDLE", 1),
    ("DJAR", 2),
    ("DOCTEMPLATE", 2),
    ("ENQMODEL", 1),
    ("FILE", 1),
    ("IPCONN", 1),
    ("JOURNALMODEL", 2),
    ("JVMSERVER", 2),
    ("LIBRARY", 2),
    ("MAPSET", 2),
    ("PIPELINE", 2),
    ("REQUESTMODEL", 1),
    ("SESSIONS", 1),
    ("TCPIPSERVICE", 2),
    ("TDQUEUE", 2),
    ("TERMINAL", 2),
    ("TSMODEL", 2),
    ("TYPETERM", 2),
    ("URIMAP", 1),
    ("WEBSERVICE", 1),
];

/// The full name of a word that may be abbreviated to where it is unique.
pub(super) fn complete<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut candidate = None;
    for name in names {
        if name == word {
            return Some(name);
        }
        if word.len() >= 3 && name.starts_with(word) {
            if candidate.is_some() {
                return None;
            }
            candidate = Some(name);
        }
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_are_completed_where_unique() {
        let names = || USED[0].1.iter().copied();
        assert_eq!(complete("DESC", names()), Some("DESCRIPTION"));
        assert_eq!(complete("REMOTE", names()), None);
        assert_eq!(complete("TRANCLASS", names()), Some("TRANCLASS"));
        assert_eq!(complete("XY", names()), None);
    }
}
