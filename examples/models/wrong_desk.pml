// expect: proved
// bound: toDesk 1
// bound: toGuest 0
// bound: ledger 0
// verdict: bounded
// maximum: toDesk 1
// maximum: toGuest 0
// maximum: ledger 0
//
// A guest asks for something that the desk does not deal with. That is bounded only because constants
// tell the two kinds of request apart: without them the desk would answer for ever, and its ledger would
// grow; after thesis, Listing 7.3.

mtype = { askKey, key, askTaxi, taxi, entry };

chan toDesk = [1] of { mtype };
chan toGuest = [1] of { mtype };
chan ledger = [10] of { mtype };

active proctype Guest()
{
    do
    :: toDesk!askKey;
       toGuest?key
    od
}

active proctype Desk()
{
    do
    :: toDesk?askTaxi ->
       toGuest!taxi;
       ledger!entry
    od
}
