// expect: proved
// bound: AB 13
// bound: BA 4
// verdict: bounded
// maximum: AB 7
// maximum: BA 2
//
// A workshop and an assembly line that feed each other; paper 000 (SPIN 2004), Figure 11, and thesis,
// Figure 5.2, in other words. That neither channel overflows is hard to see: the workshop puts out four
// bolts and a nut for two orders, the line takes one of each for every order. True maxima: 7 and 2.

mtype = { bolt, nut, order };

chan AB = [25] of { mtype };
chan BA = [25] of { mtype };

active proctype Workshop()
{
    if
    :: BA?order -> AB!nut; AB!nut
    :: BA?order -> AB!nut; AB!nut; AB!nut; AB!nut; AB!nut; goto second
    fi;
first:
    BA?order; AB!bolt; AB!bolt; AB!nut;
second:
    BA?order; AB!bolt; AB!bolt; goto first
}

active proctype Assembly()
{
    BA!order;
    BA!order;
    do
    :: AB?bolt -> AB?nut; BA!order
    od
}
