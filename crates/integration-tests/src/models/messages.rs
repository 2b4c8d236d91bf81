//! Who sends what into which channel.

use super::Model;

/// Boundedness that is not easily seen: the structure of thesis Fig. 5.2, with its known bounds.
pub const TWO_PROCESSES: Model = Model {
    name: "two processes",
    text: "mtype = { jam, bread, bell };
chan AB = [$AB] of { mtype };
chan BA = [$BA] of { mtype };
active proctype Kitchen() {
  if
  :: BA?bell; AB!bread; AB!bread
  :: BA?bell; AB!bread; AB!bread; AB!bread; AB!bread; AB!bread; goto late
  fi;
early:
  BA?bell; AB!jam; AB!jam; AB!bread;
late:
  BA?bell; AB!jam; AB!jam; goto early
}
active proctype Table() {
  BA!bell; BA!bell;
  do
  :: AB?jam; AB?bread; BA!bell
  od
}
",
    bounds: &[("AB", Some(13)), ("BA", Some(4))],
};

/// The alternating bit protocol with a sender that does not wait, and permissions to acknowledge.
pub const FREE_SENDER: Model = Model {
    name: "free sender",
    text: "mtype = { data, ack };
chan wire = [$wire] of { mtype, bit };
chan back = [$back] of { mtype, bit };
chan grant = [$grant] of { bit };
active proctype Sender() {
  bit s;
  do
  :: wire!data(s)
  :: back?ack(eval(s)) -> s = 1 - s; grant!1
  :: back?ack(eval(1 - s)) -> grant!1
  od
}
active proctype Receiver() {
  bit expected, got;
  back!ack(1);
  do
  :: wire?data(got) -> if :: got == expected -> expected = 1 - expected :: else fi
  :: grant?_ -> back!ack(1 - expected)
  od
}
",
    bounds: &[("wire", None), ("back", Some(1)), ("grant", Some(1))],
};

/// Constants tell messages apart: nobody ever says `shave`.
pub const KINDS_ASKED_FOR: Model = Model {
    name: "kinds that are asked for",
    text: "mtype = { shave, cut, done, coin };
chan door = [$door] of { mtype };
chan chair = [$chair] of { mtype };
chan tips = [$tips] of { mtype };
active proctype Guest() { do :: door!cut; chair?done od }
active proctype Barber() { do :: door?shave -> tips!coin; chair!done od }
",
    bounds: &[("door", Some(1)), ("chair", Some(0)), ("tips", Some(0))],
};

/// The same, but the barber does not listen.
pub const KINDS_NOT_ASKED_FOR: Model = Model {
    name: "kinds that are not asked for",
    text: "mtype = { shave, cut, done, coin };
chan door = [$door] of { mtype };
chan chair = [$chair] of { mtype };
chan tips = [$tips] of { mtype };
active proctype Guest() { do :: door!cut; chair?done od }
active proctype Barber() { mtype wish; do :: door?wish -> tips!coin; chair!done od }
",
    bounds: &[("door", Some(1)), ("chair", Some(1)), ("tips", None)],
};

/// One process type with different channels: from two messages to eight.
pub const DOUBLERS: Model = Model {
    name: "doublers",
    text: "chan A = [$A] of { byte };
chan B = [$B] of { byte };
chan C = [$C] of { byte };
proctype Doubler(chan from; chan onto) {
  byte x;
  do
  :: from?x -> onto!x; onto!x
  od
}
init { A!1; A!2; run Doubler(A, B); run Doubler(B, C) }
",
    bounds: &[("A", Some(2)), ("B", Some(4)), ("C", Some(8))],
};

/// An assignment before a loop: the other channel has nothing to do with it.
pub const ASSIGNED_BEFORE: Model = Model {
    name: "channel assigned before a loop",
    text: "chan A = [$A] of { byte };
chan B = [$B] of { byte };
active proctype P() {
  chan c = A;
  c = B;
  do
  :: c!1; B?_
  od
}
",
    bounds: &[("A", Some(0)), ("B", Some(1))],
};

/// An assignment behind a loop.
pub const ASSIGNED_BEHIND: Model = Model {
    name: "channel assigned behind a loop",
    text: "chan A = [$A] of { byte };
chan B = [$B] of { byte };
active proctype P() {
  chan c = A;
  do
  :: c!1; A?_
  :: break
  od;
  c = B;
  c!2
}
",
    bounds: &[("A", Some(1)), ("B", Some(1))],
};

/// An assignment inside a loop: which channel it is is not known.
pub const ASSIGNED_INSIDE: Model = Model {
    name: "channel assigned inside a loop",
    text: "chan A = [$A] of { byte };
chan B = [$B] of { byte };
active proctype P() {
  chan c = A;
  do
  :: c!1
  :: A?_; c = B
  od
}
",
    bounds: &[("A", None), ("B", None)],
};

/// Elements of an array of channels, by constants.
pub const KNOWN_INDEX: Model = Model {
    name: "known index",
    text: "#define N 3
chan q[N] = [$q] of { byte };
active proctype P() { do :: q[1]!0; q[N - 2]?_ od }
active proctype Q() { q[2]!1; q[2]!1; do :: q[2]?_ -> q[0]!1 od }
",
    bounds: &[("q[0]", Some(2)), ("q[1]", Some(1)), ("q[2]", Some(2))],
};

/// Elements of an array of channels, by a variable: what is in them altogether is known.
pub const UNKNOWN_INDEX: Model = Model {
    name: "unknown index",
    text: "chan q[3] = [$q] of { byte };
active proctype P() {
  byte i;
  do
  :: i = 0
  :: i = 2
  :: q[i]!1; q[i]?_
  od
}
",
    bounds: &[("q[0]", Some(1)), ("q[1]", Some(0)), ("q[2]", Some(1))],
};

/// A channel that travels in a message, and one that each instance has for itself.
pub const OWN_CHANNEL: Model = Model {
    name: "own channels",
    text: "chan desk = [$desk] of { chan };
active [2] proctype Guest() {
  chan mine = [$mine] of { byte };
  do
  :: desk!mine; mine?_
  od
}
active proctype Clerk() { chan theirs; do :: desk?theirs -> theirs!1 od }
",
    bounds: &[("desk", Some(2)), ("Guest[*].mine", Some(2))],
};
