//! Marks a program that was built sooner rather than faster (`make demo`), so
//! that its reports of load can say so.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(quick_build)");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|is| is == value);
    // A profile that inherits `release`, but is not optimised.
    if is("PROFILE", "release") && (is("OPT_LEVEL", "0") || is("OPT_LEVEL", "1")) {
        println!("cargo::rustc-cfg=quick_build");
    }
}
