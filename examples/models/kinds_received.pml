// expect: proved
// bound: inbox 3
// verdict: bounded
// maximum: inbox 3
//
// Symbolic constants in receives tell messages apart, variables do not; after paper 000 (SPIN 2004),
// Figure 3. A meter sends three readings and stops.

mtype = { measured, guessed };

chan inbox = [4] of { mtype, int };

active proctype Meter()
{
    inbox!measured(12);
    inbox!guessed(15);
    inbox!measured(11)
}

active proctype Archive()
{
    int value, good, bad;
    do
    :: inbox?measured(value) -> good = value
    :: inbox?guessed(value) -> bad = value
    od
}
