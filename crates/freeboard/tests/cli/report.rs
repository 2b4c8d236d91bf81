//! Reports in HTML and diagrams.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::harness::{Run, freeboard, freeboard_reads, models};

/// A model whose names, texts and comments try to be markup and script.
const HOSTILE: &str = "/* </script><script>alert(1)</script> <img src=x onerror=alert(2)> --> */
chan c = [1] of { mtype:x };
mtype:x = { a };
active proctype P() { do :: c!a; printf(\"</script><b id='verdict'>&amp;\") od }
";

/// Paths of all example models, from `examples/models`.
fn examples() -> Vec<String> {
    let mut found = Vec::new();
    for directory in ["", "../machines", "../open", "../open/service", "../umlrt"] {
        let entries = fs::read_dir(models().join(directory)).unwrap();
        let paths = entries.map(|entry| Path::new(directory).join(entry.unwrap().file_name()));
        let is_model = |path: &PathBuf| {
            let endings = ["pml", "fsa", "kmc", "scm", "room", "art"];
            path.extension().is_some_and(|ending| endings.iter().any(|known| *known == ending))
        };
        found.extend(paths.filter(is_model).map(|path| path.display().to_string()));
    }
    found.sort();
    found
}

fn report(file: &str) -> Run {
    freeboard(&["report", file, "-o", "-"])
}

#[test]
fn a_report_has_the_verdict_first_and_nothing_from_outside() {
    let Run { status, stdout, .. } = report("alternating_bit.pml");
    assert_eq!(status, 1);
    let at = |text: &str| stdout.find(text).unwrap_or_else(|| panic!("{text} is missing"));
    assert!(at("UNBOUNDED") < at("id=\"system\"") && at("id=\"system\"") < at("id=\"runs\""));
    assert!(at("id=\"runs\"") < at("id=\"source\""));
    for outside in ["http:", "https:", "src=", "@import", "url("] {
        let plain = stdout.replace("http://www.w3.org/2000/svg", "");
        assert!(!plain.contains(outside), "{outside}");
    }
}

#[test]
fn the_exit_status_is_that_of_check_and_a_file_can_be_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("report.html").display().to_string();
    for (file, status) in [("client_server.pml", 0), ("visitors.pml", 1), ("missing.pml", 4)] {
        let run = freeboard(&["report", file, "-o", &path, "--property", "boundedness"]);
        assert_eq!((run.status, run.stdout.as_str()), (status, ""), "{file}");
    }
    assert!(fs::read_to_string(&path).unwrap().contains("UNBOUNDED"));
    let unknown = freeboard(&["report", "alternating_bit.pml", "--no-search", "--no-refine"]);
    assert_eq!(unknown.status, 2);
    assert!(unknown.stdout.contains("UNKNOWN") && unknown.stdout.contains("<h2 id=\"loops-title\">"));
}

#[test]
fn a_proof_is_told_in_words() {
    let page = report("client_server.pml").stdout;
    assert!(page.contains("each message toServer(request) 1"), "{page}");
    assert!(page.contains("no step raises the sum, and at the start it is 3."), "{page}");
}

#[test]
fn nothing_of_a_model_is_markup() {
    let page = freeboard_reads(&["report", "-"], HOSTILE.as_bytes()).stdout;
    assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
    assert!(!page.contains("<script>alert") && !page.contains("<img") && !page.contains("<b id"));
    // One has the data, one is ours.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
}

#[test]
fn a_network_and_a_process_are_drawn() {
    let svg = freeboard(&["draw", "client_server.pml"]);
    assert_eq!(svg.status, 0);
    assert!(svg.stdout.starts_with("<svg ") && svg.stdout.contains("toServer"));
    let dot = freeboard(&["draw", "client_server.pml", "--format", "dot"]);
    insta::assert_snapshot!("a_network_as_dot", dot.stdout);
    let mermaid = freeboard(&["draw", "client_server.pml", "--format", "mermaid", "--process", "Server"]);
    insta::assert_snapshot!("a_process_as_mermaid", mermaid.stdout);
    let nobody = freeboard(&["draw", "client_server.pml", "--process", "Nobody"]);
    assert_eq!(nobody.status, 4);
    assert!(nobody.stderr.contains("the processes are Client, Server"), "{}", nobody.stderr);
}

#[test]
fn what_is_too_large_is_not_laid_out() {
    let panel = freeboard(&["draw", "../umlrt/alarm.room", "--process", "top.panel"]);
    assert!(panel.status == 4 && panel.stderr.contains("are not laid out, 60 at most"), "{}", panel.stderr);
}

/// The browser, if there is one. Its name is told where there is none, so that nobody takes the
/// test for one that was run.
fn browser() -> Option<&'static str> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let runs = |name: &&str| {
        let version =
            Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    };
    let found = names.into_iter().find(runs);
    if found.is_none() {
        let names = names.join(", ");
        // Past the capture of tests, which would hide it.
        let mut told = std::io::stderr();
        _ = writeln!(told, "SKIPPED: none of {names} is on the path, so no report was opened");
    }
    found
}

/// A report with the probe in it, as it is after the probe has run.
fn probed(browser: &str, page: &str, directory: &Path) -> Value {
    let listener = "<script>window.problems = [];\
        addEventListener('error', (event) => problems.push(String(event.message)));\
        addEventListener('securitypolicyviolation', (event) => problems.push(event.violatedDirective));\
        console.error = console.warn = (...all) => problems.push(all.join(' '));</script>\n";
    let probe = format!("<script>\n{}</script>\n</body>", include_str!("probe.js"));
    let page = page.replacen("<head>\n", &format!("<head>\n{listener}"), 1).replacen("</body>", &probe, 1);
    let file = directory.join("report.html");
    fs::write(&file, page).unwrap();
    let profile = format!("--user-data-dir={}", directory.join("profile").display());
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", &profile])
        .arg(format!("file://{}", file.display()))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let dom = String::from_utf8(output.stdout).unwrap();
    let (_, found) = dom.split_once("<pre id=\"probe\">").unwrap_or_else(|| panic!("no probe: {dom}"));
    let (found, _) = found.split_once("</pre>").unwrap();
    let found =
        found.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u{a0}").replace("&amp;", "&");
    serde_json::from_str(&found).unwrap()
}

/// The runs that a report has to show: witnesses, then those of findings.
fn expected(check: &Value) -> Vec<Vec<Value>> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let results = list(&check["property-results"]);
    let witnesses = results.iter().flat_map(|result| list(&result["witnesses"]));
    let witnesses = witnesses.map(|witness| [list(&witness["prefix"]), list(&witness["loop"])].concat());
    let findings = list(&check["findings"]);
    let findings = findings.iter().map(|finding| list(&finding["run"]));
    witnesses.chain(findings).filter(|run| !run.is_empty()).collect()
}

/// What a browser shows of a report is what the check found.
fn is_shown(file: &str, browser: &str, directory: &Path) -> usize {
    let page = report(file).stdout;
    assert!(page.len() < 2_000_000, "{file}: {} bytes", page.len());
    let check = freeboard(&["check", file, "--format", "json"]).json();
    let found = probed(browser, &page, directory);
    assert_eq!(found["problems"], serde_json::json!([]), "{file}");
    assert_eq!(found["repeated"], serde_json::json!([]), "{file}");
    assert_eq!((&found["unnamed"], &found["scripts"]), (&0.into(), &4.into()), "{file}");
    let runs = expected(&check);
    assert_eq!(found["runs"].as_array().unwrap().len(), runs.len(), "{file}");
    for (number, run) in runs.iter().enumerate() {
        let shown = &found["runs"][number];
        let steps = shown["steps"].as_array().unwrap();
        assert_eq!(steps.len(), run.len(), "{file}, run {number}");
        for (position, (step, seen)) in run.iter().zip(steps).enumerate() {
            let says = seen["says"].as_str().unwrap();
            let process = format!("{}[{}]", step["process"].as_str().unwrap(), step["pid"]);
            let text = step["text"].as_str().unwrap();
            assert!(says.starts_with(&format!("Step {} of {}", position + 1, run.len())), "{file}: {says}");
            assert!(says.contains(&process) && says.contains(text), "{file}: {says}: {step}");
            assert_eq!(seen["line"], step["line"], "{file}: {says}");
            assert_eq!(
                (&seen["row"], &seen["step"]),
                (&(position + 1).into(), &(position + 1).into()),
                "{file}"
            );
            assert!(
                seen["table"].as_str().unwrap().starts_with(&(position + 1).to_string()),
                "{file}: {seen}"
            );
        }
        let last = run.len();
        let moved = ["before", "left", "home", "right", "end", "last"]
            .map(|key| shown[key].as_u64().unwrap() as usize);
        let back = |steps: usize| last.saturating_sub(steps).max(1);
        assert_eq!(moved, [back(1), back(2), 1, last.min(2), last, last], "{file}");
    }
    runs.len()
}

#[test]
fn a_browser_shows_the_runs_of_the_check() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let some = ["alternating_bit.pml", "client_server.pml", "open_counter.pml", "../machines/eager.kmc"];
    let long = std::env::var_os("FREEBOARD_LONG").is_some();
    let files = if long { examples() } else { some.map(String::from).to_vec() };
    let mut runs = 0;
    for file in &files {
        runs += is_shown(file, browser, directory.path());
    }
    println!("{} reports with {runs} runs were opened in {browser}", files.len());
}

#[test]
fn a_browser_runs_nothing_of_a_hostile_model() {
    let Some(browser) = browser() else { return };
    let directory = tempfile::tempdir().unwrap();
    let page = freeboard_reads(&["report", "-"], HOSTILE.as_bytes()).stdout;
    let found = probed(browser, &page, directory.path());
    assert_eq!((&found["problems"], &found["scripts"]), (&serde_json::json!([]), &4.into()));
}
