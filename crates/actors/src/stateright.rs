//! Actors of stateright as roles.

use std::borrow::Cow;
use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};

use stateright::actor::{Actor, Command, Id, Out as Commands};

use crate::message::Message;
use crate::role::{Address, Out, Role};

/// An actor of stateright, played as a role. Its position in the network is its id.
///
/// Its volatile state is its local state; a crash is no step of it. A random choice is a timer
/// for each of its values.
#[derive(Clone, Debug)]
pub struct ActorRole<A> {
    /// The actor.
    pub actor: A,
    /// The address that it has in the network.
    pub own: Address,
}

/// A message of an actor of stateright; its label is all of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Labelled<M>(pub M);

impl<M: Clone + Debug + Send + 'static> Message for Labelled<M> {
    fn label(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// A timer of an actor of stateright, or a value that it may choose.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ActorTimer<T, R> {
    /// A timer.
    Timer(T),
    /// A value of a random choice.
    Random {
        /// The name of the choice.
        key: String,
        /// The value.
        value: R,
    },
}

/// A local state; stateright asks for equality that need not be reflexive.
pub struct ActorState<A: Actor> {
    /// The state of the actor.
    pub state: A::State,
    /// The values that are still to choose from, by key.
    choices: Vec<Choice<A::Random>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Choice<R> {
    key: String,
    values: Vec<R>,
}

impl<A: Actor> Clone for ActorState<A> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), choices: self.choices.clone() }
    }
}

impl<A: Actor> PartialEq for ActorState<A> {
    fn eq(&self, other: &Self) -> bool {
        self.state == other.state && self.choices == other.choices
    }
}

impl<A: Actor> Eq for ActorState<A> {}

impl<A: Actor> Hash for ActorState<A> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
        self.choices.hash(hasher);
    }
}

impl<A: Actor> Debug for ActorState<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.state.fmt(f)
    }
}

type Effects<A> = Out<Labelled<<A as Actor>::Msg>, ActorTimer<<A as Actor>::Timer, <A as Actor>::Random>>;

/// The id of an address, and the address of an id.
fn id(address: Address) -> Id {
    Id::from(address.0)
}

impl<A> ActorRole<A>
where
    A: Actor,
    A::Msg: Send + 'static,
{
    fn carry_out(&self, commands: Commands<A>, state: &mut ActorState<A>, out: &mut Effects<A>) {
        for command in commands {
            match command {
                Command::Send(to, message) => out.send(Address(usize::from(to)), Labelled(message)),
                Command::SetTimer(timer, range) => out.arm(ActorTimer::Timer(timer), range.start),
                Command::CancelTimer(timer) => out.disarm(ActorTimer::Timer(timer)),
                Command::ChooseRandom(key, values) => {
                    forget(&key, state, out);
                    for value in values.clone() {
                        let key = key.clone();
                        out.arm(ActorTimer::Random { key, value }, std::time::Duration::ZERO);
                    }
                    state.choices.push(Choice { key, values });
                    state.choices.sort_by(|one, other| one.key.cmp(&other.key));
                }
                Command::Save(_) => {}
            }
        }
    }

    /// A step of the actor, and its commands.
    fn step(
        &self,
        state: &mut ActorState<A>,
        out: &mut Effects<A>,
        act: impl FnOnce(&A, &mut Cow<'_, A::State>, &mut Commands<A>),
    ) {
        let mut commands = Commands::new();
        let mut next = Cow::Borrowed(&state.state);
        act(&self.actor, &mut next, &mut commands);
        if let Cow::Owned(next) = next {
            state.state = next;
        }
        self.carry_out(commands, state, out);
    }
}

/// Takes back a choice that has not been made.
fn forget<A: Actor>(key: &str, state: &mut ActorState<A>, out: &mut Effects<A>) {
    let Some(at) = state.choices.iter().position(|choice| choice.key == key) else { return };
    let Choice { key, values } = state.choices.remove(at);
    for value in values {
        out.disarm(ActorTimer::Random { key: key.clone(), value });
    }
}

impl<A> Role for ActorRole<A>
where
    A: Actor + Send + Sync + 'static,
    A::Msg: Send + 'static,
    A::State: Send,
    A::Timer: Send,
    A::Random: Send,
{
    type State = ActorState<A>;
    type Message = Labelled<A::Msg>;
    type Timer = ActorTimer<A::Timer, A::Random>;

    fn start(&self, out: &mut Effects<A>) -> ActorState<A> {
        let mut commands = Commands::new();
        let state = self.actor.on_start(id(self.own), &None, &mut commands);
        let mut state = ActorState { state, choices: Vec::new() };
        self.carry_out(commands, &mut state, out);
        state
    }

    fn on(&self, state: &mut ActorState<A>, from: Address, message: &Labelled<A::Msg>, out: &mut Effects<A>) {
        self.step(state, out, |actor, state, commands| {
            actor.on_msg(id(self.own), state, id(from), message.0.clone(), commands);
        });
    }

    fn on_timer(&self, state: &mut ActorState<A>, timer: &Self::Timer, out: &mut Effects<A>) {
        match timer {
            ActorTimer::Timer(timer) => self.step(state, out, |actor, state, commands| {
                actor.on_timeout(id(self.own), state, timer, commands);
            }),
            ActorTimer::Random { key, value } => {
                forget(key, state, out);
                self.step(state, out, |actor, state, commands| {
                    actor.on_random(id(self.own), state, value, commands);
                });
            }
        }
    }
}
