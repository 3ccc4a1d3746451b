//! An application folder as an experiment wants it: settings, definitions,
//! COBOL, files, and API projects.
//!
//! The API of a [`HttpProgram`] is the minimum for calling a program over HTTP: a
//! number in the path becomes container NUMBER, and container ANSWER is returned as
//! a number.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The files of the application by their path in its folder.
#[derive(Clone, Debug, Default)]
pub struct ServedApplication {
    settings: String,
    definitions: String,
    files: Vec<(PathBuf, String)>,
}

/// A program that is asked over HTTP: `GET /lab-NAME/NUMBER`.
#[derive(Clone, Copy, Debug)]
pub struct HttpProgram {
    /// Its name in the path, in small letters.
    pub name: &'static str,
    /// The transaction that its requests run under.
    pub transid: &'static str,
    /// The program. It gets container NUMBER and puts container ANSWER, a
    /// fullword each.
    pub program: &'static str,
}

impl HttpProgram {
    /// The path of a request for this number.
    pub fn path(&self, number: u32) -> String {
        format!("/lab-{}/{number}", self.name)
    }
}

impl ServedApplication {
    /// Adds lines of `tupelo.toml`.
    pub fn settings(mut self, toml: &str) -> ServedApplication {
        self.settings += toml;
        self
    }

    /// Adds definitions in the syntax of DFHCSDUP.
    pub fn definitions(mut self, csd: &str) -> ServedApplication {
        self.definitions += csd;
        self
    }

    /// Adds a file, its place relative to the application folder.
    pub fn file(mut self, path: impl Into<PathBuf>, text: impl Into<String>) -> ServedApplication {
        self.files.push((path.into(), text.into()));
        self
    }

    /// Adds a COBOL program.
    pub fn program(self, name: &str, source: &str) -> ServedApplication {
        self.file(format!("cobol/{name}.cbl"), source)
    }

    /// Adds the API project of a program.
    pub fn service(mut self, service: &HttpProgram) -> ServedApplication {
        let project = PathBuf::from(format!("apis/lab-{}/src/main", service.name));
        for (path, text) in PROJECT {
            let text = text
                .replace("@NAME@", service.name)
                .replace("@TRANSID@", service.transid)
                .replace("@PROGRAM@", service.program);
            self.files.push((project.join(path), text));
        }
        self
    }

    /// Writes the folder.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let put = |path: &Path, text: &str| {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(path, text)
        };
        put(Path::new("tupelo.toml"), &self.settings)?;
        put(Path::new("resources.csd"), &self.definitions)?;
        self.files
            .iter()
            .try_for_each(|(path, text)| put(path, text))
    }
}

/// An API project of one operation, with `@NAME@`, `@TRANSID@` and `@PROGRAM@`.
const PROJECT: &[(&str, &str)] = &[
    (
        "api/openapi.yaml",
        "openapi: 3.0.3
info: {title: lab-@NAME@, version: 1.0.0}
servers:
- url: /lab-@NAME@
paths:
  /{number}:
    get:
      operationId: ask
      parameters:
      - {name: number, in: path, required: true, schema: {type: integer, minimum: 0, maximum: 999999999}}
      responses:
        \"200\":
          description: What the program answered
          content: {application/json: {schema: {type: object, properties: {answer: {type: integer}}}}}
        \"500\":
          description: The program ended abnormally
          content: {application/json: {schema: {type: object, properties: {error: {type: string}}}}}
",
    ),
    (
        "config/options.yaml",
        "provider: CICS
programInterface: CHANNEL
language: COBOL
connectionRef: cicsConn
ccsid: 037
",
    ),
    (
        "zosAssets/ask/zosAsset.yaml",
        "version: 1.0
type: \"cicsChannel-1.0\"
description: \"\"
providerProperties:
  language: \"COBOL\"
  program: \"@PROGRAM@\"
  connectionRef: \"cicsConn\"
  ccsid: \"037\"
  transid: \"@TRANSID@\"
  transidUsage: \"EIB_AND_MIRROR\"
",
    ),
    (
        "zosAssets/ask/providerFiles/gen/NUMBER_request_0.cpy",
        "       01  NUMBER-AREA.
           05  ASKED                    PIC S9(9) COMP.
",
    ),
    (
        "zosAssets/ask/providerFiles/gen/ANSWER_response_0.cpy",
        "       01  ANSWER-AREA.
           05  ANSWERED                 PIC S9(9) COMP.
",
    ),
    (
        "operations/%2F%7Bnumber%7D/get/operation.yaml",
        "version: 1
zasset: \"ask\"
",
    ),
    (
        "operations/%2F%7Bnumber%7D/get/request.yaml",
        "version: 1.2
mappings:
- channel:
    mappings:
    - NUMBER:
        mappings:
        - NUMBER-AREA:
            mappings:
            - ASKED:
                expression: '$pathParameters.number'
",
    ),
    (
        "operations/%2F%7Bnumber%7D/get/response_200.yaml",
        "version: 1.2
mappings:
- body:
    mappings:
    - answer:
        expression: '$zosAssetResponse.channel.\"ANSWER\".\"ANSWER-AREA\".\"ANSWERED\"'
",
    ),
    (
        "operations/%2F%7Bnumber%7D/get/response_500.yaml",
        "version: 1.2
mappings:
- body:
    mappings:
    - error:
        template: '@PROGRAM@ ended with {{$zosAssetResponse.abendCode}}'
",
    ),
    (
        "operations/%2F%7Bnumber%7D/get/response_mapping.yaml",
        "version: 1.0
response_500.yaml:
  condition: '$exists($zosAssetResponse.abendCode)'
  httpStatusCode: 500
response_200.yaml:
  condition: true
  httpStatusCode: 200
",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_settings_definitions_programs_and_a_project_without_gaps() {
        let service = HttpProgram {
            name: "echo",
            transid: "LABE",
            program: "LABECHO",
        };
        let folder = tempfile::tempdir().unwrap();
        let application = ServedApplication::default()
            .settings("[region]\n")
            .definitions("* nothing\n")
            .program("LABECHO", "       STOP RUN.\n")
            .service(&service);
        application.write(folder.path()).unwrap();
        let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
        assert_eq!(read("tupelo.toml"), "[region]\n");
        assert_eq!(read("resources.csd"), "* nothing\n");
        assert_eq!(read("cobol/LABECHO.cbl"), "       STOP RUN.\n");
        let asset = read("apis/lab-echo/src/main/zosAssets/ask/zosAsset.yaml");
        assert!(asset.contains("\"LABECHO\"") && asset.contains("\"LABE\""));
        assert!(
            application
                .files
                .iter()
                .all(|(_, text)| !text.contains('@'))
        );
        assert_eq!(service.path(7), "/lab-echo/7");
    }
}
