//! Open models: what is proved for every environment, contracts, and the environment as text.

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{freeboard, freeboard_reads};

const PATIENT: &str = "../open/front_end.pml";
const HASTY: &str = "../open/hasty_front_end.pml";

fn view(arguments: &[&str]) -> Value {
    freeboard(&[&["check", "--format", "json"], arguments].concat()).json()
}

fn bounds(view: &Value) -> Vec<(String, Option<u64>)> {
    let rows = view["property-results"][0]["buffers"].as_array().unwrap();
    rows.iter().map(|row| (row["name"].as_str().unwrap().to_owned(), row["bound"].as_u64())).collect()
}

#[test]
fn a_component_that_waits_is_bounded_in_every_environment() {
    insta::assert_snapshot!(freeboard(&["check", PATIENT]).timeless());
    let view = view(&[PATIENT]);
    assert_eq!(bounds(&view), [("jobs".to_owned(), Some(1)), ("results".to_owned(), Some(1))]);
    assert_eq!(view["property-results"][0]["contract"]["every-environment"], true);
}

#[test]
fn a_component_that_does_not_wait_needs_a_contract() {
    insta::assert_snapshot!(freeboard(&["check", HASTY]).timeless());
    let view = view(&[HASTY]);
    let contract = &view["property-results"][0]["contract"];
    assert_eq!(contract["every-environment"], false);
    assert_eq!(contract["assumption"], "in(request) - out <= k");
    assert_eq!(contract["bounds"][0]["bound"], "k");
    // The run says what the environment did.
    let steps = view["property-results"][0]["witness"]["loop"].as_array().unwrap();
    assert!(steps.iter().any(|step| step["process"] == "environment" && step["text"] == "in!request,0"));
}

#[test]
fn an_assumption_makes_a_bound() {
    for (slack, bound) in [(0, 0), (2, 2), (7, 7)] {
        let assumption = format!("in(request) - out(response) <= {slack}");
        let view = view(&["--assume", &assumption, HASTY]);
        assert_eq!(view["property-results"][0]["verdict"], "proved");
        assert_eq!(bounds(&view), [("jobs".to_owned(), Some(bound)), ("results".to_owned(), Some(bound))]);
    }
    // Answers that count for more do not make up for what is sent.
    let view = view(&["--assume", "in(request) <= 2*out + 1", HASTY]);
    assert_eq!(view["property-results"][0]["verdict"], "unknown");
}

/// As many jobs as a request says.
const BATCHES: &str = "chan in = [1] of { byte }; chan jobs = [4] of { bit };
    active proctype P() { byte n; in?n; do :: n > 0 -> jobs!1; n-- :: else -> break od }";

#[test]
fn a_range_of_values_makes_a_bound() {
    let check = |range: &str| {
        let arguments = ["check", "--open", "in", "--assume", range, "-"];
        freeboard_reads(&arguments, BATCHES.as_bytes()).stdout
    };
    let few = check("in.1 in 0..9");
    assert!(few.starts_with("BOUNDED for environments that keep to in.1 in 0..9 ("), "{few}");
    assert!(few.contains("proved ≤ 9"), "{few}");
    let many = check("in.1 in 3..120");
    assert!(many.contains("proved ≤ 120"), "{many}");
    let one = check("in.1 in 0");
    assert!(one.contains("proved ≤ 0"), "{one}");
}

#[test]
fn what_is_no_range_of_an_open_channel_is_told() {
    for (range, expected) in [
        ("in.2 in 0..9", "messages of `in` have 1 field, counted from 1"),
        ("jobs.1 in 0..9", "`jobs` in `jobs.1 in 0..9` is no open channel; `in` is open"),
        ("in.1 in 300..400", "no value of the field is in all its ranges"),
        ("in.1 in few", "`few` is neither a number nor a symbol of the field"),
    ] {
        let arguments = ["check", "--open", "in", "--assume", range, "-"];
        let told = freeboard_reads(&arguments, BATCHES.as_bytes());
        assert_eq!(told.status, 3, "{}", told.stderr);
        assert!(told.stderr.contains(expected), "{}", told.stderr);
    }
    let told =
        freeboard_reads(&["contract", "--open", "in", "--assume", "in.1 in 0..9", "-"], BATCHES.as_bytes());
    assert!(told.stderr.contains("no contract rests on the values that other parts send"), "{}", told.stderr);
}

#[test]
fn runs_and_texts_keep_to_a_range() {
    let arguments = ["--open", "in", "--assume", "in.1 in 2..3", "-"];
    let explored = freeboard_reads(&[&["explore"], &arguments[..]].concat(), BATCHES.as_bytes()).stdout;
    assert!(explored.contains("jobs    4         3\n"), "{explored}");
    let closed = freeboard_reads(&[&["close"], &arguments[..]].concat(), BATCHES.as_bytes()).stdout;
    assert!(closed.contains("select(field_0 : 2 .. 3);"), "{closed}");
}

#[test]
fn an_environment_may_be_a_text() {
    let directory = TempDir::new().unwrap();
    let (model, outside) = (path(&directory, "model.pml"), path(&directory, "outside.pml"));
    std::fs::write(&model, BATCHES).unwrap();
    std::fs::write(&outside, "active proctype Outside() { in!2; in!5 }").unwrap();
    let told = freeboard(&["check", "--assume-model", &outside, &model]).stdout;
    assert!(told.contains("jobs    4         5"), "{told}");
    assert!(told.contains("outside is nothing but the processes of"), "{told}");
}

/// What a system file assumes of an environment is said whenever something is proved of it.
#[test]
fn an_assumption_does_not_get_lost_on_the_way() {
    let directory = TempDir::new().unwrap();
    let (system, proof) = (path(&directory, "system.json"), path(&directory, "proof.json"));
    let assumption = "in(request) - out(response) <= 2";
    freeboard(&["check", "--assume", assumption, "--system", &system, "--certificate", &proof, HASTY]);
    let verified = freeboard(&["verify", "--system", &system, &proof]).stdout;
    let told = "begins with 2 and never falls below 0, which is up to the environment";
    assert!(verified.split_whitespace().collect::<Vec<_>>().join(" ").contains(told), "{verified}");
    let checked = freeboard(&["check", &system]).stdout;
    assert!(checked.starts_with("BOUNDED for environments that keep to k - ("), "{checked}");
    let contract = freeboard(&["contract", "--open", "auto", &system]);
    assert_eq!(contract.status, 3, "{}", contract.stdout);
}

/// A variable may have the name that contracts have for their parameter.
#[test]
fn names_of_a_model_are_none_of_a_contract() {
    let text = "chan c = [2] of { byte }; chan q = [2] of { byte }; byte k = 3;
        active proctype A() { do :: k > 0 -> k--; q!1 :: c?1 od }";
    let told = freeboard_reads(&["contract", "--open", "c", "-"], text.as_bytes());
    assert!(told.stdout.contains("q <= 3"), "{}{}", told.stdout, told.stderr);
}

/// Assumptions are about bounds: livelocks are those of every environment.
#[test]
fn livelocks_are_those_of_every_environment() {
    let text = "chan in = [1] of { bit }; chan q = [1] of { bit };
        active proctype P() { do :: in?_ -> q!1 od }
        active proctype Q() { do :: q?_ od }
        active proctype R() { progress: (false) }";
    let arguments = ["check", "--open", "in", "--assume", "in <= 3", "--property", "all", "-"];
    let told = freeboard_reads(&arguments, text.as_bytes());
    assert!(told.stdout.starts_with("BOUNDED for environments that keep to in <= 3"), "{}", told.stdout);
    assert!(told.stdout.contains("\nLIVELOCK in some environment"), "{}", told.stdout);
    assert_eq!(told.status, 1);
}

#[test]
fn a_contract_is_verified_and_a_run_replays() {
    let directory = TempDir::new().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (certificate, system, witness) = (path("c.json"), path("s.json"), path("w.json"));
    let written = ["--certificate", &certificate, "--system", &system, "--witness", &witness];
    freeboard(&[&["check", HASTY], &written[..]].concat());
    let verified = freeboard(&["verify", "--format", "json", "--system", &system, &certificate]).json();
    assert_eq!(verified["verdict"], "accepted");
    assert_eq!(verified["contracts"][0]["bound"], "k");
    assert_eq!(verified["unclaimed"].as_array().unwrap().len(), 0);
    let parts: Vec<&str> =
        verified["trust"].as_array().unwrap().iter().map(|part| part["part"].as_str().unwrap()).collect();
    assert_eq!(parts, ["abstraction"]);
    assert_eq!(freeboard(&["replay", HASTY, &witness]).status, 0);
    // A number changed by one is rejected.
    let text = std::fs::read_to_string(&certificate).unwrap();
    std::fs::write(&certificate, text.replace("\"slope\": \"1\"", "\"slope\": \"0\"")).unwrap();
    assert_eq!(freeboard(&["verify", "--system", &system, &certificate]).status, 1);
}

#[test]
fn channels_with_one_end_are_found() {
    let text = "chan a = [1] of { bit }; chan b = [1] of { bit }; chan c = [1] of { bit };
        active proctype P() { do :: a?_ -> b!1 od }
        active proctype Q() { do :: b?_ -> c!1 od }";
    let told = freeboard_reads(&["check", "--open", "auto", "-"], text.as_bytes()).timeless();
    assert!(told.starts_with("UNBOUNDED in some environment: "), "{told}");
    let told = freeboard_reads(&["check", "--open", "a", "-"], text.as_bytes()).timeless();
    assert!(told.contains("`c` is never received from"), "{told}");
}

#[test]
fn what_cannot_be_open_is_told() {
    let text = "chan inbox = [1] of { bit }; active proctype P() { do :: inbox?_ od }";
    let told = |arguments: &[&str]| {
        let run = freeboard_reads(&[arguments, &["-"]].concat(), text.as_bytes());
        (run.status, run.stderr.trim().to_owned())
    };
    let misspelt = told(&["check", "--open", "inbx"]);
    assert_eq!(misspelt.0, 3);
    assert!(misspelt.1.contains("did you mean `inbox`?"), "{}", misspelt.1);
    assert!(told(&["check", "--assume", "inbox <= 2"]).1.contains("no channel is open"));
    assert!(
        told(&["check", "--open", "inbox", "--assume", "other <= 2"])
            .1
            .contains("the environment sends inbox")
    );
    assert_eq!(told(&["check", "--assume", "inbox"]).0, 4);
    assert!(told(&["close"]).1.contains("no channel is open"));
    let machines = b".outputs A\n.state graph\n0 1 ! hi 0\n.marking 0\n.end\n";
    let of_machines = |option: [&str; 2]| {
        let run = freeboard_reads(&[&["check", "--input", "fsa"], &option[..], &["-"]].concat(), machines);
        (run.status, run.stderr)
    };
    let (status, told) = of_machines(["--open", "A"]);
    assert_eq!(status, 3);
    assert!(told.contains("`A` is a machine"), "{told}");
    assert!(of_machines(["--assume", "in <= 3"]).1.contains("no channel is open"));
    let room = b"RoomModel M { }";
    let run = freeboard_reads(&["check", "--input", "room", "--open", "auto", "-"], room);
    assert_eq!(run.status, 4);
    assert!(run.stderr.contains("are for Promela models and machines only"), "{}", run.stderr);
}

#[test]
fn a_peer_that_is_no_machine_is_an_environment() {
    let text = "A: rec x . {Env?ask; B!job; x, B?done; Env!answer; x}\nB: rec y . A?job; A!done; y\n";
    let check = |options: &[&str]| {
        freeboard_reads(&[&["check", "--input", "kmc"], options, &["-"]].concat(), text.as_bytes())
    };
    let told = check(&["--open", "Env"]).timeless();
    assert!(told.starts_with("UNBOUNDED in some environment: 2 buffers"), "{told}");
    assert!(told.contains("Env->A(ask) - A->Env(answer) <= k"), "{told}");
    let assumed = check(&["--open", "Env", "--assume", "Env->A - A->Env <= 3", "--format", "json"]);
    let view = assumed.json();
    assert_eq!(assumed.status, 0);
    assert_eq!(view["property-results"][0]["buffers"][0]["bound"], 3);
    assert_eq!(view["property-results"][0]["contract"]["assumption"], "Env->A - A->Env <= 3");
}

/// The contracts of the parts of the service: front, worker, clients, spammer.
fn contracts(directory: &TempDir) -> [String; 4] {
    ["front", "worker", "clients", "spammer"].map(|part| {
        let path = path(directory, &format!("{part}.contract"));
        let model = format!("../open/service/{part}.pml");
        assert_eq!(freeboard(&["contract", &model, "--output", &path]).status, 0, "{part}");
        path
    })
}

fn path(directory: &TempDir, name: &str) -> String {
    directory.path().join(name).display().to_string()
}

#[test]
fn parts_are_proved_once_and_composed_twice() {
    let directory = tempfile::tempdir().unwrap();
    let paths = contracts(&directory);
    let [front, worker, clients, spammer] = paths.each_ref().map(String::as_str);
    let whole = freeboard(&["compose", front, worker, clients, "--format", "json"]);
    let view = whole.json();
    assert_eq!((whole.status, view["verdict"].as_str()), (0, Some("proved")));
    let bounds: Vec<(String, u64)> = view["buffers"].as_array().unwrap().iter().map(bound_of).collect();
    let names: Vec<&str> = bounds.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["in", "jobs", "out", "results", "worker.steps"]);
    assert_eq!(bounds.iter().map(|(_, bound)| *bound).collect::<Vec<_>>(), [3, 3, 3, 3, 1]);
    let open = freeboard(&["compose", front, worker]);
    assert_eq!(open.status, 2);
    assert!(
        open.stdout.starts_with("BOUNDED in environments that keep to the assumptions"),
        "{}",
        open.stdout
    );
    let flooded = freeboard(&["compose", front, worker, spammer]);
    assert_eq!(flooded.status, 2);
    assert!(flooded.stdout.starts_with("UNKNOWN: 4 of the 5 buffers"), "{}", flooded.stdout);
}

fn bound_of(buffer: &Value) -> (String, u64) {
    (buffer["name"].as_str().unwrap().to_owned(), buffer["bound"].as_u64().unwrap())
}

#[test]
fn a_contract_is_checked_by_itself_and_the_whole_as_well() {
    let directory = tempfile::tempdir().unwrap();
    let paths = contracts(&directory);
    let verified = freeboard(&["verify", &paths[0]]);
    assert_eq!(verified.status, 0);
    assert!(verified.stdout.starts_with("accepted: jobs(job) <= in(request)"), "{}", verified.stdout);
    let [system, certificate] = ["whole.json", "whole.cert"].map(|name| path(&directory, name));
    let parts: Vec<&str> = paths[..3].iter().map(String::as_str).collect();
    let evidence = ["--system", &system, "--certificate", &certificate];
    assert_eq!(freeboard(&[&["compose"], &parts[..], &evidence[..]].concat()).status, 0);
    let whole = freeboard(&["verify", "--system", &system, &certificate, "--format", "json"]).json();
    assert_eq!(whole["verdict"], "accepted");
    let trusted: Vec<&str> =
        whole["trust"].as_array().unwrap().iter().map(|part| part["part"].as_str().unwrap()).collect();
    assert_eq!(trusted, ["abstraction", "composition"]);
    // A lower price is not proved.
    let text = std::fs::read_to_string(&paths[0]).unwrap();
    let cheaper = text.replace("\"change\": -1", "\"change\": 0");
    assert_ne!(cheaper, text);
    std::fs::write(&paths[0], cheaper).unwrap();
    assert_eq!(freeboard(&["verify", &paths[0]]).status, 1);
    let composed = freeboard(&[&["compose"], &parts[..]].concat());
    assert_eq!(composed.status, 3);
    assert!(composed.stderr.contains("is rejected"), "{}", composed.stderr);
}

/// Models with a name each; their contracts, composed.
fn composed(parts: &[[&str; 2]]) -> (Option<i32>, String) {
    let directory = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for [name, text] in parts {
        let (model, contract) =
            (path(&directory, &format!("{name}.pml")), path(&directory, &format!("{name}.contract")));
        std::fs::write(&model, text).unwrap();
        let made = freeboard(&["contract", &model, "--output", &contract]);
        if made.status != 0 {
            return (None, made.stderr);
        }
        paths.push(contract);
    }
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let run = freeboard(&[&["compose"], &paths[..]].concat());
    (Some(run.status), run.stdout + &run.stderr)
}

/// What two parts could mean otherwise is refused, or told to be unknown; each of these was once
/// proved, and Spin shows a run of the whole that contradicts it.
#[test]
fn what_parts_do_not_have_in_common_is_no_proof() {
    let first = |symbols: &str, field: &str| {
        format!(
            "mtype = {{ {symbols} }}; chan c = [4] of {{ {field} }}; // freeboard: open c\n\
             chan q = [2] of {{ byte }};\n"
        )
    };
    let picky = first("req, ack", "mtype")
        + "active proctype A() { mtype x; do :: c?x; if :: x == req -> skip :: x == ack -> skip :: else -> q!1 fi od }";
    // An mtype that has not been set is 0, and no symbol.
    let unset = first("req, ack", "mtype") + "active proctype B() { mtype m; do :: c!m od }";
    let (status, told) = composed(&[["a", &picky], ["b", &unset]]);
    assert_eq!(status, Some(2), "{told}");
    // Symbols, types of fields and kinds of channels have to be the same.
    for other in [
        first("req, ack, nak", "mtype") + "active proctype B() { do :: c!nak od }",
        first("ack, req", "mtype") + "active proctype B() { do :: c!req od }",
        first("req, ack", "byte") + "active proctype B() { do :: c!7 od }",
        first("req, ack", "mtype").replace("[4]", "[0]") + "active proctype B() { do :: c!req od }",
        first("req, ack", "mtype, byte") + "active proctype B() { do :: c!req,1 od }",
        first("req, ack", "mtype").replace("chan c =", "chan c[2] =")
            + "active proctype B() { do :: c[1]!req od }",
    ] {
        let (status, told) = composed(&[["a", &picky], ["b", &other]]);
        assert_eq!(status, Some(3), "{other}\n{told}");
        assert!(told.contains("`c` of `a` is not that of `b`"), "{told}");
    }
    // A name that is open in one part only.
    let inner = "chan c = [4] of { byte }; chan d = [4] of { byte }; // freeboard: open d\n
        active proctype A() { do :: c?_; d!1 :: d?_; c!1 od }";
    let outer = "chan c = [4] of { byte }; // freeboard: open c\n active proctype B() { do :: c!1 od }";
    let (status, told) = composed(&[["a", inner], ["b", outer]]);
    assert_eq!(status, Some(3));
    assert!(told.contains("`c` is open in `b`, and not in `a`"), "{told}");
    // What processes may find otherwise beside others.
    let channel = "chan c = [4] of { byte }; // freeboard: open c\n chan q = [2] of { byte };\n";
    for [behaviour, why] in [
        ["do :: c?_; if :: _pid == 0 -> skip :: else -> q!1 fi od", "`_pid`"],
        ["do :: c?_; if :: _nr_pr == 1 -> skip :: else -> q!1 fi od", "`_nr_pr`"],
        ["do :: c!q :: q!1; q?1 od", "channels are used as numbers"],
    ] {
        let text = format!("{channel}active proctype A() {{ {behaviour} }}");
        let (status, told) = composed(&[["a", &text]]);
        assert!(status.is_none() && told.contains(why), "{status:?} {told}");
    }
}

/// Kinds that parts tell apart differently have one name in the assumption of the whole.
#[test]
fn an_assumption_of_the_whole_names_all_that_it_is_about() {
    let channel = "chan c = [4] of { byte }; // freeboard: open c\n chan q = [2] of { byte };\n";
    let first = format!("{channel}active proctype A() {{ do :: c?1; q!1 :: c?_; q!1 od }}");
    let second = "chan c = [4] of { byte }; // freeboard: open c\n active proctype B() { do :: c?0 od }";
    let (status, told) = composed(&[["a", &first], ["b", second]]);
    assert_eq!(status, Some(2));
    assert!(told.contains("where c <= k"), "{told}");
}

#[test]
fn a_claim_that_rests_on_another_account_is_no_clause() {
    let directory = tempfile::tempdir().unwrap();
    let [front, ..] = contracts(&directory);
    let text = std::fs::read_to_string(&front).unwrap();
    let mut file: Value = serde_json::from_str(&text).unwrap();
    let claims = file["certificate"]["claims"].as_array_mut().unwrap();
    let parameters: Vec<String> =
        claims.iter().map(|claim| claim["parameter"].as_str().unwrap().to_owned()).collect();
    let other = parameters.iter().find(|other| **other != parameters[0]).unwrap();
    let mut forged = claims[0].clone();
    forged["parameter"] = Value::from(other.as_str());
    forged["slope"] = Value::from("0");
    forged["constant"] = Value::from("1000");
    claims.push(forged);
    std::fs::write(&front, file.to_string()).unwrap();
    let run = freeboard(&["verify", &front]);
    assert_eq!(run.status, 1);
    assert!(run.stdout.contains("is no clause"), "{}", run.stdout);
}

#[test]
fn what_has_no_contract_is_told() {
    let told = |text: &str, options: &[&str]| {
        let run = freeboard_reads(&[&["contract"], options, &["-"]].concat(), text.as_bytes());
        (run.status, run.stderr)
    };
    let text = "chan a = [1] of { chan }; active proctype P() { chan c; do :: a?c od }";
    let (status, error) = told(text, &["--open", "a"]);
    assert_eq!(status, 3);
    assert!(error.contains("messages on `a` have channels in them"), "{error}");
    assert!(told(text, &[]).1.contains("no channel is open"));
}

#[test]
fn the_environment_is_written_as_promela() {
    let closed = freeboard(&["close", PATIENT]);
    insta::assert_snapshot!(closed.stdout);
    // It is a model without an interface, whose channels may overflow.
    let told = freeboard_reads(&["check", "-"], closed.stdout.as_bytes()).timeless();
    assert!(told.starts_with("UNBOUNDED: 2 buffers"), "{told}");
    assert!(told.contains("proved ≤ 1"), "{told}");
}

#[test]
fn conditions_that_hang_on_the_environment_are_explained() {
    let text = "mtype = { ask, stop };
chan in = [2] of { mtype, byte };
chan out = [2] of { byte };
chan inner = [2] of { byte };
active proctype Worker() {
  byte job;
  do
  :: in?ask(job) -> inner!job
  :: in?stop(_) -> break
  od
}
active proctype Counter() {
  byte what = 1, sum;
  do
  :: inner?what
  :: what > 3 -> sum++
  :: else -> out!sum
  od
}
";
    let told = |open: &str, text: &str| {
        let run = freeboard_reads(&["close", "--explain", "--open", open, "-"], text.as_bytes());
        assert_eq!(run.status, 0, "{}", run.stderr);
        run.stdout
    };
    insta::assert_snapshot!(told("in,out", text));
    assert_eq!(
        told("out", text),
        "No condition hangs on the environment: what comes from `out` decides nothing.\n"
    );
    let run = freeboard(&["close", "--explain", "--dump", "promela", PATIENT]);
    assert_eq!(run.status, 4);
}
