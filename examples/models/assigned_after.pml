// expect: proved
// bound: C 0
// bound: D 0
// verdict: bounded
// maximum: C 0
// maximum: D 0
//
// The same assignment behind a loop that nothing leaves: it is never executed, so C and D stay two
// channels; after paper 000 (SPIN 2004), Figure 7.

mtype = { drop };

chan C = [2] of { mtype };
chan D = [2] of { mtype };

active proctype Spring()
{
    do
    :: C?drop -> D!drop; D!drop
    od;
    C = D
}
