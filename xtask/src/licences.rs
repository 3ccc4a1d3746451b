//! Licences and sources of everything that is depended on, and packages that are
//! banned, judged by `deny.toml`: what `cargo deny check licenses sources bans` does,
//! without a tool to install.
//!
//! Reference: SPDX specification, licence expressions; a slash is an old OR.

use crate::cargo::cargo;
use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Looks at every package; false when one may not be depended on.
pub fn run() -> Result<bool> {
    let rules = std::fs::read_to_string("deny.toml").context("deny.toml")?;
    let rules: toml::Table = rules.parse().context("deny.toml")?;
    let allowed = rules["licenses"]["allow"].as_array();
    let allowed: Vec<&str> = allowed
        .context("deny.toml: licenses.allow is not a list")?
        .iter()
        .filter_map(toml::Value::as_str)
        .collect();
    let banned = rules["bans"].get("deny").and_then(toml::Value::as_array);
    let banned = banned.map_or(&[][..], Vec::as_slice);
    let output = cargo()
        .args(["metadata", "--format-version", "1", "--locked"])
        .output()
        .context("cargo could not be started")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let mut refused = 0;
    for package in packages {
        if let Some(why) = ban(package, banned).or_else(|| fault(package, &allowed)) {
            refused += 1;
            println!("{} {}: {why}", package["name"], package["version"]);
        }
    }
    println!("{} packages, {refused} refused", packages.len());
    Ok(refused == 0)
}

/// The reason for which a package is banned, if it is.
fn ban(package: &Value, banned: &[toml::Value]) -> Option<String> {
    let name = package["name"].as_str()?;
    let entry = banned.iter().find(|b| b["crate"].as_str() == Some(name))?;
    let reason = entry.get("reason").and_then(toml::Value::as_str);
    Some(reason.unwrap_or("it is banned").to_owned())
}

/// Why a package may not be depended on.
fn fault(package: &Value, allowed: &[&str]) -> Option<String> {
    let source = package["source"].as_str();
    if let Some(source) = source.filter(|s| !s.starts_with(REGISTRY)) {
        return Some(format!("it comes from {source}"));
    }
    let Some(licence) = package["license"].as_str() else {
        return Some("it names no licence".into());
    };
    (!allows(licence, allowed)).then(|| format!("{licence} is not allowed"))
}

/// Whether an expression can be met with the licences that are allowed.
fn allows(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    any(&words, &mut at, allowed) == Some(true) && at == words.len()
}

/// Whether one of some alternatives is met; none where a word is lacking.
fn any(words: &[&str], at: &mut usize, allowed: &[&str]) -> Option<bool> {
    let mut met = all(words, at, allowed)?;
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        met |= all(words, at, allowed)?;
    }
    Some(met)
}

fn all(words: &[&str], at: &mut usize, allowed: &[&str]) -> Option<bool> {
    let mut met = one(words, at, allowed)?;
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        met &= one(words, at, allowed)?;
    }
    Some(met)
}

fn one(words: &[&str], at: &mut usize, allowed: &[&str]) -> Option<bool> {
    let word = words.get(*at)?;
    *at += 1;
    if *word == "(" {
        let met = any(words, at, allowed)?;
        (words.get(*at)? == &")").then_some(())?;
        *at += 1;
        return Some(met);
    }
    if words.get(*at) == Some(&"WITH") {
        let whole = format!("{word} WITH {}", words.get(*at + 1)?);
        *at += 2;
        return Some(allowed.contains(&whole.as_str()));
    }
    Some(allowed.contains(word))
}

/// The one registry.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_met_as_spdx_says() {
        let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"];
        for met in [
            "MIT",
            "GPL-3.0 OR MIT",
            "MIT/Apache-2.0",
            "MIT AND ISC",
            "(MIT OR GPL-3.0) AND ISC",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(allows(met, &allowed), "{met}");
        }
        for refused in [
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "MIT OR ISC AND",
            "(MIT",
            "Apache-2.0",
            "",
            "MIT ISC",
        ] {
            assert!(!allows(refused, &allowed), "{refused}");
        }
    }

    #[test]
    fn a_package_of_another_source_is_refused() {
        let package = serde_json::json!({"source": "git+https://example.org", "license": "MIT"});
        assert!(fault(&package, &["MIT"]).is_some());
        let own = serde_json::json!({"source": null, "license": "MIT"});
        assert_eq!(fault(&own, &["MIT"]), None);
    }
}
