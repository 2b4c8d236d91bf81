// expect: refuted
// bound: ch1 0
// grows: ch2
// verdict: unbounded
// maximum: ch1 0
// maximum: ch2 unbounded
//
// From the first statement on both variables mean the same channel, and the loop floods it; after thesis,
// Listing 7.4. Each round takes one grain out and puts two in, so the next round can follow.

mtype = { grain };

chan ch1 = [2] of { mtype };
chan ch2 = [2] of { mtype };

active proctype Mill()
{
    ch1 = ch2;
    ch1!grain;

    do
    :: ch1?grain ->
       ch2!grain;
       ch2!grain
    od
}
