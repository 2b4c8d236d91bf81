// expect: proved
// livelock: proved
// verdict: bounded
// verdict: livelock-free
//
// A cup is emptied from a jug, sip by sip, and the jug may be filled again; after thesis, section 11.3.1,
// Listing 11.3. There is no channel, so it is bounded. No livelock, where filling is progress: without it
// every sip takes 1 from the jug, the cup has what the jug has, and below 1 there is no sip. What makes
// the guard of the loop true is two steps away: filling changes the jug, not the cup. (Once the cup is
// at 0 it stays there, and only the filling goes on.)

active proctype Guest()
{
    int cup = 5;
    int jug = 5;
    do
    :: cup > 0 -> jug--; cup = jug
    :: true ->
progress_fill:
       jug = 5
    od
}
