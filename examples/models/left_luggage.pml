// expect: proved
// bound: desk 1
// bound: out 1
// bound: complaints 0
// bound: Porter[1].locker 1
// verdict: bounded
// maximum: desk 1
// maximum: out 1
// maximum: complaints 0
// maximum: Porter[1].locker 1
//
// A porter puts each bag into a locker of his own, and hands out what he finds there: it is the one on the ticket, so nobody ever
// complains, where nobody would listen. Nobody else has a key, so what is in the locker can be known as what a variable holds is.
// Counting bags by their numbers does not show it: two bags could be handed out for each other.

chan desk = [2] of { byte };
chan out = [2] of { byte };
chan complaints = [2] of { byte };

active proctype Guests()
{
    byte bag;
    do
    :: desk!bag; out?_; bag = (bag + 1) % 5
    od
}

active proctype Porter()
{
    chan locker = [1] of { byte };
    byte ticket, bag;
    do
    :: desk?ticket ->
        locker!ticket;
        bag = 0;
        if
        :: nempty(locker) -> locker?bag
        :: empty(locker) -> complaints!ticket
        fi;
        if
        :: bag != ticket -> complaints!bag
        :: else
        fi;
        out!bag
    od
}
