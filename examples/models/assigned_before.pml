// expect: refuted
// bound: C 0
// grows: D
// verdict: unbounded
// maximum: C 0
// maximum: D unbounded
//
// A channel variable is turned to another channel, which a loop then floods; after paper 000 (SPIN 2004),
// Figure 6. Here D holds something to begin with, so that the flood is real: each round takes one drop
// out of D and puts two in, so the next round can follow. Nobody uses the first C.

mtype = { drop };

chan C = [2] of { mtype };
chan D = [2] of { mtype };

active proctype Spring()
{
    D!drop;
    C = D;
    do
    :: C?drop -> D!drop; D!drop
    od
}
