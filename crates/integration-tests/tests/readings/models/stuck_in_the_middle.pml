// Both halves of a pair are sent at once, unless there is no room for the second one: then somebody sees the first alone.
// unbounded: left
// unbounded: right
// unbounded: gossip with right
chan left = [5] of { bit };
chan right = [2] of { bit };
chan gossip = [3] of { bit };
active proctype Pair() { do :: atomic { left!1; right!1 } od }
active proctype Neighbour() { do :: len(left) > len(right) -> gossip!1 od }
