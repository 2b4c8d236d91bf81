// expect: proved
// bound: request1 1
// bound: grant1 1
// bound: release1 1
// bound: request2 1
// bound: grant2 1
// bound: release2 1
// livelock: refuted
// verdict: bounded
// verdict: livelock
// maximum: request1 1
// maximum: grant1 1
// maximum: release1 1
// maximum: request2 1
// maximum: grant2 1
// maximum: release2 1
//
// Two customers share one tool, and a counter lends it to whoever asks; thesis, Figure 6.1, Example 6.1. Progress is
// that the first customer gets it. The counter may serve only the second one for ever.

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
    :: request1?request -> grant1!grant; release1?release
    :: request2?request -> grant2!grant; release2?release
    od
}
