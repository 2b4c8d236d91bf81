//! The page with the public interface is what the sources say.

use integration_tests::api::{page, rendered};

#[test]
fn the_page_is_what_the_sources_say() {
    let page = std::fs::read_to_string(page()).unwrap_or_default();
    let rendered = rendered();
    let known: std::collections::BTreeSet<&str> = page.lines().collect();
    let now: std::collections::BTreeSet<&str> = rendered.lines().collect();
    let gone: Vec<_> = known.difference(&now).collect();
    let new: Vec<_> = now.difference(&known).collect();
    assert!(
        page == rendered,
        "docs/generated/public-api.md is not what the sources say; make it anew if that is meant:\n  \
         cargo run -p integration-tests --example api > docs/generated/public-api.md\nGone: {gone:#?}\nNew: {new:#?}"
    );
}

#[test]
fn what_users_rest_on_is_there() {
    let rendered = rendered();
    for line in [
        "pub fn check_system(system: System, options: &Options) -> Result<SystemAnalysis, Failure>",
        "macro_rules! assert_bounded",
        "SystemBuilder: pub fn class(&mut self, name: &str, instances: u32) -> ClassBuilder<'_>",
        "Order: Fifo",
        "impl Property for Boundedness",
    ] {
        assert!(rendered.lines().any(|found| found == line), "{line}");
    }
    // What is public in a module that is not is no part of it.
    assert!(!rendered.contains("MOST_BYTES") && !rendered.contains("struct Part<"));
}
