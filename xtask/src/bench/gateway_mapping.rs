//! What JSONata costs a request: an API whose mappings are expressions, against
//! the same with mappings that name fields.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::gateway::{Server, application, exchange, medians, serve};
use super::{BenchEntry, BenchSettings, BudgetRow, RowBound};

/// Where the operation's mappings are in the example.
const OPERATION: &str =
    "apis/perfchannel/src/main/operations/%2Fresponse%2F%7Bresponse_size%7D/put";
/// Mappings that name a field, and expressions that give the same.
const EXPRESSIONS: [(&str, &str, &str); 3] = [
    (
        "request.yaml",
        "'$pathParameters.response_size'",
        "'$number($string($pathParameters.response_size)) + 0'",
    ),
    (
        "response_200.yaml",
        r#"'{{$zosAssetResponse.channel."RESPONSE-DATA"."RESPONSE-DATA"."ALPHA-DATA"}}'"#,
        r#"'{{$join([$zosAssetResponse.channel."RESPONSE-DATA"."RESPONSE-DATA"."ALPHA-DATA"])}}'"#,
    ),
    (
        "response_200.yaml",
        r#"'{{$zosAssetResponse.channel."RESPONSE-LENGTH"."RESPONSE-LENGTH"."ALPHA-LEN-C"}}'"#,
        r#"'{{$zosAssetResponse.channel."RESPONSE-LENGTH"."RESPONSE-LENGTH"."ALPHA-LEN-C" & $substring("", 0)}}'"#,
    ),
];

/// The bench of mappings.
pub const BENCHES: &[BenchEntry] = &[BenchEntry {
    name: "gateway-mapping",
    about: "a request whose mappings are JSONata expressions against mappings of fields",
    run,
}];

fn run(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let folder = tempfile::tempdir()?;
    let direct = application(folder.path(), "direct", "CONCURRENCY(THREADSAFE)")?;
    let jsonata = application(folder.path(), "jsonata", "CONCURRENCY(THREADSAFE)")?;
    for (file, field, expression) in EXPRESSIONS {
        put(&jsonata.join(OPERATION).join(file), field, expression)?;
    }
    let direct = Server::start(serve(&direct, &[])?)?;
    let jsonata = Server::start(serve(&jsonata, &[])?)?;
    let load = ["-c", "50", "-t", "4s"];
    let (mut ours, mut peer) = (Vec::new(), Vec::new());
    for _ in 0..setting.rounds {
        ours.push(exchange(&jsonata, 1000, &load)?);
        peer.push(exchange(&direct, 1000, &load)?);
    }
    let (ours, peer) = (medians(ours), medians(peer));
    Ok(vec![BudgetRow::judged(
        "jsonata",
        "CPU, 1 KB saturated, three expressions",
        (ours.cpu_us, "us/request"),
        ("direct mapping", Some(peer.cpu_us)),
        RowBound::ComparisonOnly,
    )])
}

fn put(file: &Path, field: &str, expression: &str) -> Result<()> {
    let text = fs::read_to_string(file)?;
    let found = text.contains(field).then_some(());
    found.with_context(|| format!("{} maps no {field}", file.display()))?;
    fs::write(file, text.replace(field, expression))?;
    Ok(())
}
