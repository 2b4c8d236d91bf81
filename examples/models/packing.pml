// expect: proved
// bound: belt 5
// verdict: bounded
// maximum: belt 5
//
// How many boxes a packer puts on the belt is decided once, by a variable that others write; after
// thesis, section 11.3, Listing 11.2 (a fragment there: the branches. The loop that counts down and the
// other two processes are added, so that something depends on it). Bounded: whichever branch is taken,
// `boxes` is at most 5 afterwards, each round of the loop takes 1 off, and nothing ever adds to it.

mtype = { box };

int demand = 1;
chan belt = [5] of { mtype };

active proctype Packer()
{
    int boxes;
    if
    :: demand > 0 -> boxes = 5
    :: demand <= 0 -> boxes = 4
    fi;
    do
    :: boxes > 0 -> belt!box; boxes--
    :: boxes == 0 -> break
    od
}

active proctype Market()
{
    do
    :: demand = 1
    :: demand = -1
    od
}

active proctype Loader()
{
    do
    :: belt?box
    od
}
