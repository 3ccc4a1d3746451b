//! Compiles the C side of a batch program's process into a shared object that
//! the library carries with it, as the worker does: its entries must be found
//! before those of libcob.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=shim/batch.c");
    println!("cargo:rerun-if-changed=../runtime/c/decimal.c");
    println!("cargo:rerun-if-changed=../runtime/c/characters.c");
    println!("cargo:rerun-if-changed=../runtime/c/floating.c");
    println!("cargo:rerun-if-changed=../runtime/c/zoned.c");
    println!("cargo:rerun-if-changed=../runtime/c/functions.c");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("batch.so");
    let mut command = cc::Build::new()
        .opt_level(2)
        .pic(true)
        .warnings(true)
        .get_compiler()
        .to_command();
    command
        .args(["-shared", "-fvisibility=hidden", "-fno-strict-aliasing"])
        .args(["-I", "../runtime/c", "-Wl,-z,now"])
        .arg("shim/batch.c")
        .arg("-o")
        .arg(&out)
        .arg("-ldl");
    let status = command.status().expect("a C compiler is installed");
    assert!(
        status.success(),
        "the C side of batch programs does not compile"
    );
}
