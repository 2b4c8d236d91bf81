//! The stack of the module: expressions of a model nest, and there is no other thread whose stack
//! could be larger.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family.contains("wasm")) {
        println!("cargo:rustc-link-arg-cdylib=-zstack-size=8388608");
    }
}
