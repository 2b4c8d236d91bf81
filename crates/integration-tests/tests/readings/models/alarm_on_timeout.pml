// Nothing moves once the third load waits for room; the watchman rings as long as that is so.
// bounded: loads 3
// unbounded: alarm with loads
chan loads = [2] of { bit };
chan alarm = [5] of { bit };
bit through;
active proctype Crane() { loads!1; loads!1; loads!1; through = 1 }
active proctype Watchman() { do :: timeout && through == 0 -> alarm!1 od }
