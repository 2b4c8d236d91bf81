// expect: refuted
// grows: drafts[0]
// grows: drafts[1]
// bound: toGuard 2
// bound: fromGuard[0] 3
// bound: fromGuard[1] 3
// bound: toSheet[0] 3
// bound: toSheet[1] 3
// bound: released 3
// verdict: unbounded
// maximum: drafts[0] unbounded
// maximum: drafts[1] unbounded
// maximum: toGuard 2
// maximum: fromGuard[0] 2
// maximum: fromGuard[1] 2
// maximum: toSheet[0] 1
// maximum: toSheet[1] 1
// maximum: released 1
//
// Two people change one drawing; a guard lends out the only pencil; after thesis, section 14.1.2, Listing
// 14.1, an excerpt of a model of the MVCC protocol, closed here with processes of our own. Unbounded:
// nothing keeps a person from making one draft after another. Everything else is bounded: a clerk who has
// asked asks again only when `ready` and `waiting` are back as they were, which takes one `noted` and one
// `grant`, and the guard sends one of each per request, in either order. So of each clerk at most one
// request is in the queue, at most these two words are before the clerk, and at most one draft, for which
// the guard waits, is on its way to the sheet. (Either variable alone would keep all this bounded.)

mtype = { want, grant, noted, draft };

chan drafts[2] = [2] of { mtype };
chan toGuard = [2] of { mtype, byte };
chan fromGuard[2] = [2] of { mtype };
chan toSheet[2] = [2] of { mtype };
chan released = [1] of { byte };

proctype Person(byte who)
{
    do
    :: drafts[who]!draft
    od
}

proctype Clerk(byte who)
{
    bool ready = true;
    bool waiting = false;
    mtype word;
    do
    :: ready && waiting == false ->
       toGuard!want(who);
       atomic {
           ready = false;
           waiting = true
       }
    :: fromGuard[who]?word ->
       if
       :: word == grant ->
          drafts[who]?draft;
          toSheet[who]!draft;
          waiting = false
       :: word == noted -> ready = true
       fi
    od
}

proctype Sheet(byte who)
{
    do
    :: toSheet[who]?draft -> released!who
    od
}

active proctype Guard()
{
    byte who;
    do
    :: toGuard?want(who) ->
       if
       :: fromGuard[who]!noted;
          fromGuard[who]!grant;
          released?who
       :: fromGuard[who]!grant;
          released?who;
          fromGuard[who]!noted
       fi
    od
}

init {
    run Person(0);
    run Clerk(0);
    run Sheet(0);
    run Person(1);
    run Clerk(1);
    run Sheet(1)
}
