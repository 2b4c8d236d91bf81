// expect: refuted
// grows: logbook
// verdict: unbounded
// maximum: logbook unbounded
//
// Three shifts relieve each other for ever, and each leaves a line in the logbook; after thesis, section
// 7.6, Listing 7.8. Unbounded: every process writes a line before it starts the next one, nobody reads,
// and the ring of creation early - late - night - early never breaks. (The third shift writes a line of
// another kind. In the thesis that symbol is sent without being declared.)

mtype = { quiet, alarm };

chan logbook = [2] of { mtype };

active proctype Early()
{
    logbook!quiet;
    run Late()
}

active proctype Late()
{
    logbook!quiet;
    run Night()
}

active proctype Night()
{
    logbook!alarm;
    run Early()
}
