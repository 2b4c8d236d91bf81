// expect: proved
// bound: post 3
// verdict: bounded
// maximum: post 3
//
// As chain_letter.pml, but the letter says how often it is to be passed on; after thesis, section 7.6,
// Listing 7.7. Each process has an argument of its own, the last one stops: three copies at most.

mtype = { copy };

chan post = [2] of { mtype };

proctype Believer(byte left)
{
    post!copy;
    if
    :: left > 1 -> run Believer(left - 1)
    :: else
    fi
}

init
{
    run Believer(3)
}
