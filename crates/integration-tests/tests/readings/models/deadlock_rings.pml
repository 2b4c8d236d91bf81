// With the declared capacity both wait for each other, and a watchman sees it.
// bounded: forward 3
// bounded: back 1
// unbounded: bell with forward
chan forward = [2] of { bit };
chan back = [4] of { bit };
chan bell = [1] of { bit };
bit done;
active proctype One() { forward!1; forward!1; forward!1; back!1; done = 1 }
active proctype Other() { back?_; forward?_; forward?_; forward?_ }
active proctype Watchman() { do :: timeout && done == 0 -> bell!1 od }
