// expect: proved
// bound: slips 1
// verdict: bounded
// maximum: post 3
// maximum: slips 1
//
// The order of a queue decides: with each letter goes a notice, and who sends them waits for a slip that says that the letter was
// read. Counted, all letters can be read and all notices left where they are. But a queue from which something is taken for ever
// delivers all that is sent to it, so the reader comes to a notice, and that is the end of it.

mtype = { letter, notice };
chan post = [4] of { mtype };
chan slips = [1] of { bit };

active proctype Sender()
{
    do
    :: post!letter; post!notice; slips?0
    od
}

active proctype Reader()
{
    do
    :: post?letter -> slips!0
    :: post?notice -> break
    od
}
