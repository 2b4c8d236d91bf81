// expect: proved
// bound: logbook 9
// verdict: bounded
// maximum: logbook 9
//
// As three_shifts.pml, but the shifts go round three times, which they pass on; after thesis, section 7.6,
// Listing 7.8. Nine processes, each created once, each with one line: nine lines at most.

mtype = { quiet, alarm };

chan logbook = [2] of { mtype };

proctype Early(byte rounds)
{
    logbook!quiet;
    run Late(rounds)
}

proctype Late(byte rounds)
{
    logbook!quiet;
    run Night(rounds)
}

proctype Night(byte rounds)
{
    logbook!alarm;
    if
    :: rounds > 1 -> run Early(rounds - 1)
    :: else
    fi
}

init
{
    run Early(3)
}
