// expect: proved
// bound: ramp 4
// bound: lorry 9
// verdict: bounded
// maximum: ramp 4
// maximum: lorry 9
//
// Two loaders bring crates to a ramp on which there should be three at most, and look before they put one down. Both may look
// while there is room for one, so there may be four. The driver takes crates into a lorry for eight, and empties it now and
// then; between the look and the crate nobody else puts one in, but what was counted is `<=`. Nothing but the guards on the
// length of the queues bounds them.

mtype = { crate };

chan ramp = [3] of { mtype };
chan lorry = [8] of { mtype };

active [2] proctype Loader() {
    do
    :: len(ramp) < 3 -> ramp!crate
    od
}

active proctype Driver() {
    do
    :: len(lorry) <= 8 -> ramp?crate; lorry!crate
    :: len(lorry) > 4 -> do :: lorry?crate :: empty(lorry) -> break od
    od
}
