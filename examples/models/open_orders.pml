// expect: proved
// bound: orders 3
// bound: dishes 3
// verdict: bounded
// maximum: orders 3
// maximum: dishes 3
//
// A waiter has at most three orders open; after thesis, section 11.2, Listing 11.1. Bounded: `open` is the
// number of orders and dishes on the way, give or take one between two statements. It goes up only from
// below 3, after the order, and down only after a dish has been taken; so the two channels together never
// hold more than 3 messages.

mtype = { order, dish };

chan orders = [10] of { mtype };
chan dishes = [10] of { mtype };

active proctype Waiter()
{
    int open = 0;
    do
    :: open < 3 -> orders!order; open++
    :: open == 3 -> dishes?dish; open--
    od
}

active proctype Kitchen()
{
    do
    :: orders?order -> dishes!dish
    od
}
