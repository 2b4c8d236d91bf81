// expect: proved
// bound: bell 1
// bound: echo 1
// livelock: proved
// verdict: bounded
// verdict: livelock-free
// maximum: bell 1
// maximum: echo 1
//
// A walk on which the search of thesis, section 11.3.1, Listing 11.5, takes every one of its branches.
// The listing is an algorithm and no model; this is a model to run it on. The loop to start from is the
// slope at `hill`. A neighbour of it, the round over the hut, changes `height` and is taken into the
// answer; the slope at the hut changes it too, but cannot be reached without that round, and stays
// out. The other neighbour, the round over the chapel, leaves `height` alone, so the search goes on
// behind it and finds the climb at the chapel. No livelock, where the two climbs and the bell are
// progress: both slopes take 1 off at each step, so they end, the rounds over the hut climb, and those
// over the chapel use up a stroke of the bell each. Bounded: the ringer waits for an echo of each stroke.

mtype = { stroke };

chan bell = [1] of { mtype };
chan echo = [1] of { mtype };

active proctype Walker()
{
    byte height = 5;
hill:
    do
    :: height > 0 -> height--
    :: bell?stroke -> echo!stroke; goto chapel
    :: true -> goto hut
    od;
chapel:
    do
    :: true ->
progress_chapel:
       height = 7
    :: goto hill
    od;
hut:
progress_hut:
    height = 5;
    do
    :: height > 0 -> height--
    :: goto hill
    od
}

active proctype Ringer()
{
progress_ring:
    bell!stroke;
    echo?stroke;
    goto progress_ring
}
