//! Decides many models with each strategy alone and with all of them, and prints the page
//! `docs/generated/refinement-corpus.md`:
//!
//! ```sh
//! cargo run --release -p integration-tests --example ablation > docs/generated/refinement-corpus.md
//! ```
//!
//! The collection of models is looked for in `../shared/corpus/promela`, beside this repository; an
//! argument restricts the models to those with it in their names.
#![allow(missing_docs)] // an example has no interface

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use freeboard::refine::Strategy;
use freeboard::report::view::{PropertyResult, Verdict};
use freeboard::{
    Model, Options, RunLimits, Strategies, check_livelock, check_model, promela_front, read_promela,
};
use integration_tests::comparison::corpus::{self, models, own_models, place};

const HEAD: &str = "\
# Refinement on many models

Which strategies decide a model, alone and together, and in what time. The models are those of this repository and of a
collection of models by others; a model is here if its abstraction has a buffer (for boundedness) or a progress label (for
livelocks). This page is the output of

```sh
cargo run --release -p integration-tests --example ablation > docs/generated/refinement-corpus.md
```

- *plain*: the plain test decides it, and nothing else is tried;
- *alone*: the strategies each of which decides it alone; *runs* is the search for runs without any refinement, which can
  only refute;
- *together*: the verdict of `freeboard check` with all that it does by default, and the strategies that acted;
- *time*: of that check, from the text to the verdict, on a machine with two cores and other work.

How far it goes is what it does by default, and at most 60 s.
";

/// The longest that a check may take.
const LIMIT: Duration = Duration::from_secs(60);

fn main() {
    let part = std::env::args().nth(1).unwrap_or_default();
    let mut all = own_models();
    match place(None) {
        Some(place) => all.extend(models(&place)),
        None => eprintln!("there is no collection of models; only those of this repository are looked at"),
    }
    let read: Vec<(String, Model)> =
        all.iter().filter(|model| model.name.contains(&part)).filter_map(read).collect();
    println!("{HEAD}");
    table(
        "Boundedness",
        read.iter().filter(|(_, model)| !model.abstraction.system.buffers.is_empty()),
        bounded,
    );
    let labels = |model: &Model| freeboard::has_progress_labels(&model.program);
    table("Livelocks", read.iter().filter(|(_, model)| labels(model)), livelock);
}

fn read(model: &corpus::Model) -> Option<(String, Model)> {
    let parse =
        promela_front::Options { defines: model.defines.clone(), ..promela_front::Options::default() };
    let options = Options { parse, ..Options::default() };
    let read = read_promela(&model.file.display().to_string(), &model.text(), &options).ok()?;
    Some((model.name.clone(), read))
}

/// What may be done, and its name.
struct Means {
    name: &'static str,
    options: Options,
}

impl Means {
    fn new(name: &'static str, strategies: impl IntoIterator<Item = Strategy>, runs: RunLimits) -> Self {
        let refinement = Strategies(strategies.into_iter().collect());
        Self { name, options: Options { refinement, runs, time_limit: Some(LIMIT), ..Options::default() } }
    }

    /// Each means alone.
    fn alone() -> Vec<Self> {
        let RunLimits { search_states, exploration_states } = RunLimits::default();
        let runs = |strategy| match strategy {
            Strategy::Termination | Strategy::Recurrence | Strategy::Exhaustion => {
                RunLimits { search_states: 0, exploration_states }
            }
            _ => RunLimits::NONE,
        };
        let strategies = Strategy::ALL.into_iter();
        let strategies = strategies.map(|strategy| Self::new(strategy.name(), [strategy], runs(strategy)));
        let runs = Self::new("runs", [], RunLimits { search_states, exploration_states: 0 });
        strategies.chain([runs]).collect()
    }
}

/// Asks about each model, and prints a table and what it comes to.
fn table<'a>(
    title: &str,
    models: impl Iterator<Item = &'a (String, Model)>,
    ask: impl Fn(&Model, &Options) -> PropertyResult,
) {
    println!("\n## {title}\n\n| model | alone | together | time |\n|---|---|---|---|");
    let mut totals = [Total::default(), Total::default()];
    for (name, model) in models {
        let begin = Instant::now();
        let together = ask(model, &Means::new("", Strategy::ALL, RunLimits::default()).options);
        let time = (begin.elapsed() + model.timings.total).as_secs_f64();
        let plain = ask(model, &Means::new("plain", [], RunLimits::NONE).options);
        let alone = if is_decided(&plain) { "*plain*".into() } else { alone(model, &ask) };
        println!("| {name} | {alone} | {} | {} |", told(&together), seconds(time));
        totals[usize::from(!name.starts_with(OWN))].add(is_decided(&together), time);
    }
    for (total, whose) in totals.iter_mut().zip(["this repository", "the collection"]) {
        total.tell(whose);
    }
}

/// How the names of the models of this repository begin.
const OWN: &str = "examples/";

/// What the answers on some models come to.
#[derive(Default)]
struct Total {
    decided: usize,
    times: Vec<f64>,
}

impl Total {
    fn add(&mut self, decided: bool, time: f64) {
        self.decided += usize::from(decided);
        self.times.push(time);
    }

    fn tell(&mut self, whose: &str) {
        self.times.sort_by(f64::total_cmp);
        let count = self.times.len();
        if let (Some(median), Some(longest)) = (self.times.get(count / 2), self.times.last()) {
            println!(
                "\nOf {count} models of {whose}, {} are decided; the median of the times is {}, the longest {}.",
                self.decided,
                seconds(*median),
                seconds(*longest)
            );
        }
    }
}

fn is_decided(result: &PropertyResult) -> bool {
    result.verdict != Verdict::Unknown
}

/// The names of the means that decide a model alone.
fn alone(model: &Model, ask: impl Fn(&Model, &Options) -> PropertyResult) -> String {
    let decide = |means: &Means| is_decided(&ask(model, &means.options));
    let names: Vec<_> = Means::alone().iter().filter(|means| decide(means)).map(|means| means.name).collect();
    if names.is_empty() { "—".into() } else { names.join(", ") }
}

fn bounded(model: &Model, options: &Options) -> PropertyResult {
    let view = check_model(model.clone(), options, Instant::now()).view("");
    view.property_results.into_iter().next().expect("one property was asked for")
}

fn livelock(model: &Model, options: &Options) -> PropertyResult {
    let view = check_livelock(&model.program, &model.abstraction, options).view("", model);
    view.property_results.into_iter().next().expect("one property was asked for")
}

/// The verdict, what acted, and why it is not more.
fn told(result: &PropertyResult) -> String {
    let verdict = match result.verdict {
        Verdict::Proved => "proved",
        Verdict::Refuted => "refuted",
        _ => "unknown",
    };
    let acted: BTreeSet<_> = result.refinement.iter().map(|act| act.strategy.as_str()).collect();
    let acted: Vec<_> = acted.into_iter().collect();
    let acted = if acted.is_empty() { String::new() } else { format!(": {}", acted.join(", ")) };
    // What anyone could do about an unknown verdict comes first, and is the same for all.
    let special =
        |reason: &String| reason.find("A search").map_or(reason.clone(), |at| reason[at..].to_owned());
    // Names of processes may look like links.
    let why = result.reason.as_ref().map(|reason| format!(" ({})", special(reason).replace("](", "] (")));
    let why = why.unwrap_or_default();
    format!("{verdict}{acted}{why}")
}

fn seconds(time: f64) -> String {
    if time < 0.01 { "< 0.01 s".into() } else { format!("{time:.2} s") }
}
