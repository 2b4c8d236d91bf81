// expect: proved
// bound: ramp 4
// bound: lorry 9
// verdict: bounded
// maximum: ramp 4
// maximum: lorry 9
//
// Two loaders bring crates to a ramp on which there should be three at most, and look before they put one down. Both may look
// while there is room for one, so there may be four. The driver takes crates into a lorry for eight, and empties it now and
// then; between the look and the crate nobody else puts one in, but what was counted is `<=`. Nothing but the guards on the length of
// the queues bounds them, and how often the lorry has been emptied has no end.

chan ramp = [3] of { byte };
chan lorry = [8] of { byte };

int trips;

active [2] proctype Loader() {
    do
    :: len(ramp) < 3 -> ramp!_pid
    od
}

active proctype Driver() {
    byte whose;
    do
    :: len(lorry) <= 8 -> ramp?whose; lorry!whose
    :: len(lorry) > 4 -> do :: lorry?_ :: empty(lorry) -> trips++; break od
    od
}
