//! Families of Promela models whose states are looked at one by one: each of another kind, and with
//! a number of states that the size sets. Searches are measured on them, beside Spin's verifier.

/// What a model is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// So many processes in a ring elect a leader: each drops numbers smaller than its own. Arrays
    /// of channels, created processes.
    Election,
    /// A sliding window of a size over two channels that lose messages. Arrays of bits, messages of
    /// two fields.
    Window,
    /// So many philosophers, with forks in an array. No channels, and a deadlock.
    Philosophers,
    /// A pipeline of so many cells sorts numbers that arrive in any order. Channels of bytes.
    Sorting,
    /// A server with so many channels creates a worker for each request that comes; workers end.
    /// Queues of processes.
    Workers,
    /// So many processes take tickets and wait for their turn. `atomic` and `d_step`, few small
    /// variables.
    Tickets,
    /// So many traders pass goods on by rendezvous.
    Exchange,
    /// So many processes send to themselves in a `d_step`, and receive from one another in an
    /// `atomic`. Most states lie inside of it.
    Mailboxes,
    /// A producer and a consumer with two channels of so many messages, each of four fields of all
    /// widths.
    Records,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Election,
        Self::Window,
        Self::Philosophers,
        Self::Sorting,
        Self::Workers,
        Self::Tickets,
        Self::Exchange,
        Self::Mailboxes,
        Self::Records,
    ];

    /// Its name, in one word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Election => "election",
            Self::Window => "window",
            Self::Philosophers => "philosophers",
            Self::Sorting => "sorting",
            Self::Workers => "workers",
            Self::Tickets => "tickets",
            Self::Exchange => "exchange",
            Self::Mailboxes => "mailboxes",
            Self::Records => "records",
        }
    }

    /// A size with some hundred thousand to some million states.
    #[must_use]
    pub const fn usual_size(self) -> usize {
        match self {
            Self::Election => 8,
            Self::Window => 3,
            Self::Philosophers => 5,
            Self::Sorting => 5,
            Self::Workers => 5,
            Self::Tickets => 7,
            Self::Exchange => 4,
            Self::Mailboxes => 3,
            Self::Records => 2,
        }
    }

    /// The model of a size of at least 2.
    #[must_use]
    pub fn text(self, size: usize) -> String {
        let text = match self {
            Self::Election => ELECTION,
            Self::Window => WINDOW,
            Self::Philosophers => PHILOSOPHERS,
            Self::Sorting => SORTING,
            Self::Workers => WORKERS,
            Self::Tickets => TICKETS,
            Self::Exchange => EXCHANGE,
            Self::Mailboxes => MAILBOXES,
            Self::Records => RECORDS,
        };
        format!("#define N {size}\n{text}")
    }
}

const ELECTION: &str = "
mtype = { candidate, elected };
chan link[N] = [2] of { mtype, byte };
byte leaders;

proctype Station(byte place; byte mine) {
    byte other, leader;
    bool silent;
    link[(place + 1) % N]!candidate,mine;
    do
    :: link[place]?candidate,other ->
       if
       :: other > mine -> silent = true; link[(place + 1) % N]!candidate,other
       :: other < mine && silent -> link[(place + 1) % N]!candidate,other
       :: other < mine && !silent -> skip
       :: other == mine -> leaders++; assert(leaders == 1); link[(place + 1) % N]!elected,mine
       fi
    :: link[place]?elected,leader ->
       if
       :: leader != mine -> link[(place + 1) % N]!elected,leader
       :: else -> skip
       fi;
       break
    od
}

init {
    byte i;
    atomic {
        do
        :: i < N -> run Station(i, (i * 3) % N + 1); i++
        :: else -> break
        od
    }
}
";

const WINDOW: &str = "
#define M (2 * N)
chan forth = [N] of { byte, byte };
chan back = [N] of { byte };

active proctype Sender() {
    byte oldest, next, under_way, got, item;
    byte kept[M];
    do
    :: under_way < N ->
       kept[next] = item; forth!next,item;
       item = (item + 1) % 3; next = (next + 1) % M; under_way++
    :: under_way > 0 -> forth!oldest,kept[oldest]
    :: back?got ->
       do
       :: under_way > 0 && (got + M - oldest) % M < under_way ->
          kept[oldest] = 0; oldest = (oldest + 1) % M; under_way--
       :: else -> break
       od
    od
}

active proctype Receiver() {
    byte wanted, number, item;
    bool here[M];
    do
    :: forth?number,item ->
       if
       :: (number + M - wanted) % M < N -> here[number] = true
       :: else -> skip
       fi;
       do
       :: here[wanted] -> here[wanted] = false; wanted = (wanted + 1) % M
       :: else -> break
       od;
       back!(wanted + M - 1) % M
    od
}

active proctype Noise() {
    do
    :: forth?_,_
    :: back?_
    od
}
";

const PHILOSOPHERS: &str = "
bit fork[N];
byte meals;

active [N] proctype Philosopher() {
    byte left, right;
    left = _pid;
    right = (_pid + 1) % N;
    do
    :: fork[left] == 0 -> fork[left] = 1;
       fork[right] == 0 -> fork[right] = 1;
       meals = (meals + 1) % 2;
       fork[right] = 0;
       fork[left] = 0
    od
}
";

const SORTING: &str = "
chan pipe[N + 1] = [2] of { byte };
byte sorted[N];

proctype Cell(byte place) {
    byte kept, new;
    byte expected;
    expected = N - place;
    pipe[place]?kept; expected--;
    do
    :: expected > 0 ->
       pipe[place]?new; expected--;
       if
       :: new > kept -> pipe[place + 1]!kept; kept = new
       :: else -> pipe[place + 1]!new
       fi
    :: else -> break
    od;
    sorted[place] = kept
}

active proctype Source() {
    byte left, i;
    left = N;
    do
    :: i < N -> run Cell(i); i++
    :: else -> break
    od;
    do
    :: left > 0 && left % 2 == 0 -> pipe[0]!left; left--
    :: left > 0 -> pipe[0]!(N - left); left--
    :: left > 0 -> pipe[0]!1; left--
    :: left == 0 -> break
    od
}
";

const WORKERS: &str = "
mtype = { job, done };
chan desk = [2] of { mtype, byte };
byte busy;

proctype Worker(byte number; chan client) {
    chan own = [1] of { byte };
    byte value;
    own!number;
    if
    :: value = 1
    :: value = 2
    fi;
    own?number;
    client!number + value;
    busy--
}

active [N] proctype Client() {
    chan answers = [1] of { byte };
    byte answer;
    do
    :: desk!job,_pid;
       if
       :: busy < N -> busy++; run Worker(_pid, answers); answers?answer; answer = 0
       :: desk?job,_ -> skip
       fi
    od
}
";

const TICKETS: &str = "
byte next = 1, serving = 1, inside;
byte order[N];

active [N] proctype Customer() {
    byte mine;
    do
    :: atomic { mine = next; next = next % N + 1; order[mine - 1] = _pid };
       serving == mine;
       atomic { inside++; assert(inside == 1) };
       d_step { inside--; order[mine - 1] = 0; mine = 0; serving = serving % N + 1 }
    od
}
";

const EXCHANGE: &str = "
chan market[N] = [0] of { byte, byte };

active [N] proctype Trader() {
    byte goods, price, from;
    goods = _pid % 3;
    do
    :: market[(_pid + 1) % N]!goods,price -> goods = (goods + 1) % 3
    :: market[_pid]?from,price -> goods = (goods + from) % 3; price = (price + 1) % 2
    od
}
";

const MAILBOXES: &str = "
chan box[N] = [3] of { byte, byte };
active [N] proctype Owner() {
    byte x, y;
    do
    :: d_step { len(box[_pid]) < 2 -> box[_pid]!x,1; x = (x + 1) % 3 }
    :: atomic { box[(_pid + 1) % N]?y,_ -> if :: y == x -> y = 0 :: else -> y = 1 fi; x = (x + y) % 3 }
    od
}
";

const RECORDS: &str = "
chan fast = [N] of { byte, short, int, bit };
chan slow = [N] of { byte, short, int, bit };
int sum;

active proctype Producer() {
    int value = 70000;
    short count;
    bit flag;
    do
    :: fast!_pid,count,value,flag; value = -value
    :: slow!_pid,count - 300,value,flag; flag = 1 - flag
    :: count < 300 -> count = count + 150
    :: else -> count = 0
    od
}

active proctype Consumer() {
    byte who;
    short count;
    int value;
    bit flag;
    do
    :: fast?who,count,value,flag -> sum = value
    :: slow??who,count,value,1 -> sum = count
    :: slow?who,count,value,0 -> sum = 0
    od
}
";

#[cfg(test)]
mod tests {
    use promela_front::{Options, parse};

    use super::*;

    #[test]
    fn every_model_can_be_read() {
        for kind in Kind::ALL {
            for size in [2, 3, kind.usual_size()] {
                let read = parse(kind.name(), &kind.text(size), &Options::default());
                assert!(read.program.is_some(), "{} {size}: {:?}", kind.name(), read.diagnostics.first());
            }
        }
    }
}
