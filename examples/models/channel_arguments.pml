// expect: refuted
// bound: C 0
// grows: D
// verdict: unbounded
// maximum: C 0
// maximum: D unbounded
//
// One process type, two classes: the copier from C to D does no harm, the one from D to D floods D;
// after paper 000 (SPIN 2004), Figure 5. Here D holds something to begin with, so that the flood is
// real: each round takes one leaf out of D and puts two in, so the next round can follow.

mtype = { leaf };

chan C = [2] of { mtype };
chan D = [2] of { mtype };

proctype Copier(chan from; chan onto)
{
    do
    :: from?leaf -> onto!leaf; onto!leaf
    od
}

init {
    D!leaf;
    run Copier(C, D);
    run Copier(D, D)
}
