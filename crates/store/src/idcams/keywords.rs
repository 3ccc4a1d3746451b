//! The keywords of IDCAMS and their abbreviations.

/// A keyword's full name and its abbreviations.
type Keyword = (&'static str, &'static [&'static str]);

/// Keywords that mean something here.
const KEYWORDS: &[Keyword] = &[
    ("ALIAS", &[]),
    ("ALTERNATEINDEX", &["AIX"]),
    ("CATALOG", &["CAT"]),
    ("CLUSTER", &["CL"]),
    ("COUNT", &[]),
    ("DATA", &[]),
    ("GENERATIONDATAGROUP", &["GDG"]),
    ("INDATASET", &["IDS"]),
    ("INDEX", &["IX"]),
    ("INDEXED", &["IXD"]),
    ("INFILE", &["IFILE"]),
    ("KEYS", &[]),
    ("LINEAR", &["LIN"]),
    ("LOG", &[]),
    ("NAME", &[]),
    ("NONINDEXED", &["NIXD"]),
    ("NONVSAM", &["NVSAM"]),
    ("NONUNIQUEKEY", &["NUNQK"]),
    ("NOREPLACE", &["NREP"]),
    ("NOREUSE", &["NRUS"]),
    ("NOUPDATE", &["NUPD"]),
    ("NOUPGRADE", &["NUPG"]),
    ("NUMBERED", &["NUMD"]),
    ("OUTDATASET", &["ODS"]),
    ("OUTFILE", &["OFILE"]),
    ("PATH", &[]),
    ("PATHENTRY", &["PENT"]),
    ("RECORDSIZE", &["RECSZ"]),
    ("RELATE", &["REL"]),
    ("REPLACE", &["REP"]),
    ("REUSE", &["RUS"]),
    ("SKIP", &[]),
    ("UNIQUEKEY", &["UNQK"]),
    ("UPDATE", &["UPD"]),
    ("UPGRADE", &["UPG"]),
];

/// Keywords for the place of data, their access or their retention: accepted without
/// effect here.
const WITHOUT_MEANING: &[Keyword] = &[
    ("ACCOUNT", &["ACCT"]),
    ("ATTEMPTS", &["ATT"]),
    ("AUTHORIZATION", &["AUTH"]),
    ("BUFFERSPACE", &["BUFSP", "BUFSPC"]),
    ("BUFND", &[]),
    ("BWO", &[]),
    ("CODE", &[]),
    ("CONTROLINTERVALSIZE", &["CISZ", "CNVSZ"]),
    ("CONTROLPW", &["CTLPW"]),
    ("CYLINDERS", &["CYL"]),
    ("DATACLASS", &["DATACLAS"]),
    ("EATTR", &[]),
    ("ERASE", &["ERAS"]),
    ("EXCEPTIONEXIT", &["EEXT"]),
    ("EXTERNALSORT", &["ESORT"]),
    ("FILE", &[]),
    ("FOR", &[]),
    ("FORCE", &["FRC"]),
    ("FREESPACE", &["FSPC"]),
    ("FRLOG", &[]),
    ("IMBED", &["IMBD"]),
    ("INTERNALSORT", &["ISORT"]),
    ("KEYRANGES", &["KRNG"]),
    ("KILOBYTES", &["KB"]),
    ("LOGREPLICATE", &["LOGR"]),
    ("LOGSTREAMID", &["LSID"]),
    ("MANAGEMENTCLASS", &["MGMTCLAS"]),
    ("MASTERPW", &["MRPW"]),
    ("MEGABYTES", &["MB"]),
    ("MODEL", &[]),
    ("NOERASE", &["NERAS"]),
    ("NOFORCE", &["NFRC"]),
    ("NOIMBED", &["NIMBD"]),
    ("NOPURGE", &["NPRG"]),
    ("NOREPLICATE", &["NREPL"]),
    ("NOSCRATCH", &["NSCR"]),
    ("NOWRITECHECK", &["NWCK"]),
    ("ORDERED", &["ORD"]),
    ("OWNER", &[]),
    ("PURGE", &["PRG"]),
    ("READPW", &["RDPW"]),
    ("RECATALOG", &["RCTLG"]),
    ("NORECATALOG", &["NRCTLG"]),
    ("RECORDS", &["REC"]),
    ("RECOVERY", &["RCVY"]),
    ("REPLICATE", &["REPL"]),
    ("SCRATCH", &["SCR"]),
    ("SHAREOPTIONS", &["SHR"]),
    ("SPANNED", &["SPND"]),
    ("NONSPANNED", &["NSPND"]),
    ("SPEED", &[]),
    ("STORAGECLASS", &["STORCLAS"]),
    ("SUBALLOCATION", &["SUBAL"]),
    ("TO", &[]),
    ("TRACKS", &["TRK"]),
    ("UNIQUE", &["UNQ"]),
    ("UNORDERED", &["UNORD"]),
    ("UPDATEPW", &["UPDPW"]),
    ("VOLUMES", &["VOL", "VOLUME"]),
    ("WORKFILES", &["WFILE"]),
    ("WORKVOLUMES", &["WVOL"]),
    ("WRITECHECK", &["WCK"]),
];

/// Keywords that would have to do something, and do nothing here.
const UNSUPPORTED: &[Keyword] = &[
    ("ENVIRONMENT", &["ENV"]),
    ("ERRORLIMIT", &["ELIMIT"]),
    ("FROMADDRESS", &["FADDR"]),
    ("FROMKEY", &["FKEY"]),
    ("FROMNUMBER", &["FNUM"]),
    ("MASK", &[]),
    ("MERGECAT", &["MRGC"]),
    ("TOADDRESS", &["TADDR"]),
    ("TOKEY", &[]),
    ("TONUMBER", &["TNUM"]),
];

/// The meaning of a keyword: its full name, or that it has no effect here.
pub(super) enum KeywordMeaning {
    /// This keyword.
    Keyword(&'static str),
    /// One that is accepted and does nothing.
    Nothing,
    /// One that IDCAMS has and that is refused here.
    Unsupported,
}

/// The keyword that a word is, in full or abbreviated.
pub(super) fn meaning(word: &str) -> Option<KeywordMeaning> {
    let is = |(name, short): &&Keyword| *name == word || short.contains(&word);
    if let Some((name, _)) = KEYWORDS.iter().find(is) {
        return Some(KeywordMeaning::Keyword(name));
    }
    if WITHOUT_MEANING.iter().any(|keyword| is(&keyword)) {
        return Some(KeywordMeaning::Nothing);
    }
    UNSUPPORTED
        .iter()
        .any(|keyword| is(&keyword))
        .then_some(KeywordMeaning::Unsupported)
}

/// Every keyword, for messages.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    KEYWORDS
        .iter()
        .chain(WITHOUT_MEANING)
        .map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_means_two_things() {
        let mut words: Vec<&str> = Vec::new();
        let all = KEYWORDS.iter().chain(WITHOUT_MEANING).chain(UNSUPPORTED);
        for (name, short) in all {
            words.push(name);
            words.extend(*short);
        }
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
    }
}
