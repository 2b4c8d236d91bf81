//! What statements mean.

use super::Model;

/// A rendezvous paces a sender; an instance may send its two once for each of three ticks.
pub const PACED: Model = Model {
    name: "paced by a rendezvous",
    text: "chan tick = [0] of { bit };
chan work = [$work] of { byte };
active proctype Clock() { tick!1; tick!0; tick!1 }
active [2] proctype Worker() { do :: tick?1 -> work!1; work!2 :: tick?0 od }
",
    bounds: &[("work", Some(4))],
};

/// Several instances of a type.
pub const WORKERS: Model = Model {
    name: "several instances",
    text: "chan ask = [$ask] of { byte };
chan answer = [$answer] of { byte };
active [3] proctype Client() { do :: ask!_pid; answer?_ od }
active [2] proctype Server() { byte who; do :: ask?who -> answer!who od }
",
    bounds: &[("ask", Some(3)), ("answer", Some(3))],
};

/// Processes created in a loop, each of which sends once.
pub const CREATED_FOR_EVER: Model = Model {
    name: "created for ever",
    text: "chan once = [$once] of { byte };
chan other = [$other] of { byte };
proctype Child() { once!1 }
active proctype Parent() {
  other!1;
  do
  :: run Child()
  od
}
",
    bounds: &[("once", None), ("other", Some(1))],
};

/// Processes created in a loop, each for a token of which there are two.
pub const CREATED_FOR_TOKENS: Model = Model {
    name: "created for tokens",
    text: "chan token = [$token] of { bit };
chan out = [$out] of { byte };
proctype Child() { out!1; out!2 }
active proctype Parent() { do :: token?_ -> run Child() od }
init { token!1; token!0 }
",
    bounds: &[("token", Some(2)), ("out", Some(4))],
};

/// Atomic and deterministic sequences.
pub const ATOMIC_RELAY: Model = Model {
    name: "atomic relay",
    text: "chan A = [$A] of { byte };
chan B = [$B] of { byte };
active proctype Relay() {
  byte x, y;
  do
  :: atomic { A?x -> B!x; B!x }
  :: d_step { B?x -> B?y; A!x }
  od
}
active proctype Source() { A!1; atomic { A!2; A!3 } }
",
    bounds: &[("A", Some(3)), ("B", Some(6))],
};

/// Macros within macros, over several lines, and empty.
pub const MACROS: Model = Model {
    name: "macros",
    text: "#define KINDS ping, pong
#define SAY up!ping
#define TWICE SAY; \\
  SAY
#define NOTHING
mtype = { KINDS };
chan up = [$up] of { mtype };
chan down = [$down] of { mtype };
active proctype Upper() { NOTHING TWICE; do :: down?ping -> SAY od }
active proctype Lower() { do :: up?ping -> down!ping :: up?pong -> down!pong; down!pong od }
",
    bounds: &[("up", Some(2)), ("down", Some(2))],
};

/// The values of symbolic variables decide what is sent: never blue.
pub const SYMBOLS_IN_VARIABLES: Model = Model {
    name: "symbols in variables",
    text: "mtype = { red, green, blue };
chan lamp = [$lamp] of { mtype };
chan seen = [$seen] of { mtype };
chan alarm = [$alarm] of { mtype };
mtype colour = red;
active proctype Switch() {
  do
  :: colour = red
  :: colour = green
  :: lamp!colour; seen?_
  od
}
active proctype Watch() {
  do
  :: lamp?red -> seen!red
  :: lamp?green -> seen!green
  :: lamp?blue -> alarm!blue; seen!blue
  od
}
",
    bounds: &[("lamp", Some(1)), ("seen", Some(1)), ("alarm", Some(0))],
};

/// A byte that passes 255, and a branch that is never taken.
pub const WRAPPED: Model = Model {
    name: "wrapped around",
    text: "chan zero = [$zero] of { byte };
chan other = [$other] of { byte };
active proctype P() {
  byte x = 255;
  x++;
  do
  :: x == 0 -> zero!1; zero?_
  :: x == 256 -> other!1
  od
}
",
    bounds: &[("zero", Some(1)), ("other", Some(0))],
};

/// A variable declared in a loop, which is new in each round.
pub const FRESH_LOCALS: Model = Model {
    name: "fresh locals",
    text: "chan fresh = [$fresh] of { byte };
chan stale = [$stale] of { byte };
active proctype P() {
  byte n;
  do
  :: n < 3 ->
     byte x = 7;
     if
     :: x == 7 -> fresh!1
     :: x == 8 -> stale!1
     fi;
     fresh?_;
     x = 8;
     n++
  od
}
",
    bounds: &[("fresh", Some(1)), ("stale", Some(0))],
};

/// Receives that look ahead or only ask, and a sorted send.
pub const ODD_RECEIVES: Model = Model {
    name: "odd receives",
    text: "chan in = [$in] of { byte, bit };
chan out = [$out] of { byte };
active proctype P() {
  byte x;
  do
  :: in??3, 1 -> out!3
  :: in?[2, 0] -> in?2, 0; out!!2
  :: in??[1, 0] -> in??1, 0
  :: len(out) == 2 -> out?x
  od
}
active proctype Q() { in!!3, 1; in!2, 0; in!!1, 0 }
",
    bounds: &[("in", Some(3)), ("out", Some(2))],
};

/// Loops made of jumps, and breaks.
pub const JUMPS: Model = Model {
    name: "jumps",
    text: "chan A = [$A] of { byte };
chan B = [$B] of { byte };
active proctype P() {
  A!0;
again:
  if
  :: B?1 -> goto again
  :: B?2 -> A!1; goto done
  :: goto out
  fi;
done:
  do
  :: A!2; break
  od;
out:
  skip
}
active proctype Q() { do :: A?0 -> B!1; B!2 :: A?1 -> break od; B!3 }
",
    bounds: &[("A", Some(2)), ("B", Some(2))],
};

/// `else` and `timeout`.
pub const ELSE_AND_TIMEOUT: Model = Model {
    name: "else and timeout",
    text: "chan job = [$job] of { byte };
chan idle = [$idle] of { bit };
active proctype Worker() {
  byte x;
  do
  :: job?x; if :: x == 1 -> job!2 :: else -> idle!1 fi
  od
}
active proctype Boss() {
  job!1;
  if
  :: timeout -> job!3
  fi;
  timeout;
  idle?_
}
",
    bounds: &[("job", Some(2)), ("idle", Some(2))],
};

/// Escapes, and a loop over numbers.
pub const ESCAPES: Model = Model {
    name: "escapes",
    text: "chan job = [$job] of { byte };
chan stop = [$stop] of { bit };
active proctype Worker() {
  byte x;
  { do
    :: job?x; x = 0; job!1
    od
  } unless { stop?_ -> job!2 }
}
active proctype Boss() {
  byte i;
  job!1;
  for (i : 0 .. 1) { skip }
  if
  :: i == 9 -> stop!1; stop!1
  :: else -> stop!0
  fi
}
",
    bounds: &[("job", Some(2)), ("stop", Some(1))],
};

/// Receives that leave the message where it is.
pub const COPIES: Model = Model {
    name: "copies",
    text: "chan in = [$in] of { byte };
chan out = [$out] of { byte };
active proctype P() {
  byte x;
  in!3;
  in!4;
  do
  :: in?<x>
  :: in??<4> -> x = 0; in?3; out!3
  od
}
",
    bounds: &[("in", Some(2)), ("out", Some(1))],
};

/// Macros with arguments and by condition, and an inline.
pub const INLINES: Model = Model {
    name: "inlines",
    text: "#define SEND(c, m) c!m
#ifdef LOUD
#define EXTRA SEND(up, ping);
#else
#define EXTRA
#endif
mtype = { ping, pong };
chan up = [$up] of { mtype };
chan down = [$down] of { mtype };
inline exchange(from, onto, kind) {
  from?kind;
  onto!kind
}
active proctype Upper() { EXTRA SEND(up, ping); SEND(up, ping); do :: exchange(down, up, ping) od }
active proctype Lower() { do :: exchange(up, down, ping) :: up?pong -> SEND(down, pong); SEND(down, pong) od }
",
    bounds: &[("up", Some(2)), ("down", Some(2))],
};

/// What others write into globals, channel variables among them.
pub const GLOBALS: Model = Model {
    name: "globals",
    text: "chan A = [$A] of { byte };
chan B = [$B] of { byte };
chan C = [$C] of { byte };
byte flag;
chan current;
active proctype Setter() { current = A; flag = 1; current = B; flag = 2; flag = 7 }
active proctype P() {
  flag == 1 -> current!1;
  do
  :: flag == 2 -> current!2; B?2
  :: flag == 3 -> C!3
  :: flag == 7 -> break
  od
}
",
    bounds: &[("A", Some(2)), ("B", Some(2)), ("C", Some(0))],
};

/// What a variable receives may come from several senders.
pub const SENDERS: Model = Model {
    name: "senders",
    text: "chan in = [$in] of { byte };
chan one = [$one] of { bit };
chan two = [$two] of { bit };
chan three = [$three] of { bit };
active proctype S() { in!1 }
active proctype T() { in!2 }
active proctype R() {
  byte x;
  do
  :: in?x ->
     if
     :: x == 1 -> one!1
     :: x == 2 -> two!1
     :: x == 3 -> three!1
     fi
  od
}
",
    bounds: &[("in", Some(2)), ("one", Some(2)), ("two", Some(2)), ("three", Some(0))],
};

/// An element of an array of numbers, by an index that is not known: changed, or not.
pub const NUMBERS_BY_INDEX: Model = Model {
    name: "numbers by index",
    text: "chan old = [$old] of { byte };
chan new = [$new] of { byte };
chan other = [$other] of { byte };
active proctype P() {
  byte a[3], i;
  if
  :: i = 0
  :: i = 2
  fi;
  a[i] = 5;
  a[1] = 6;
  if
  :: a[0] == 0 && a[1] == 6 -> old!a[i]
  :: a[0] == 5 -> new!1
  :: a[0] == 6 || a[1] == 0 -> other!1
  fi
}
",
    bounds: &[("old", Some(1)), ("new", Some(1)), ("other", Some(0))],
};

/// What instances of the same type write behind one another's back.
pub const SIBLINGS: Model = Model {
    name: "siblings",
    text: "chan odd = [$odd] of { byte };
byte turn;
active [2] proctype P() {
  turn == 0 -> turn = 1; turn = 2;
  turn == 1 -> odd!1
}
",
    bounds: &[("odd", Some(2))],
};
