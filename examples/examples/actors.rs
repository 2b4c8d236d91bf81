//! Actors with unbounded queues between them, and the proof that these stay short.
//!
//! The actors are threads here, and the queues those of the standard library; with tokio or
//! crossbeam the loops look the same. Beside each loop stands its description: what it waits for,
//! what it sends, in which order. A test proves the bounds of all queues from the descriptions,
//! whatever the scheduling. `cargo run --example actors`

use std::error::Error;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use freeboard::assert_bounded;
use freeboard::cfsm_core::system::{Defect, System, SystemBuilder};

fn main() -> Result<(), Box<dyn Error>> {
    println!("the sum of all squares is {}", run(100));
    assert_bounded!(&described()?, at most 6);
    println!("no queue ever holds more than 6 messages");
    Ok(())
}

/// What goes to the dispatcher.
enum Event {
    /// A worker wants something to do; where to send it.
    Ready(Sender<Job>),
    /// A worker is done.
    Square(u64),
}

/// What goes to a worker.
enum Job {
    Number(u64),
    Stop,
}

/// A worker asks for a number, squares it, and asks again.
fn worker(events: &Sender<Event>) {
    let (own, jobs) = channel();
    while events.send(Event::Ready(own.clone())).is_ok() {
        let Ok(Job::Number(number)) = jobs.recv() else { return };
        if events.send(Event::Square(number * number)).is_err() {
            return;
        }
    }
}

/// The dispatcher gives a number to whoever asks, as long as there are numbers, and adds up what
/// comes back.
fn dispatcher(events: &Receiver<Event>, numbers: u64, workers: usize) -> u64 {
    let (mut next, mut sum, mut stopped) = (1, 0, 0);
    while stopped < workers {
        match events.recv() {
            Ok(Event::Ready(worker)) if next <= numbers => {
                let _ = worker.send(Job::Number(next));
                next += 1;
            }
            Ok(Event::Ready(worker)) => {
                let _ = worker.send(Job::Stop);
                stopped += 1;
            }
            Ok(Event::Square(square)) => sum += square,
            Err(_) => return sum,
        }
    }
    sum
}

/// Runs the actors.
pub fn run(numbers: u64) -> u64 {
    let (sender, events) = channel();
    let workers: Vec<_> = (0..WORKERS)
        .map(|_| {
            let sender = sender.clone();
            thread::spawn(move || worker(&sender))
        })
        .collect();
    drop(sender);
    let sum = dispatcher(&events, numbers, workers.len());
    workers.into_iter().for_each(|worker| drop(worker.join()));
    sum
}

const WORKERS: u32 = 3;

/// The same as machines: one state for each place where a loop waits, one transition for each
/// message that it sends or takes. Data is left out; where it decides, both ways are there. Each
/// worker has a queue of its own, and a `Ready` carries it, so there is one for each worker.
///
/// A worker may have a square and its next question on the way, so `events` holds up to 2 for each.
/// That it holds no more is due to its order: the dispatcher cannot answer questions for ever and
/// leave the squares where they are.
pub fn described() -> Result<System, Defect> {
    let mut b = SystemBuilder::new("squares");
    let square = b.message("events", "Square");
    let dispatcher = b.class("dispatcher", 1).receive("loop", square, "loop").id();
    for worker in 0..WORKERS {
        let ready = b.message("events", &format!("Ready {worker}"));
        let jobs = format!("jobs {worker}");
        let (number, stop) = (b.message(&jobs, "Number"), b.message(&jobs, "Stop"));
        b.class(&format!("worker {worker}"), 1)
            .send("loop", ready, "asked")
            .receive("asked", number, "busy")
            .receive("asked", stop, "done")
            .send("busy", square, "loop");
        let answers = format!("answers {worker}");
        b.class_again(dispatcher)
            .receive("loop", ready, &answers)
            .send(&answers, number, "loop")
            .send(&answers, stop, "loop");
    }
    b.build()
}

/// What the loops would be if workers did not wait for a job before they ask again: a queue grows.
pub fn impatient() -> Result<System, Defect> {
    let mut b = SystemBuilder::new("impatient");
    let (ready, number) = (b.message("events", "Ready"), b.message("jobs", "Number"));
    b.class("worker", 1).send("loop", ready, "loop").receive("loop", number, "loop");
    b.class("dispatcher", 1).receive("loop", ready, "answers").send("answers", number, "loop");
    b.build()
}
