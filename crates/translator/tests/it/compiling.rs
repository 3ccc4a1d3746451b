//! Translated programs in the hands of the COBOL compiler.

use std::path::{Path, PathBuf};

use translator::{
    BuildResult, CompilerOptions, DiagnosticKind, ModuleCompiler, ProgramSource, Severity,
};

use super::testdata;

fn compiler(out: &Path) -> ModuleCompiler {
    let mut options = CompilerOptions::new(out);
    options.copy_dirs = vec![testdata().join("copy")];
    ModuleCompiler::new(options).unwrap()
}

fn errors(built: &BuildResult) -> Vec<String> {
    built
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .map(ToString::to_string)
        .collect()
}

#[test]
fn translated_programs_compile() {
    let out = tempfile::tempdir().unwrap();
    let sources = ["basics.cbl", "handles.cbl", "programs.cbl"]
        .map(|n| ProgramSource::new(testdata().join(n)));
    let built = compiler(out.path()).build_all(&sources, |_| ());
    for b in &built {
        assert_eq!(errors(b), Vec::<String>::new());
        assert!(b.module.as_ref().is_some_and(|m| m.is_file()), "{b:?}");
        assert!(b.uses_cics);
    }
    assert_eq!(built[2].programs, ["OUTER", "PLAIN"]);
    assert!(built[2].inputs.iter().any(|p| p.ends_with("doit.cpy")));
}

#[test]
fn the_compilers_messages_name_original_lines_of_programs_and_members() {
    let out = tempfile::tempdir().unwrap();
    let src = tempfile::tempdir().unwrap();
    let program = src.path().join("bad.cbl");
    let member = src.path().join("badcopy.cpy");
    std::fs::write(
        &program,
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. BAD.\n       PROCEDURE DIVISION.\n\
         \x20          EXEC CICS READ FILE('F')\n                INTO(NOSUCH)\n                RIDFLD(EIBDS)\n\
         \x20               END-EXEC\n           MOVE 1 TO NOWHERE.\n       COPY badcopy.\n",
    )
    .unwrap();
    std::fs::write(
        &member,
        "      *\n           EXEC CICS ABEND END-EXEC.\n           MOVE 2 TO NEITHER.\n",
    )
    .unwrap();
    let mut options = CompilerOptions::new(out.path());
    options.copy_dirs = vec![src.path().to_owned()];
    let built = ModuleCompiler::new(options)
        .unwrap()
        .build(&ProgramSource::new(&program));
    assert_eq!(built.module, None);
    let places: Vec<(PathBuf, u32)> = built
        .diagnostics
        .iter()
        .filter(|d| d.kind == DiagnosticKind::Compiler && d.message.contains("not defined"))
        .map(|d| (d.file.clone(), d.line))
        .collect();
    assert_eq!(places, [(program.clone(), 4), (program, 8), (member, 3)]);
}

#[test]
fn a_build_without_changes_does_not_run_the_compiler() {
    let out = tempfile::tempdir().unwrap();
    let src = tempfile::tempdir().unwrap();
    let program = src.path().join("P.cbl");
    let text = |n: u32| {
        format!(
            "       ID DIVISION.\n       PROGRAM-ID. P.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n\
             \x20      01 A PIC X(3) VALUE 'ABCDE'.\n       PROCEDURE DIVISION.\n           DISPLAY {n}.\n           GOBACK.\n"
        )
    };
    std::fs::write(&program, text(1)).unwrap();
    let compiler = compiler(out.path());
    let source = ProgramSource::new(&program);
    let first = compiler.build(&source);
    assert!(!first.cached && !first.uses_cics, "{first:?}");
    let second = compiler.build(&source);
    assert!(second.cached);
    assert_eq!(second.module, first.module);
    assert_eq!(
        second.diagnostics, first.diagnostics,
        "warnings are reported again"
    );
    let unchecked = compiler.build(&ProgramSource {
        checks: false,
        ..source.clone()
    });
    assert_ne!(unchecked.module, first.module);
    std::fs::write(&program, text(2)).unwrap();
    let third = compiler.build(&source);
    assert!(!third.cached);
    assert_ne!(third.module, first.module);
}

#[test]
fn programs_that_cannot_be_read_or_run_are_reported() {
    let out = tempfile::tempdir().unwrap();
    let built = compiler(out.path()).build(&ProgramSource::new("no/such/program.cbl"));
    assert!(built.diagnostics[0].message.contains("cannot be read"));
    let mut options = CompilerOptions::new(out.path());
    options.cobc = "no-such-compiler".into();
    assert!(
        ModuleCompiler::new(options)
            .unwrap_err()
            .to_string()
            .contains("GnuCOBOL is needed")
    );
}

#[test]
fn names_of_programs_are_written_in_capitals() {
    let source = "identification division.\nprogram-id. free.\nprocedure division.\ngoback.\n\
                  end program free.\nid division.\nprogram-id. 'exit'.\nprocedure division.\ngoback.\n";
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("free.cbl");
    std::fs::write(&path, source).unwrap();
    let built = compiler(out.path()).build(&ProgramSource::new(&path));
    assert_eq!(built.diagnostics, []);
    assert_eq!(built.programs, ["FREE", "EXIT"]);
    let module = std::fs::read(built.module.unwrap()).unwrap();
    let exports = |name: &[u8]| module.windows(name.len()).any(|w| w == name);
    assert!(exports(b"\0FREE\0") && exports(b"\0EXIT\0"));
}

/// Every command form counted in real applications, sequence numbers, tabs,
/// cards, debugging lines, comments in commands, commands in members, odd
/// endings of members, both formats, declaratives and contained programs.
#[test]
fn programs_as_people_write_them_compile() {
    let people = testdata().join("people");
    let out = tempfile::tempdir().unwrap();
    let mut options = CompilerOptions::new(out.path());
    options.copy_dirs = vec![people.join("members")];
    let names = ["forms.cbl", "tabs.cbl", "free.cob", "bom.cbl", "nested.cbl"];
    let sources = names.map(|n| ProgramSource::new(people.join(n)));
    let built = ModuleCompiler::new(options)
        .unwrap()
        .build_all(&sources, |_| ());
    for b in &built {
        assert_eq!(errors(b), Vec::<String>::new());
        assert!(b.module.is_some() && b.uses_cics, "{b:?}");
    }
    let programs: Vec<&str> = built.iter().map(|b| b.programs[0].as_str()).collect();
    assert_eq!(programs, ["FORMS", "TABS", "FREE", "BOM", "NESTED"]);
    let text = std::fs::read_to_string(people.join("forms.cbl")).unwrap();
    for d in &built[0].diagnostics {
        let DiagnosticKind::Unsupported(what) = &d.kind else {
            continue;
        };
        let line = text.lines().nth(d.line as usize - 1).unwrap();
        let verb = what.split(' ').nth(2).unwrap();
        assert!(line.contains(verb), "{d} is not about {line}");
    }
}

#[test]
fn a_compiler_without_a_readable_version_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let options = CompilerOptions {
        cobc: "/bin/false".into(),
        ..CompilerOptions::new(folder.path().join("modules"))
    };
    let error = ModuleCompiler::new(options).unwrap_err();
    assert!(
        error.to_string().starts_with("/bin/false does not run"),
        "{error}"
    );
}

#[test]
fn what_compilers_of_z_os_take_is_taken_with_a_warning() {
    let out = tempfile::tempdir().unwrap();
    let built = compiler(out.path()).build(&ProgramSource::new(testdata().join("lenient.cbl")));
    assert_eq!(errors(&built), Vec::<String>::new());
    assert!(built.module.is_some());
    let warnings: Vec<(u32, &str)> = built
        .diagnostics
        .iter()
        .filter(|d| d.kind != DiagnosticKind::Compiler)
        .map(|d| (d.line, d.message.as_str()))
        .collect();
    assert_eq!(
        warnings,
        [
            (23, "OUT-AREA is passed on and holds a POINTER"),
            (27, "DFHCOMMAREA is passed on and holds a POINTER"),
            (38, "CHANNEL is given twice"),
            (39, "the sentence has no period"),
            (43, "the sentence has no period"),
        ]
    );
}

#[test]
fn the_name_of_a_source_or_its_folder_is_nothing_to_a_shell() {
    let whole = tempfile::tempdir().unwrap();
    let folder = whole.path().join("a b$(touch folder)`touch folder`\"'");
    std::fs::create_dir(&folder).unwrap();
    let compiler = compiler(&folder.join("out"));
    let stems = [
        "A$(touch made)",
        "B`touch made`",
        "C;touch made;",
        "D'\"&|<>*?",
        "-o",
        "#E F",
        "G\u{e4}\\",
        "plain-1",
    ];
    for (n, stem) in stems.iter().enumerate() {
        let program = folder.join(format!("{stem}.cbl"));
        let text = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P{n}.\n       PROCEDURE DIVISION.\n           \
             EXEC CICS RETURN END-EXEC.\n"
        );
        std::fs::write(&program, text).unwrap();
        let built = compiler.build(&ProgramSource::new(program));
        assert_eq!(errors(&built), [""; 0], "{stem}");
        let module = built.module.unwrap();
        let name = module.file_name().unwrap().to_str().unwrap();
        assert_eq!(name.starts_with(stem), n == 7, "{name}");
        assert!(
            name.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b) || b == b'#'),
            "{name}"
        );
    }
    let made = |folder: &Path| {
        let names = std::fs::read_dir(folder).unwrap().flatten();
        names
            .filter(|e| ["made", "folder"].iter().any(|n| e.file_name() == *n))
            .count()
    };
    let here = std::env::current_dir().unwrap();
    let out = folder.join("out");
    for folder in [here.as_path(), whole.path(), &folder, &out] {
        assert_eq!(made(folder), 0, "{}", folder.display());
    }
}

#[test]
fn words_that_z_os_does_not_reserve_are_names_of_fields_conditions_and_paragraphs() {
    let free = translator::flags().filter_map(|flag| flag.strip_prefix("-fnot-reserved="));
    let free: Vec<&str> = free.collect();
    assert!(free.len() > 100, "{free:?}");
    // A function whose name were given back could not be called any more.
    let functions = std::process::Command::new("cobc")
        .arg("--list-intrinsics")
        .output();
    let functions = String::from_utf8(functions.unwrap().stdout).unwrap();
    let names = functions
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let names: Vec<&str> = names.collect();
    assert!(names.contains(&"REVERSE"), "{functions}");
    for word in &free {
        assert!(!names.contains(word), "FUNCTION {word}");
    }
    let each = |form: &str| -> String { free.iter().map(|w| form.replace("{}", w)).collect() };
    let (fields, conditions) = (
        each("           03 {} PIC X(8).\n"),
        each("              88 {} VALUE 'X'.\n"),
    );
    let (moves, tests) = (
        each(
            "           MOVE {} TO A.\n           IF {} (1:1) = A\n             OR A = {}\n             MOVE A TO {}\n           END-IF.\n",
        ),
        each(
            "           SET {} TO TRUE.\n           IF {} AND {}\n             CONTINUE\n           END-IF.\n",
        ),
    );
    let (performs, paragraphs) = (
        each("           PERFORM {}.\n"),
        each("       {}.\n           CONTINUE.\n"),
    );
    let programs = [
        (
            "FIELDS",
            format!("       01 A PIC X(8).\n       01 G.\n{fields}"),
            moves,
        ),
        (
            "CONDS",
            format!("       01 A PIC X(40).\n{conditions}"),
            tests,
        ),
        (
            "PARAS",
            String::new(),
            format!("{performs}           GOBACK.\n{paragraphs}"),
        ),
    ];
    let (src, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let sources = programs.map(|(name, storage, procedure)| {
        let text = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       DATA DIVISION.\n       \
             WORKING-STORAGE SECTION.\n{storage}       PROCEDURE DIVISION.\n{procedure}           GOBACK.\n"
        );
        let path = src.path().join(format!("{name}.cbl"));
        std::fs::write(&path, text).unwrap();
        ProgramSource::new(path)
    });
    for built in compiler(out.path()).build_all(&sources, |_| ()) {
        assert_eq!(errors(&built), Vec::<String>::new());
    }
}
