// expect: proved
// bound: inbox 1
// bound: done 1
// verdict: bounded
// maximum: inbox 1
// maximum: done 1
//
// What is sent depends on a variable: the abstraction has one step for each kind that the variable can
// hold; after paper 000 (SPIN 2004), Figure 4. Bounded: the meter waits until each reading is stored.

mtype = { measured, guessed, stored };

chan inbox = [1] of { mtype, int };
chan done = [1] of { mtype };

active proctype Meter()
{
    mtype kind;
    int value;
    do
    :: if
       :: kind = measured
       :: kind = guessed
       fi;
       inbox!kind(value);
       done?stored
    od
}

active proctype Archive()
{
    int value;
    do
    :: inbox?measured(value) -> done!stored
    :: inbox?guessed(value) -> done!stored
    od
}
