// expect: proved
// livelock: proved
// verdict: bounded
// verdict: livelock-free
//
// As in refilled.pml, but the jug is a global variable, and another process fills it; after thesis,
// section 11.3.2, Listing 11.6. There is no channel, so it is bounded. No livelock, where filling is
// progress: once nobody fills any more, every sip takes 1 from what the cup will be, and the filler has
// nothing else to do. The one loop needs the other, which belongs to somebody else.

int jug = 5;

active proctype Guest()
{
    int cup = 5;
    do
    :: cup > 0 -> jug--; cup = jug
    od
}

active proctype Host()
{
progress_fill:
    jug = 5;
    goto progress_fill
}
