// expect: unknown
// bound: ch1 0
// grows: ch2
//
// From the first statement on both variables mean the same channel, and the loop floods it; after thesis,
// Listing 7.4.

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
