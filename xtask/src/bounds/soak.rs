//! All doors of one region for half an hour, and what it has at the beginning and
//! at the end.
//!
//! The region has the bank, the echo of APPC, a receiver of sockets and a web service;
//! a gateway apart serves the bank's API from it. One run of `tupelo drive` asks them
//! all: REST, a script's route, 3270 terminals, conversations that are allocated again,
//! receivers that are never idle, web support, SOAP, and the other gateway. Memory, descriptors and threads are noted each minute. A leak shows as
//! growth after the first tenth of the time.

use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::driven::DriveRun;
use super::memory_mib;
use crate::crash::served::{self, ServedApplication, current};

/// Files of the examples that the region has, by folder.
const PARTS: [(&str, &[&str]); 3] = [
    ("sockets", &["cobol/SHOUT.cbl", "cobol/POLITE.cbl"]),
    ("appc-echo", &["cobol/ECHO.cbl"]),
    (
        "web-services",
        &[
            "cobol/FXS1.cbl",
            "cobol/FXS2.cbl",
            "cobol/FXH1.cbl",
            "copybooks/FXQUOTE.cpy",
            "services/fx/provider.xml",
            "services/fx/provider/FXS1.wsdl",
            "services/fx/provider/FXS1.wsbind",
        ],
    ),
];
const DEFINITIONS: &str = "
DEFINE TRANSACTION(CSKL) GROUP(SOAK) PROGRAM(POLITE)
DEFINE TRANSACTION(LINE) GROUP(SOAK) PROGRAM(SHOUT)
DEFINE PROGRAM(SHOUT) GROUP(SOAK) CONCURRENCY(THREADSAFE)
DEFINE TRANSACTION(ECHO) GROUP(SOAK) PROGRAM(ECHO)
DEFINE PROGRAM(ECHO) GROUP(SOAK) CONCURRENCY(THREADSAFE)
DEFINE PIPELINE(FXPROV) GROUP(SOAK) CONFIGFILE(/fx/provider.xml) WSDIR(/fx/provider)
DEFINE URIMAP(FXS1) GROUP(SOAK) USAGE(PIPELINE) PATH(/fx/quote)
       PIPELINE(FXPROV) WEBSERVICE(FXS1)
DEFINE TRANSACTION(FXS1) GROUP(SOAK) PROGRAM(FXS1)
DEFINE URIMAP(FXS2) GROUP(SOAK) PATH(/fx/support) PROGRAM(FXS2) TRANSACTION(FXS2)
DEFINE TRANSACTION(FXS2) GROUP(SOAK) PROGRAM(FXS2)
";

/// Ports of the doors other than the gateway.
struct DoorPorts {
    sockets: u16,
    terminal: u16,
    appc: u16,
    web: u16,
    ipconn: u16,
}

/// What the region and its workers have.
struct SizeSample {
    second: f64,
    region_mib: f64,
    workers_mib: f64,
    descriptors: usize,
    threads: usize,
    workers: usize,
}

/// Runs; false when a request failed or the region grew.
pub fn run(tupelo: Option<&Path>, seconds: u64) -> Result<bool> {
    let ports = DoorPorts::free()?;
    let mut soaked = application(tupelo, &ports)?;
    soaked.start()?;
    let mut near = gateway_apart(tupelo, ports.ipconn)?;
    near.start()?;
    let scenario = soaked.folder().join("soak-scenario.toml");
    let addresses = [&soaked, &near].map(|served| current(&served.address()));
    std::fs::write(&scenario, self::scenario(&addresses, &ports, seconds))?;
    let begin = Instant::now();
    let load = DriveRun::scenario(soaked.program(), &scenario)?;
    let step = Duration::from_secs((seconds / 30).clamp(1, 60));
    let mut samples = Vec::new();
    println!("second  region MiB  workers MiB  workers  descriptors  threads");
    while begin.elapsed() + step < Duration::from_secs(seconds) {
        std::thread::sleep(step);
        let sample = SizeSample::take(&soaked, begin.elapsed().as_secs_f64())?;
        println!("{sample}");
        samples.push(sample);
    }
    let report = load.finish()?;
    let mut errors = 0;
    println!("door        answered  errors  p50 ms  p99 ms  max ms");
    for (name, figures) in &report.populations {
        println!(
            "{name:<10} {:>9} {:>7} {:>7.1} {:>7.1} {:>7.0}",
            figures.answered,
            figures.errors(),
            figures.p50_ms,
            figures.p99_ms,
            figures.max_ms
        );
        // The last row is the sum of the others.
        errors = figures.errors();
    }
    let ended = soaked.stop()?;
    println!("SIGTERM ended the region in {:.1} s", ended.as_secs_f64());
    let grown = growth(&samples)?;
    grown.iter().for_each(|line| println!("{line}"));
    Ok(errors == 0 && grown.is_empty())
}

/// What grew by more than a quarter and a little after the first tenth of the time.
fn growth(samples: &[SizeSample]) -> Result<Vec<String>> {
    let first = samples.get(samples.len() / 10).context("samples")?;
    let last = samples.last().context("samples")?;
    let figures: [(&str, f64, f64, f64); 4] = [
        ("MiB of the region", first.region_mib, last.region_mib, 8.0),
        ("MiB of workers", first.workers_mib, last.workers_mib, 64.0),
        (
            "descriptors",
            first.descriptors as f64,
            last.descriptors as f64,
            16.0,
        ),
        ("threads", first.threads as f64, last.threads as f64, 8.0),
    ];
    let grew = figures
        .into_iter()
        .filter(|(_, from, to, more)| *to > from * 1.25 + more);
    Ok(grew
        .map(|(name, from, to, _)| format!("{name} grew from {from:.0} to {to:.0}"))
        .collect())
}

impl DoorPorts {
    fn free() -> Result<DoorPorts> {
        let free = || anyhow::Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port());
        Ok(DoorPorts {
            sockets: free()?,
            terminal: free()?,
            appc: free()?,
            web: free()?,
            ipconn: free()?,
        })
    }
}

impl SizeSample {
    fn take(served: &ServedApplication, second: f64) -> Result<SizeSample> {
        let region = served.pid().context("the region")?.to_string();
        let entries = |folder: &str| {
            let path = format!("/proc/{region}/{folder}");
            anyhow::Ok(std::fs::read_dir(path)?.count())
        };
        let workers = served.workers()?;
        let mut workers_mib = 0.0;
        for pid in &workers {
            workers_mib += memory_mib(pid)?;
        }
        Ok(SizeSample {
            second,
            region_mib: memory_mib(&region)?,
            workers_mib,
            descriptors: entries("fd")?,
            threads: entries("task")?,
            workers: workers.len(),
        })
    }
}

impl std::fmt::Display for SizeSample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:>6.0} {:>11.1} {:>12.1} {:>8} {:>12} {:>8}",
            self.second,
            self.region_mib,
            self.workers_mib,
            self.workers,
            self.descriptors,
            self.threads
        )
    }
}

/// The region with all doors.
fn application(tupelo: Option<&Path>, ports: &DoorPorts) -> Result<ServedApplication> {
    let served = ServedApplication::new(tupelo, "soak")?;
    let folder = served.folder();
    served::copy(Path::new("examples/bank"), folder)?;
    for (example, files) in PARTS {
        for file in files {
            let to = folder.join(file);
            std::fs::create_dir_all(to.parent().context("a folder")?)?;
            std::fs::copy(Path::new("examples").join(example).join(file), to)?;
        }
    }
    append(
        &folder.join("resources.csd"),
        &format!(
            "{DEFINITIONS}DEFINE TCPIPSERVICE(FX) GROUP(SOAK) PORTNUMBER({}) PROTOCOL(HTTP)\n",
            ports.web
        ),
    )?;
    std::fs::write(
        folder.join("ezacicd.txt"),
        format!(
            "         EZACICD TYPE=INITIAL\n\
             \x20        EZACICD TYPE=CICS,APPLID=BANKRGN,NTASKS=50\n\
             \x20        EZACICD TYPE=LISTENER,APPLID=BANKRGN,TRANID=CSKL,PORT={}\n\
             \x20        EZACICD TYPE=FINAL\n",
            ports.sockets
        ),
    )?;
    append(
        &folder.join("tupelo.toml"),
        &format!(
            "\n[terminal]\nlisten = \"127.0.0.1:{}\"\n\
             [appc]\nlu = \"NET.REGION\"\nlisten = \"127.0.0.1:{}\"\n\
             [ipconn]\nlisten = \"127.0.0.1:{}\"\n\
             [sockets]\ndefinitions = \"ezacicd.txt\"\nserved = \"native\"\n\
             [sockets.receivers.LINE]\nprogram = \"SHOUT\"\n\
             frame = {{ delimiter = \"\\n\" }}\narea_bytes = 1002\narea_length = 2\n",
            ports.terminal, ports.appc, ports.ipconn
        ),
    )?;
    Ok(served)
}

/// A gateway apart that serves the bank's API from that region.
fn gateway_apart(tupelo: Option<&Path>, ipconn: u16) -> Result<ServedApplication> {
    let mut served = ServedApplication::new(tupelo, "near")?;
    served.add_argument("--gateway-only");
    let folder = served.folder();
    served::copy(Path::new("examples/bank/apis"), &folder.join("apis"))?;
    std::fs::write(
        folder.join("tupelo.toml"),
        format!(
            "[region]\napplid = \"NEAR\"\n\
             [ipconn.connections.PEER]\naddress = \"127.0.0.1:{ipconn}\"\n"
        ),
    )?;
    Ok(served)
}

fn append(path: &Path, more: &str) -> Result<()> {
    let text = std::fs::read_to_string(path)?;
    Ok(std::fs::write(path, text + more)?)
}

/// A population for each door.
fn scenario(addresses: &[String; 2], ports: &DoorPorts, seconds: u64) -> String {
    let [soaked, near] = addresses;
    let bank = |name: &str, address: &str| {
        let transfer = |from: &str, to: &str| {
            format!(
                "[[population.step]]\nrequest = \"POST http://{address}/bank/transfers\"\n\
                 headers = {{ Content-Type = \"application/json\" }}\n\
                 body = '{{\"from\":{from},\"to\":{to},\"amount\":1.25}}'\n"
            )
        };
        format!(
            "[[population]]\nname = \"{name}\"\nrate = 5\n[[population.step]]\n\
             request = \"GET http://{address}/bank/accounts/10000001\"\n{}{}",
            transfer("10000001", "10000008"),
            transfer("10000008", "10000001")
        )
    };
    let mut text = format!("title = \"soak\"\nwarmup = \"1s\"\nduration = \"{seconds}s\"\n");
    text += &bank("gateway", soaked);
    text += &bank("ipconn", near);
    text += &format!(
        "[[population]]\nname = \"script\"\nrate = 5\n[[population.step]]\n\
         request = \"GET http://{soaked}/bank/overview/10000001\"\n"
    );
    text += &format!(
        "[[population]]\nname = \"terminal\"\nclients = 5\nthink = \"1s\"\n\
         [population.terminal]\naddress = \"127.0.0.1:{}\"\n\
         [[population.step]]\ntype = \"bank\"\nwait_for = \"TELLER MENU\"\n\
         [[population.step]]\nfields = {{ Option = \"1\" }}\nwait_for = \"ONE ACCOUNT\"\n\
         [[population.step]]\nfields = {{ Account = \"10000001\" }}\ncontains = \"Ada Byron\"\n\
         [[population.step]]\nkey = \"pf3\"\n[[population.step]]\nkey = \"pf3\"\n\
         [[population.step]]\nkey = \"clear\"\n",
        ports.terminal
    );
    text += &format!(
        "[[population]]\nname = \"appc\"\nclients = 4\nthink = \"200ms\"\nkeep_alive = false\n\
         [population.appc]\naddress = \"127.0.0.1:{}\"\npartner = \"NET.REGION\"\ntp = \"ECHO\"\n\
         [[population.step]]\nsend = \"hello\"\nbytes = 200\nsize = 200\n",
        ports.appc
    );
    text += &format!(
        "[[population]]\nname = \"receiver\"\nclients = 8\nthink = \"100ms\"\n\
         sockets = {{ line = \"tcp://127.0.0.1:{}\" }}\nopening = {{ line = \"LINE\\n\" }}\n\
         [[population.step]]\nsocket = \"line\"\nsend = \"hello there\"\n\
         frame = {{ delimiter = \"\\n\" }}\ncontains = \"HELLO THERE\"\n",
        ports.sockets
    );
    text += &format!(
        "[[population]]\nname = \"web\"\nrate = 5\n[[population.step]]\n\
         request = \"POST http://127.0.0.1:{0}/fx/support\"\n\
         headers = {{ Content-Type = \"text/plain\" }}\nbody = 'USD EUR 000000100.00'\n\
         contains = \"92.00\"\n\
         [[population]]\nname = \"soap\"\nrate = 5\n[[population.step]]\n\
         request = \"POST http://127.0.0.1:{0}/fx/quote\"\n\
         headers = {{ Content-Type = \"text/xml\" }}\nbody = \"{QUOTE}\"\ncontains = \"92.00\"\n",
        ports.web
    );
    text
}

/// A request to the web service.
const QUOTE: &str = "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>\
    <q:fxQuote xmlns:q='http://www.FXS1.Request.com'><q:FX_AMOUNT>100.00</q:FX_AMOUNT>\
    <q:FX_FROM>USD</q:FX_FROM><q:FX_TO>EUR</q:FX_TO><q:FX_RATE>0</q:FX_RATE>\
    <q:FX_RESULT>0</q:FX_RESULT><q:FX_REMARK/></q:fxQuote></s:Body></s:Envelope>";

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(region_mib: f64, descriptors: usize) -> SizeSample {
        SizeSample {
            second: 0.0,
            region_mib,
            workers_mib: 100.0,
            descriptors,
            threads: 40,
            workers: 4,
        }
    }

    #[test]
    fn growth_after_the_first_tenth_is_reported() {
        let mut samples: Vec<SizeSample> = (0..20).map(|_| sample(80.0, 200)).collect();
        samples[0] = sample(20.0, 50);
        assert_eq!(growth(&samples).unwrap(), [""; 0]);
        samples.push(sample(130.0, 300));
        let lines = growth(&samples).unwrap();
        assert_eq!(lines[0], "MiB of the region grew from 80 to 130");
        assert_eq!(lines[1], "descriptors grew from 200 to 300");
    }
}
