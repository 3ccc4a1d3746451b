//! Compiles the C side of the worker into a shared object that the library
//! carries with it.
//!
//! It must come before libcob in the order in which symbols are looked up and
//! export its entries; an object of its own, loaded at run time, gives both
//! without link options in every binary that hosts a worker. It declares the
//! few members of libcob's structures it reads, so that neither GnuCOBOL's
//! headers nor a compiler are needed where the worker runs.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=shim/shim.c");
    println!("cargo:rerun-if-changed=../runtime/c/decimal.c");
    println!("cargo:rerun-if-changed=../runtime/c/characters.c");
    println!("cargo:rerun-if-changed=../runtime/c/floating.c");
    println!("cargo:rerun-if-changed=../runtime/c/zoned.c");
    println!("cargo:rerun-if-changed=../runtime/c/functions.c");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("shim.so");
    let mut command = cc::Build::new()
        .opt_level(2)
        .pic(true)
        .warnings(true)
        .get_compiler()
        .to_command();
    command
        .args(["-shared", "-fvisibility=hidden", "-fno-strict-aliasing"])
        .args(["-I", "../runtime/c", "-Wl,-z,now"])
        .arg("shim/shim.c")
        .arg("-o")
        .arg(&out)
        .arg("-ldl");
    let status = command.status().expect("a C compiler is installed");
    assert!(
        status.success(),
        "the C side of the worker does not compile"
    );
}
