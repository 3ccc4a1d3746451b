//! Marks a program that was built sooner rather than faster (`make demo`), so
//! that its reports of load can say so.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(quick_build)");
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level == "1") {
        println!("cargo::rustc-cfg=quick_build");
    }
}
