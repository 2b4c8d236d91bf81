//! The capsule model to a program: a process for each instance, a channel for each end port or for
//! each thread.
//!
//! docs/reference/umlrt.md says what capsules mean, docs/soundness/umlrt.md why every run of a
//! system of capsules is a run of its program.

mod chain;
mod channels;
mod code;
mod graph;
mod history;
mod process;
mod reaction;
mod timer;
mod value;

use std::collections::BTreeMap;

use cfsm_core::diagnostic::Diagnostic;
use cfsm_core::program::{Initial, LocationId, ProcessTypeId, Program};

use crate::model::{
    Block, CapsuleSystem, Class, InstanceId, Machine, MessageId, Peer, PortId, Role, Send, Step, Thread,
};
use crate::options::Options;
use channels::{Channels, role};
use process::Process;

pub use channels::{Inbox, PortKey};
pub use history::Configuration;
pub use process::Stable;

/// The program of a system, with the ways back to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// The process types of instances that have a process.
    pub processes: BTreeMap<InstanceId, ProcessTypeId>,
    /// The stable locations of each such process, with the situation that each stands for.
    pub stable: BTreeMap<InstanceId, BTreeMap<LocationId, Stable>>,
    /// The queues of end ports.
    pub inboxes: BTreeMap<PortKey, Inbox>,
    /// Errors and warnings that the meaning of the system brings up.
    pub diagnostics: Vec<Diagnostic>,
}

/// Makes the program of a system. The sources are left to be set. Time linear in the program, whose
/// size is that of the code times the number of configurations of each machine.
#[must_use]
pub fn lower(system: &CapsuleSystem, options: &Options) -> Lowered {
    let channels = all_channels(system);
    let mut lowered = Lowered::default();
    let mut diagnostics = Vec::new();
    for (id, _) in system.instances.iter() {
        if !has_process(system, &channels, id) {
            continue;
        }
        for unfolded in [true, false] {
            let mut found = Vec::new();
            let mut process = Process::new(system, &channels, options, &mut found, id, unfolded);
            let Some(entry) = process.build() else { continue };
            let Process { graph, stable, .. } = process;
            let back = stable.into_iter().map(|(stable, at)| (at, stable)).collect();
            lowered.stable.insert(id, back);
            let ty = lowered.program.types.push(graph.finish(entry));
            lowered.processes.insert(id, ty);
            diagnostics.extend(found);
            break;
        }
    }
    let drained = if options.drained { timer::queues(&channels) } else { Vec::new() };
    for &key in channels.timers.keys() {
        let wanted = timer::Service { system, channels: &channels, key, drained: drained.clone() };
        if let Some(service) = timer::service(&wanted) {
            lowered.program.types.push(service);
        }
    }
    let initial = |process_type| Initial { process_type, count: 1 };
    lowered.program.initial = lowered.program.types.ids().map(initial).collect();
    let Channels { globals, symbols, by_port, .. } = channels;
    lowered.program.globals = globals;
    lowered.program.symbols = symbols;
    lowered.program.assumptions = assumptions(system, options);
    lowered.program.livelock_assumptions =
        vec!["all action code comes to an end: loops in it that send nothing are not looked at".into()];
    lowered.inboxes = by_port;
    lowered.diagnostics = diagnostics;
    lowered
}

/// The assumptions about runs that the program stands for.
fn assumptions(system: &CapsuleSystem, options: &Options) -> Vec<String> {
    let drained = options.drained.then(|| {
        "all queues of messages are empty whenever a timer fires (queues-drain-between-timeouts)".into()
    });
    let polling = system.threads.values().filter(|thread| thread.polls).filter_map(|thread| {
        let Thread { name, pool, .. } = thread;
        let pool = (*pool)?;
        Some(format!(
            "of the {pool} messages that `{name}` has room for, one is its own, which it polls with"
        ))
    });
    let any = system.threads.is_empty() && system.instances.len() > 1;
    let any = any.then(|| {
        "instances are on any threads: a proof holds for every assignment, a run that is shown for some \
         (check the mapping, `.etmap`, to have your own)"
            .into()
    });
    let fits = (!system.threads.is_empty())
        .then(|| "every message fits into one block of its thread (`msgblocksize`)".into());
    let optional = system.instances.values().any(|instance| instance.optional && instance.thread.is_some());
    let optional =
        optional.then(|| "optional actors are on the threads that the mapping gives their places".into());
    any.into_iter().chain(drained).chain(polling).chain(fits).chain(optional).collect()
}

/// The channels of all end ports that somebody is wired to.
fn all_channels(system: &CapsuleSystem) -> Channels {
    let mut channels = Channels::default();
    for (instance, known) in system.instances.iter() {
        for (class, peers) in known.peers.iter().enumerate() {
            for (port, peers) in peers.iter() {
                let key = PortKey { instance, class, port };
                let own = &system.classes[known.classes[class]];
                if role(system, key) == Role::Timers {
                    channels.add(system, key);
                    channels.add_timer(system, key, false);
                }
                if peers.is_empty() {
                    continue;
                }
                let served = peers.iter().all(|peer| {
                    let other = system.instances[peer.instance].classes[peer.class];
                    is_library(&system.classes[other])
                });
                let receives = own.received(system, port).next().is_some();
                match role(system, key) {
                    Role::Data | Role::Timers => {}
                    Role::Timer if is_library(own) => {}
                    Role::Timer if served => {
                        channels.add(system, key);
                        let stops = sends_of(own)
                            .iter()
                            .any(|sent| sent.port == port && is_stop(system, own, sent.message, port));
                        channels.add_timer(system, key, stops);
                    }
                    Role::Timer | Role::Messages if receives => channels.add(system, key),
                    Role::Timer | Role::Messages => {}
                }
            }
        }
    }
    channels.name_messages();
    for (id, instance) in system.instances.iter() {
        // Only a process can tell that it has gone.
        if instance.is_followed(system) && has_process(system, &channels, id) {
            channels.add_created(system, id);
        }
    }
    channels
}

/// True if a class is the library's service of timers: it has no behaviour of its own.
fn is_library(class: &Class) -> bool {
    class.machine.is_none() && class.background.is_empty()
}

fn is_stop(system: &CapsuleSystem, class: &Class, message: MessageId, port: PortId) -> bool {
    system.protocols[class.ports[port].protocol].messages[message].name == "kill"
}

/// True if an instance does anything: it has a machine, code outside it, messages to drop, or peers
/// that are to be told when it comes.
fn has_process(system: &CapsuleSystem, channels: &Channels, id: InstanceId) -> bool {
    let instance = &system.instances[id];
    instance.classes.iter().enumerate().any(|(position, &class)| {
        let class = &system.classes[class];
        let receives = |port| channels.by_port.contains_key(&PortKey { instance: id, class: position, port });
        let tells = |peer: &Peer| {
            let other = &system.classes[system.instances[peer.instance].classes[peer.class]];
            other.ports[peer.port].notified
        };
        !is_library(class)
            || class.ports.ids().any(receives)
            || instance.peers[position].values().flatten().any(tells)
    })
}

/// All sends in the code of a class.
fn sends_of(class: &Class) -> Vec<&Send> {
    let mut all = Vec::new();
    let machine = class.machine.iter().flat_map(Machine::blocks);
    for block in machine.chain([&class.background]) {
        collect(block, &mut all);
    }
    all
}

fn collect<'b>(block: &'b Block, all: &mut Vec<&'b Send>) {
    for step in block {
        if let Step::Send(send) = step {
            all.push(send);
        }
        step.blocks().into_iter().for_each(|block| collect(block, all));
    }
}
