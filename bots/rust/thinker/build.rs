//! Compiles the rules in C for the bot, by the compiler of the system; for a module by clang.
use std::{env, process::Command};

fn main() {
    let object = format!("{}/khiva_calls.o", env::var("OUT_DIR").expect("a folder of cargo's"));
    let is_module = env::var("TARGET").map_or(false, |target| target.starts_with("wasm32"));
    let mut compiler = Command::new(if is_module { "clang" } else { "cc" });
    if is_module {
        compiler.arg("--target=wasm32-wasi");
    }
    compiler.args(["-std=c99", "-O2", "-Wall", "-fPIC", "-ffp-contract=off", "-c", "khiva_calls.c", "-o", &object]);
    assert!(compiler.status().expect("a C compiler").success(), "khiva_calls.c was not compiled");
    println!("cargo:rustc-link-arg={object}");
}
