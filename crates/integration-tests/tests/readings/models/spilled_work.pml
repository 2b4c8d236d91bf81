// Work that is not taken is spilled, and the spill has no reader.
// unbounded: work
// unbounded: spill with work
chan work = [2] of { bit };
chan spill = [3] of { bit };
active proctype Boss() { do :: if :: work!1 :: else -> spill!1 fi od }
active proctype Hand() { do :: work?_ od }
