// expect: proved
// bound: ch1 1
// bound: ch2 2
// verdict: bounded
// maximum: ch1 1
// maximum: ch2 2
//
// The assignment stands behind the loop and is never executed: one message in, two out, and that is all;
// after thesis, Listing 7.5.

mtype = { grain };

chan ch1 = [2] of { mtype };
chan ch2 = [2] of { mtype };

active proctype Mill()
{
    ch1!grain;

    do
    :: ch1?grain ->
       ch2!grain;
       ch2!grain
    od;

    ch1 = ch2
}
