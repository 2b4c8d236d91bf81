// expect: proved
// bound: serves 1
// bound: returns 1
// livelock: proved
// verdict: bounded
// verdict: livelock-free
// maximum: serves 1
// maximum: returns 1
//
// A player remembers in a variable whose turn it is; after thesis, section 10.1, Listing 10.1, and for the
// livelock section 12.1, Example 12.1. Bounded: `away` is 1 after each serve and is 0 again only when the
// ball is back, so never more than one ball is on the way. No livelock: no two serves without a return
// in between, and no return without a step of the wall that is marked as progress. Who forgets the
// variable sees a player who serves for ever.

mtype = { ball };

chan serves = [1] of { mtype };
chan returns = [1] of { mtype };

active proctype Wall()
{
progress_hit:
    serves?ball;
    returns!ball;
    goto progress_hit
}

active proctype Player()
{
    int away = 0;
    do
    :: away == 0 -> serves!ball; away = 1
    :: away == 1 -> returns?ball; away = 0
    od
}
