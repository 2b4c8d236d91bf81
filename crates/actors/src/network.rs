//! Networks: actors by name, the roles they play, and how messages travel between them.

use crate::delivery::Delivery;
use crate::explore::{Explore, Explored};
use crate::message::Message;
use crate::role::{Address, Role};

/// Actors, and how messages travel between them.
///
/// ```
/// use freeboard_actors::{Address, Delivery, Message, Network, Out, Role};
///
/// #[derive(Clone, Debug, Message)]
/// enum Ball { Ping, Pong }
///
/// struct Server;
/// impl Role for Server {
///     type State = ();
///     type Message = Ball;
///     type Timer = ();
///     fn start(&self, _: &mut Out<Ball, ()>) {}
///     fn on(&self, _: &mut (), from: Address, _: &Ball, out: &mut Out<Ball, ()>) {
///         out.send(from, Ball::Pong);
///     }
/// }
///
/// struct Client { server: Address }
/// impl Role for Client {
///     type State = ();
///     type Message = Ball;
///     type Timer = ();
///     fn start(&self, out: &mut Out<Ball, ()>) {
///         out.send(self.server, Ball::Ping);
///     }
///     fn on(&self, _: &mut (), from: Address, _: &Ball, out: &mut Out<Ball, ()>) {
///         out.send(from, Ball::Ping);
///     }
/// }
///
/// let mut network = Network::new("ping-pong", Delivery::Mailboxes);
/// let (client, server) = (network.actor("client"), network.actor("server"));
/// network.play(client, Client { server });
/// network.play(server, Server);
/// freeboard::assert_bounded!(network.extract()?.system(), at most 1);
/// # Ok::<(), freeboard_actors::ExtractError>(())
/// ```
pub struct Network<M> {
    pub(crate) name: String,
    pub(crate) delivery: Delivery,
    pub(crate) lossy: bool,
    pub(crate) actors: Vec<Actor<M>>,
}

/// An actor, and the role it plays, once that is known.
pub(crate) struct Actor<M> {
    pub(crate) name: String,
    pub(crate) part: Option<Box<dyn Part<M>>>,
}

/// A role whose states nobody else knows.
pub(crate) trait Part<M>: Send + Sync {
    fn explore(&self) -> Box<dyn Explore<M> + '_>;
    #[cfg(feature = "tokio")]
    fn live(self: Box<Self>) -> Box<dyn crate::playing::Live<M>>;
}

impl<R: Role> Part<R::Message> for R {
    fn explore(&self) -> Box<dyn Explore<R::Message> + '_> {
        Box::new(Explored::new(self))
    }

    #[cfg(feature = "tokio")]
    fn live(self: Box<Self>) -> Box<dyn crate::playing::Live<R::Message>> {
        Box::new(crate::playing::Playing::new(*self))
    }
}

impl<M: Message> Network<M> {
    /// A network without actors.
    #[must_use]
    pub fn new(name: impl Into<String>, delivery: Delivery) -> Self {
        Self { name: name.into(), delivery, lossy: false, actors: Vec::new() }
    }

    /// Lets messages be lost.
    #[must_use]
    pub const fn lossy(mut self) -> Self {
        self.lossy = true;
        self
    }

    /// The actor of this name; a new one plays no role until [`play`](Self::play) gives it one.
    pub fn actor(&mut self, name: &str) -> Address {
        let known = self.actors.iter().position(|actor| actor.name == name);
        let at = known.unwrap_or_else(|| {
            self.actors.push(Actor { name: name.into(), part: None });
            self.actors.len() - 1
        });
        Address(at)
    }

    /// The names of the actors, in the order of their addresses.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.actors.iter().map(|actor| actor.name.as_str())
    }

    /// Gives an actor its role; a former one is gone.
    ///
    /// # Panics
    /// If the actor is one of another network.
    pub fn play<R: Role<Message = M>>(&mut self, actor: Address, role: R) -> &mut Self {
        self.actors[actor.0].part = Some(Box::new(role));
        self
    }
}
