// expect: proved
// bound: orders 1
// bound: reports 1
// verdict: bounded
// maximum: orders 1
// maximum: reports 1
//
// What is sent stands in a variable, which gets one of two values from an earlier branch; after thesis,
// section 7.1, Listing 7.2 (a fragment there, closed here by a boiler). Bounded: the thermostat waits
// for one report per order, and an order to rest or to heat is reported once. Only to `purge` would the
// boiler report twice; whoever takes the variable for any symbol at all sees the reports grow.

mtype = { rest, heat, purge, carriedOut };

chan orders = [1] of { mtype };
chan reports = [1] of { mtype };

active proctype Thermostat()
{
    int degrees;
    mtype order;
    do
    :: if
       :: degrees = 4
       :: degrees = -4
       fi;
       if
       :: degrees > 0 -> order = rest
       :: else -> order = heat
       fi;
       orders!order;
       reports?carriedOut
    od
}

active proctype Boiler()
{
    do
    :: orders?rest -> reports!carriedOut
    :: orders?heat -> reports!carriedOut
    :: orders?purge -> reports!carriedOut; reports!carriedOut
    od
}
