// A process that steps only while there is room.
// bounded: tank 2
chan tank = [2] of { bit };
active proctype Pump() provided (nfull(tank)) { do :: tank!1 od }
active proctype Engine() { do :: tank?_ od }
