// `else` beside a send and a receive: neither is possible.
// unbounded: outbox
// bounded: inbox 2
// unbounded: idle with outbox
chan outbox = [1] of { bit };
chan inbox = [4] of { bit };
chan idle = [2] of { bit };
active proctype Feeder() { inbox!1; inbox!1 }
active proctype Desk() { do :: outbox!1 :: inbox?_ :: else -> idle!1 od }
