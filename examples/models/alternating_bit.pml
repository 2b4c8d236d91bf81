// expect: refuted
// grows: toReceiver
// grows: toSender
// bound: ready 1
// verdict: unbounded
// maximum: toReceiver unbounded
// maximum: toSender unbounded
// maximum: ready 1
//
// The alternating bit protocol with a sender that may send its message anew at any time, as in the
// experiments of paper 000 (SPIN 2004), section 4: it can flood the line, and the answers to what it
// sends flood the way back. Only the channel on which the receiver reports for duty is bounded: it does
// so once.

mtype = { letter, receipt, present };

chan toReceiver = [2] of { mtype, bit };
chan toSender = [2] of { mtype, bit };
chan ready = [1] of { mtype };

active proctype Postman()
{
    bit tag = 0;
    bit seen;
    ready?present;
    do
    :: toReceiver!letter(tag)
    :: toSender?receipt(seen) ->
        if
        :: seen == tag -> tag = 1 - tag
        :: else
        fi
    od
}

active proctype Household()
{
    bit wanted = 0;
    bit tag;
    ready!present;
    do
    :: toReceiver?letter(tag) ->
        if
        :: tag == wanted -> wanted = 1 - wanted
        :: else
        fi;
        toSender!receipt(tag)
    od
}
