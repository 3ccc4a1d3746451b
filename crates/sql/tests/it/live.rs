//! Rewritten statements on a PostgreSQL that the test starts for itself.
//!
//! Every statement of the golden file that is rewritten must be one that the
//! server takes, and expressions must have the values of Db2's manual.

use crate::cluster::TestCluster;
use crate::goldens;

/// A cluster with the schema db2 and the tables of the goldens.
fn with_tables() -> Option<TestCluster> {
    let cluster = TestCluster::start()?;
    cluster.psql(sql::SETUP_SQL).unwrap();
    // It can be run again.
    cluster.psql(sql::SETUP_SQL).unwrap();
    for table in goldens::tables() {
        let schema = table.schema.as_deref().unwrap_or("public");
        let mut text = format!("CREATE SCHEMA IF NOT EXISTS \"{schema}\";\n");
        let mut columns = Vec::new();
        for column in &table.columns {
            if let sql::SqlType::Varchar(n) = column.sql_type {
                text.push_str(&format!("{};\n", sql::varchar_domain(n)));
            }
            columns.push(format!(
                "\"{}\" {}",
                column.name,
                column.sql_type.postgresql()
            ));
        }
        text.push_str(&format!(
            "CREATE TABLE \"{schema}\".\"{}\" ({});\n",
            table.name,
            columns.join(", ")
        ));
        cluster.psql(&text).unwrap();
    }
    cluster
        .psql("CREATE SEQUENCE \"SEQ1\"; CREATE SEQUENCE \"GENASA1\".\"SEQ2\"; CREATE TABLE \"NEWTAB\" (a bpchar, b int, c int); CREATE TABLE \"T\" (\"LIMIT\" int, \"OFFSET\" int, \"WINDOW\" int);")
        .unwrap();
    Some(cluster)
}

/// Names of types for PREPARE.
fn type_name(oid: &str) -> &'static str {
    match oid {
        "17" => "bytea",
        "20" => "int8",
        "23" => "int4",
        "25" => "text",
        "27" => "tid",
        "28" => "xid",
        "1042" => "bpchar",
        "1082" => "date",
        "1083" => "time",
        "1114" => "timestamp",
        "1700" => "numeric",
        _ => "unknown",
    }
}

#[test]
fn the_server_takes_every_rewritten_statement() {
    let Some(cluster) = with_tables() else {
        return;
    };
    let mut script = String::from("BEGIN;\n");
    let mut cases = Vec::new();
    for case in goldens::cases() {
        let text = goldens::rewritten(&case);
        let sql = text.lines().next().unwrap_or_default().to_owned();
        let is_sql = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "]
            .iter()
            .any(|v| sql.starts_with(v));
        if !is_sql || text.contains("FIRSTNAM\"") {
            continue;
        }
        let types = text
            .lines()
            .find_map(|l| l.trim().strip_prefix("parameters ["));
        let types: Vec<&str> = types.map_or(Vec::new(), |t| {
            t.trim_end_matches(']').split(", ").map(type_name).collect()
        });
        let n = cases.len();
        let types = if types.is_empty() {
            String::new()
        } else {
            format!("({})", types.join(", "))
        };
        // One savepoint a statement: all failures are shown together.
        script.push_str(&format!(
            "\\echo case {n}\nSAVEPOINT s;\nPREPARE p{n}{types} AS {sql};\nROLLBACK TO s;\n"
        ));
        cases.push(case);
    }
    script.push_str("ROLLBACK;\n");
    let script = format!("\\set ON_ERROR_STOP off\n{script}");
    let out = match cluster.psql(&script) {
        Ok(out) | Err(out) => out,
    };
    let mut failed = Vec::new();
    let mut case = 0;
    for line in out.lines() {
        if let Some(n) = line.strip_prefix("case ") {
            case = n.parse().unwrap();
        } else if line.contains("ERROR:") {
            failed.push(format!("{}\n    {line}", cases[case]));
        }
    }
    assert!(cases.len() > 60, "{}", cases.len());
    assert!(
        failed.is_empty(),
        "{} of {}:\n{}",
        failed.len(),
        cases.len(),
        failed.join("\n")
    );
}

/// Expressions and their values by the manual.
const VALUES: &[(&str, &str)] = &[
    ("LENGTH(FIRSTNAME)", "10"),
    ("FIRSTNAME || '!'", "AB        !"),
    ("SUBSTR(FIRSTNAME, 2, 3) || '!'", "B  !"),
    ("RTRIM(FIRSTNAME) || '!'", "AB!"),
    ("STRIP('00100', LEADING, '0')", "100"),
    ("TRANSLATE('abc', 'AB', 'ab')", "ABc"),
    ("POSSTR('HELLO', 'L')", "3"),
    ("LOCATE('L', 'HELLO', 4)", "4"),
    ("LOCATE_IN_STRING('HELLO', 'L', 1, 2)", "4"),
    ("LOCATE_IN_STRING('HELLO', 'L', -1, 2)", "3"),
    ("DIGITS(CUSTOMERNUMBER)", "0000000007"),
    ("DIGITS(CAST(-1.5 AS DECIMAL(5,2)))", "00150"),
    ("CHAR(CUSTOMERNUMBER) || '!'", "7          !"),
    ("CHAR(CAST(-1.5 AS DECIMAL(5,2)))", "-001.50"),
    ("CHAR(DATEOFBIRTH, EUR)", "28.02.2024"),
    ("CHAR(DATEOFBIRTH, USA)", "02/28/2024"),
    ("CHAR(TIME('13.45.59'), ISO)", "13.45.59"),
    (
        "CHAR(TIMESTAMP('2026-02-28-13.45.59.123456'))",
        "2026-02-28-13.45.59.123456",
    ),
    ("HEX(DATEOFBIRTH)", "20240228"),
    ("HEX('AB')", "4142"),
    ("HEX(CUSTOMERNUMBER)", "00000007"),
    ("7 / 2", "3"),
    ("-7 / 2", "-3"),
    (
        "CAST(1.00 AS DECIMAL(9,2)) / CAST(3.00 AS DECIMAL(5,2))",
        "0.333333",
    ),
    ("INTEGER(12.7)", "12"),
    ("INTEGER('12 ')", "12"),
    ("DECIMAL('1.999', 5, 2)", "1.99"),
    ("CAST(1.999 AS DECIMAL(5,2))", "1.99"),
    ("MOD(-7, 3)", "-1"),
    ("DATE('2026-01-31') + 1 MONTH", "2026-02-28"),
    ("DATE('2024-02-29') + 1 YEAR", "2025-02-28"),
    ("DATEOFBIRTH + 1 DAY", "2024-02-29"),
    ("DATE('2026-11-28') - DATE('2000-03-01')", "260827"),
    ("DATE('2026-03-31') - DATE('2026-02-28')", "103"),
    ("DAYS(DATE('2026-11-28'))", "739948"),
    ("JULIAN_DAY(DATE('2026-11-28'))", "2461373"),
    ("DAYOFWEEK(DATE('2026-11-28'))", "7"),
    ("DAYOFWEEK_ISO(DATE('2026-11-28'))", "6"),
    ("WEEK(DATE('2026-01-03'))", "1"),
    ("WEEK(DATE('2026-01-04'))", "2"),
    ("QUARTER(DATEOFBIRTH)", "1"),
    ("LAST_DAY(DATEOFBIRTH)", "2024-02-29"),
    ("ADD_MONTHS(DATE('2026-02-28'), 1)", "2026-03-31"),
    ("NEXT_DAY(DATE('2026-11-28'), 'MON')", "2026-11-30"),
    ("MIDNIGHT_SECONDS(TIME('00.01.10'))", "70"),
    (
        "MICROSECOND(TIMESTAMP('2026-02-28-13.45.59.123456'))",
        "123456",
    ),
    ("YEAR(DATE('2026-11-28') - DATE('2000-03-01'))", "26"),
    ("DATE('28.02.2026')", "2026-02-28"),
    ("DATE(739948)", "2026-11-28"),
    (
        "TO_CHAR(TIMESTAMP('2026-02-28-13.45.59.123456'), 'YYYY/MM/DD')",
        "2026/02/28",
    ),
    ("MAX(1, 2)", "2"),
    ("COALESCE(NULLIF(1, 1), 5)", "5"),
    ("VALUE(NOTE, 'none')", "none"),
    (
        "CASE WHEN LASTNAME = 'CD' THEN 'same' ELSE 'other' END",
        "same",
    ),
    ("CASE WHEN 'AB ' = 'AB' THEN 1 ELSE 0 END", "1"),
    (
        "TIMESTAMPDIFF(16, CHAR(TIMESTAMP('2026-03-02-00.00.00') - TIMESTAMP('2026-03-01-00.00.00')))",
        "1",
    ),
    ("OVERLAY('ABCDEF', 'xy', 3, 2)", "ABxyEF"),
    ("INSERT('ABCDEF', 3, 2, 'xy')", "ABxyEF"),
    (
        "REPEAT('AB', 2) || LEFT('XYZ', 2) || RIGHT('XYZ', 1)",
        "ABABXYZ",
    ),
    ("LPAD('7', 3, '0')", "007"),
    ("X'4142'", "AB"),
    ("SMALLINT(3.9) + BIGINT(4.9)", "7"),
    // Results of SMALLINT are INTEGER.
    ("SMALLINT(300) * SMALLINT(300)", "90000"),
    ("DIGITS(SMALLINT(7) / SMALLINT(2))", "0000000003"),
    // The scale of a decimal number is kept by ROUND, and left out by FLOOR and CEIL.
    ("DIGITS(ROUND(CAST(873.726 AS DECIMAL(6,3)), 2))", "0873730"),
    ("CHAR(ROUND(CAST(-1.25 AS DECIMAL(5,2)), 1))", "-0001.30"),
    ("DIGITS(FLOOR(CAST(12.75 AS DECIMAL(5,2))))", "00012"),
    ("CHAR(CEIL(CAST(12.75 AS DECIMAL(5,2))))", " 00013."),
    ("DIGITS(MOD(CAST(12.75 AS DECIMAL(5,2)), 5))", "00275"),
    ("ROUND(CUSTOMERNUMBER, -1) / 3", "3"),
    ("LENGTH(CAST(1 AS DECIMAL(9,2)))", "5"),
    ("LENGTH(REAL(1))", "4"),
    ("CHAR(DOUBLE(987.654321))", "9.87654321E2"),
    ("CHAR(-2.5E-7) || '!'", "-2.5E-7                 !"),
    ("VARCHAR(1E2)", "1.0E2"),
    ("CHAR(DOUBLE(0))", "0E0"),
    // CHAR of several lengths is as long as the longest.
    (
        "'>' || COALESCE(POSTCODE, FIRSTNAME) || '<'",
        ">AB        <",
    ),
    (
        "'>' || CASE WHEN 1 = 1 THEN POSTCODE ELSE FIRSTNAME END || '<'",
        "",
    ),
    (
        "'>' || CASE WHEN 1 = 2 THEN LASTNAME ELSE FIRSTNAME END || '<'",
        ">AB                  <",
    ),
    (
        "CASE WHEN 1 = 2 THEN DATEOFBIRTH ELSE '31.12.9999' END",
        "9999-12-31",
    ),
];

#[test]
fn expressions_have_the_values_of_the_manual() {
    let Some(cluster) = with_tables() else {
        return;
    };
    let mut script = String::from(
        "INSERT INTO \"GENASA1\".\"CUSTOMER\" (\"CUSTOMERNUMBER\", \"FIRSTNAME\", \"LASTNAME\", \"DATEOFBIRTH\") \
         VALUES (7, 'AB', 'CD', '2024-02-28');\n\\set ON_ERROR_STOP off\n",
    );
    let mut wrong = Vec::new();
    for (n, (expression, _)) in VALUES.iter().enumerate() {
        let sql = goldens::rewritten(&format!(
            "SELECT {expression} INTO :A FROM GENASA1.CUSTOMER"
        ));
        let sql = sql.lines().next().unwrap_or_default().to_owned();
        if !sql.starts_with("SELECT") {
            wrong.push(format!("{expression}: {sql}"));
            continue;
        }
        script.push_str(&format!("\\echo case {n}\n{sql};\n"));
    }
    let out = match cluster.psql(&script) {
        Ok(out) | Err(out) => out,
    };
    let mut answers = vec![String::new(); VALUES.len()];
    let mut case = 0;
    for line in out.lines() {
        if let Some(n) = line.strip_prefix("case ") {
            case = n.parse().unwrap();
        } else if answers[case].is_empty() {
            answers[case] = line.to_owned();
        }
    }
    for ((expression, value), answer) in VALUES.iter().zip(&answers) {
        if answer.trim_end() != *value && !wrong.iter().any(|w| w.starts_with(expression)) {
            wrong.push(format!("{expression} is {answer}, not {value}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A session over the cluster's socket, by this crate's own messages.
struct Session {
    stream: std::os::unix::net::UnixStream,
    client: sql::wire::Client,
}

/// The values of a row as the wire has them; `None` for NULL.
type WireRow = Vec<Option<Vec<u8>>>;

impl Session {
    fn start(cluster: &TestCluster, user: &str, password: Option<&str>) -> Result<Session, String> {
        use std::io::{Read, Write};
        let mut stream = std::os::unix::net::UnixStream::connect(cluster.socket()).unwrap();
        stream
            .set_read_timeout(Some(std::time::Duration::from_secs(30)))
            .unwrap();
        let credentials = sql::wire::LoginCredentials {
            user: user.to_owned(),
            database: "postgres".to_owned(),
            password: password.map(str::to_owned),
            settings: Vec::new(),
        };
        let mut out = Vec::new();
        let mut start =
            sql::wire::StartupExchange::new(credentials, "Zm9vYmFyYmF6cXV4MTIz", &mut out);
        loop {
            stream.write_all(&out).unwrap();
            out.clear();
            let mut bytes = [0; 4096];
            let count = stream.read(&mut bytes).unwrap();
            assert!(count > 0, "the server closed the connection");
            match start.handle_bytes(&bytes[..count], &mut out) {
                Ok(sql::wire::StartupEvent::Waiting) => {}
                Ok(sql::wire::StartupEvent::Ready { key, .. }) => {
                    assert!(key.is_some());
                    let limits = sql::wire::ClientLimits::default();
                    let state = sql::wire::TransactionState::Idle;
                    let client = sql::wire::Client::new(state, limits);
                    return Ok(Session { stream, client });
                }
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    /// Sends what was asked for; the rows' values and the last error, up to the
    /// last Sync.
    fn run(&mut self) -> (Vec<WireRow>, Option<sql::code::ServerError>) {
        use sql::wire::ClientEvent;
        use std::io::{Read, Write};
        let sent = self.client.output().to_vec();
        self.stream.write_all(&sent).unwrap();
        self.client.handle_sent(sent.len());
        let (mut rows, mut error) = (Vec::new(), None);
        while !self.client.is_quiet() {
            let mut bytes = [0; 4096];
            let count = self.stream.read(&mut bytes).unwrap();
            self.client.handle_bytes(&bytes[..count]);
            while let Some(event) = self.client.poll_event().unwrap() {
                match event {
                    ClientEvent::Row(row) => {
                        rows.push(row.values().map(|v| v.map(<[u8]>::to_vec)).collect());
                    }
                    ClientEvent::Error(e) => error = Some(*e),
                    _ => {}
                }
            }
        }
        (rows, error)
    }
}

#[test]
fn a_session_logs_in_by_scram_and_by_md5_and_a_wrong_password_is_refused() {
    let Some(cluster) = TestCluster::start() else {
        return;
    };
    cluster
        .psql("CREATE ROLE s LOGIN PASSWORD 'geheim'; SET password_encryption = md5; CREATE ROLE m LOGIN PASSWORD 'geheim';")
        .unwrap();
    let hba = cluster.folder().join("data/pg_hba.conf");
    std::fs::write(
        hba,
        "local all s scram-sha-256\nlocal all m md5\nlocal all all trust\n",
    )
    .unwrap();
    cluster
        .psql("SELECT pg_reload_conf(); SELECT pg_sleep(0.3);")
        .unwrap();
    for user in ["s", "m"] {
        let mut session = Session::start(&cluster, user, Some("geheim")).unwrap();
        session.client.query("SELECT 1");
        assert_eq!(session.run().0, [[Some(b"1".to_vec())]]);
        assert!(Session::start(&cluster, user, Some("falsch")).is_err());
        assert!(Session::start(&cluster, user, None).is_err());
    }
}

#[test]
fn fields_come_back_from_the_server_as_they_were_sent() {
    use sql::field::{CobolType, DecodeOptions, DecodeResult, SignPlace, decode, encode};
    use sql::wire::oid;
    let Some(cluster) = TestCluster::start() else {
        return;
    };
    let mut session = Session::start(&cluster, &cluster.user(), None).unwrap();
    let packed = CobolType::Packed {
        digits: 9,
        scale: 2,
        signed: true,
    };
    let zoned = CobolType::Zoned {
        digits: 5,
        scale: 1,
        sign: SignPlace::Trailing,
    };
    let binary = CobolType::Integer {
        bytes: 4,
        digits: 9,
        scale: 0,
        signed: true,
        big_endian: true,
    };
    let native = CobolType::Integer {
        bytes: 8,
        digits: 18,
        scale: 0,
        signed: true,
        big_endian: false,
    };
    let varchar = CobolType::Varchar {
        most: 6,
        big_endian: true,
    };
    let cases: Vec<(CobolType, Vec<u8>, u32, &str)> = vec![
        (
            packed,
            vec![0x01, 0x23, 0x45, 0x67, 0x8D],
            oid::NUMERIC,
            "numeric",
        ),
        (packed, vec![0, 0, 0, 0, 0x0C], oid::NUMERIC, "numeric"),
        (zoned, b"1234u".to_vec(), oid::NUMERIC, "numeric"),
        (binary, vec![0xFF, 0xFF, 0xFF, 0xFE], oid::INT4, "int4"),
        (binary, vec![0, 1, 0, 0], oid::NUMERIC, "numeric"),
        (
            native,
            1_234_567_890_123i64.to_ne_bytes().to_vec(),
            oid::INT8,
            "int8",
        ),
        (
            CobolType::Float8,
            1.5f64.to_ne_bytes().to_vec(),
            oid::FLOAT8,
            "float8",
        ),
        (
            CobolType::Float4,
            1.5f32.to_ne_bytes().to_vec(),
            oid::FLOAT4,
            "float4",
        ),
        (
            CobolType::Char(6),
            b"AB\0\x01\xE9 ".to_vec(),
            oid::BPCHAR,
            "bpchar",
        ),
        (varchar, b"\0\x03AB AB!".to_vec(), oid::BPCHAR, "bpchar"),
        (CobolType::Binary(3), vec![0, 1, 255], oid::BYTEA, "bytea"),
        (
            CobolType::Char(10),
            b"2026-02-28".to_vec(),
            oid::DATE,
            "date",
        ),
        (CobolType::Char(8), b"24.00.00".to_vec(), oid::TIME, "time"),
        (
            CobolType::Char(26),
            b"0001-01-01-13.45.59.123456".to_vec(),
            oid::TIMESTAMP,
            "timestamp",
        ),
    ];
    for (n, (cobol, field, target, name)) in cases.iter().enumerate() {
        let statement = format!("s{n}");
        session
            .client
            .parse(&statement, &format!("SELECT $1::{name}"), &[*target]);
        session
            .client
            .bind("", &statement, 1, |bind| {
                bind.value(|out| encode(*cobol, field, *target, out))
            })
            .unwrap();
        session.client.execute("", 2);
        session.client.sync();
        let (rows, error) = session.run();
        assert_eq!(error, None, "{name}");
        let value = rows[0][0].clone().unwrap();
        let mut back = vec![0xEE; field.len()];
        let what = decode(*target, &value, *cobol, &mut back, DecodeOptions::default());
        assert_eq!(what, DecodeResult::Whole, "{name}");
        // What a VARCHAR variable has after its length is its own.
        let same = if *cobol == varchar { 5 } else { field.len() };
        assert_eq!(back[..same], field[..same], "{name} {cobol:?}");
    }
}

#[test]
fn a_failed_statement_between_savepoints_leaves_the_unit_alive() {
    let Some(cluster) = TestCluster::start() else {
        return;
    };
    let mut session = Session::start(&cluster, &cluster.user(), None).unwrap();
    let c = &mut session.client;
    c.query("CREATE TABLE t (a int PRIMARY KEY); BEGIN");
    c.parse("save", "SAVEPOINT s", &[]);
    c.parse("add", "INSERT INTO t VALUES (1)", &[]);
    c.parse("back", "ROLLBACK TO s", &[]);
    c.sync();
    assert_eq!(session.run().1, None);
    let mut codes = Vec::new();
    for _ in 0..2 {
        let c = &mut session.client;
        for statement in ["save", "add"] {
            c.bind::<()>("", statement, 0, |_| Ok(())).unwrap();
            c.execute("", 0);
        }
        c.sync();
        let (_, error) = session.run();
        codes.push(error.map(|e| e.sqlstate));
    }
    assert_eq!(codes, [None, Some("23505".to_owned())]);
    assert_eq!(session.client.state(), sql::wire::TransactionState::Failed);
    let c = &mut session.client;
    c.bind::<()>("", "back", 0, |_| Ok(())).unwrap();
    c.execute("", 0);
    c.sync();
    c.query("SELECT count(*) FROM t");
    let (rows, error) = session.run();
    assert_eq!((rows, error), (vec![vec![Some(b"1".to_vec())]], None));
    assert_eq!(session.client.state(), sql::wire::TransactionState::Open);
}
