//! The options that every APPC command shares: which node this is, and its modes.

use appc::AppcConfig;
use appc::config::{Connections, ModeConfig, PartnerConfig};
use miette::{Context, IntoDiagnostic, Result, bail};
use serde::Deserialize;
use std::path::PathBuf;

/// This node.
#[derive(clap::Args, Debug, Clone)]
pub struct NodeArgs {
    /// A TOML file whose [appc] section describes the node; options go before it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// This node's logical unit, NET.NAME
    #[arg(long, value_name = "NET.LU")]
    pub lu: Option<String>,
    /// RU size of the mode used, in bytes
    #[arg(long, value_name = "BYTES")]
    pub ru: Option<usize>,
    /// Pacing window of the mode used, in RUs (0: no pacing)
    #[arg(long, value_name = "RUS")]
    pub pacing: Option<u8>,
    /// Largest frame (TH, RH and RU) that this node receives, in bytes
    #[arg(long, value_name = "BYTES")]
    pub max_btu: Option<u16>,
    /// TCP connections of a DLSw partner that this node calls: one, two (one
    /// each way) or two-then-one
    #[arg(long, value_name = "MANNER")]
    pub tcp_connections: Option<Connections>,
    /// An Ethernet interface for 802.2 links (needs CAP_NET_RAW)
    #[arg(long, value_name = "NAME")]
    pub interface: Option<String>,
    /// Write a capture of everything sent and received (pcapng, for tshark)
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
}

/// The one section of the file that is ours; the others belong to other commands.
#[derive(Deserialize)]
struct File {
    appc: AppcConfig,
}

impl NodeArgs {
    /// The configuration that file and options give. `default_lu` names the
    /// node when neither does; `mode` is the one that the options change.
    pub fn configuration(&self, default_lu: &str, mode: &str) -> Result<AppcConfig> {
        let mut config = match &self.config {
            None => AppcConfig {
                lu: default_lu.to_owned(),
                ..AppcConfig::default()
            },
            Some(path) => {
                let text = std::fs::read_to_string(path)
                    .into_diagnostic()
                    .wrap_err_with(|| format!("cannot read {}", path.display()))?;
                let file: File = toml::from_str(&text)
                    .into_diagnostic()
                    .wrap_err_with(|| format!("in {}", path.display()))?;
                file.appc
            }
        };
        if let Some(lu) = &self.lu {
            config.lu = lu.to_uppercase();
        }
        if self.ru.is_some() || self.pacing.is_some() {
            let entry: &mut ModeConfig = config.modes.entry(mode.to_owned()).or_default();
            entry.ru_bytes = self.ru.or(entry.ru_bytes);
            entry.pacing = self.pacing.or(entry.pacing);
        }
        config.max_btu_bytes = self.max_btu.unwrap_or(config.max_btu_bytes);
        config.tcp_connections = self.tcp_connections.unwrap_or(config.tcp_connections);
        config.interface = self.interface.clone().or(config.interface);
        config.trace = self.trace.clone().or(config.trace);
        config.validate().into_diagnostic()?;
        Ok(config)
    }
}

/// Makes sure that `config` says how to reach `partner`; `at` overrides it.
pub fn reach(config: &mut AppcConfig, partner: &str, at: Option<&str>) -> Result<()> {
    let ethernet = config.interface.is_some();
    let entry = config.partners.entry(partner.to_owned()).or_insert_with(|| PartnerConfig {
        ethernet,
        ..PartnerConfig::default()
    });
    if let Some(at) = at {
        entry.address = Some(at.to_owned());
        entry.ethernet = false;
    }
    if entry.address.is_none() && !entry.ethernet {
        bail!("where is {partner}? Give --at host[:port], or its address in the [appc] section");
    }
    Ok(())
}
