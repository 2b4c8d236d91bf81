// expect: proved
// bound: road 8
// bound: receipts 8
// verdict: bounded
// maximum: road 8
// maximum: receipts 8
//
// A depot sends lorries with one to three tons each, and no more than eight tons at a time; each receipt says how much has
// arrived. What counts is not how many messages there are but what they say. Where the values of `load`, `crate` and
// `arrived` are followed there is a message type for each weight, and `weight` is what all of them weigh together: bounded.

#define MOST 8

chan road = [MOST] of { byte };
chan receipts = [MOST] of { byte };

active proctype Depot() {
    int weight;
    byte load, arrived;
    do
    :: select (load : 1 .. 3);
       if
       :: weight + load <= MOST -> weight = weight + load; road!load
       :: else
       fi
    :: receipts?arrived -> weight = weight - arrived
    od
}

active proctype Customer() {
    byte crate;
    do
    :: road?crate -> receipts!crate
    od
}
