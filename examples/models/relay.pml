// expect: proved
// bound: baton 1
// verdict: bounded
// maximum: baton 1
//
// Two runners of one type hand a baton to and fro: their arguments make them two classes, and the loops
// of both together leave the number of messages as it is; after thesis, Listing 7.1.

mtype = { there, back };

chan baton = [1] of { mtype };

proctype Runner(mtype takes; mtype gives)
{
    do
    :: baton?takes -> baton!gives
    od
}

init {
    baton!there;
    run Runner(there, back);
    run Runner(back, there)
}
