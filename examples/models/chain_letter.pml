// expect: refuted
// grows: post
// verdict: unbounded
// maximum: post unbounded
//
// Who gets the chain letter posts a copy and finds a successor, then is gone; after thesis, section 7.6,
// Listing 7.7. Unbounded: the n-th in the chain has n copies in the post behind it, nobody takes any out,
// and nothing ever stops the next one. There is no loop in the text.

mtype = { copy };

chan post = [2] of { mtype };

active proctype Believer()
{
    post!copy;
    run Believer()
}
