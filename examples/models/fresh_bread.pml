// expect: proved
// bound: van 1
// bound: coins 1
// bound: stale 0
// verdict: bounded
// maximum: van 1
// maximum: coins 1
// maximum: stale 0
//
// What two processes count each on their own: the baker writes the day on each loaf, and the shop puts aside what is of another day,
// where nobody takes it away. Nothing is ever put aside, as a day ends in the shop when word comes from the bakery that it has ended
// there, behind the last loaf. Days are counted in sevens on both sides, and no condition says that they are the same.

mtype = { loaf, evening };
chan van = [3] of { mtype, byte };
chan coins = [2] of { bit };
chan stale = [2] of { byte };

active proctype Baker()
{
    byte day;
    do
    :: van!loaf(day); coins?_
    :: van!evening(day); day = (day + 1) % 7; coins?_
    od
}

active proctype Shop()
{
    byte day, baked;
    do
    :: van?loaf(baked) ->
        if
        :: baked != day -> stale!baked
        :: else
        fi;
        coins!0
    :: van?evening(baked) -> day = (day + 1) % 7; coins!0
    od
}
