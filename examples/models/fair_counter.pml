// expect: proved
// bound: request1 1
// bound: grant1 1
// bound: release1 1
// bound: request2 1
// bound: grant2 1
// bound: release2 1
// livelock: proved
// verdict: bounded
// verdict: livelock-free
// maximum: request1 1
// maximum: grant1 1
// maximum: release1 1
// maximum: request2 1
// maximum: grant2 1
// maximum: release2 1
//
// The same with a counter that serves its customers in turns; thesis, Figure 6.2. It cannot go on without the first one,
// so there is no livelock.

mtype = { request, grant, release };

chan request1 = [2] of { mtype };
chan grant1 = [2] of { mtype };
chan release1 = [2] of { mtype };
chan request2 = [2] of { mtype };
chan grant2 = [2] of { mtype };
chan release2 = [2] of { mtype };

active proctype First()
{
ask:
    request1!request;
progress_served:
    grant1?grant;
    release1!release;
    goto ask
}

active proctype Second()
{
ask:
    request2!request;
    grant2?grant;
    release2!release;
    goto ask
}

active proctype Counter()
{
    do
    :: request1?request -> grant1!grant; release1?release;
       request2?request -> grant2!grant; release2?release
    od
}
