// The same with an end: one look, of which somebody tells twice.
// bounded: left 3
// bounded: right 3
// bounded: gossip 2
chan left = [4] of { bit };
chan right = [2] of { bit };
chan gossip = [1] of { bit };
byte n;
active proctype Pair() { do :: n < 3 -> atomic { left!1; right!1; n++ } :: n == 3 -> break od }
active proctype Neighbour() { len(left) > len(right); gossip!1; gossip!1 }
