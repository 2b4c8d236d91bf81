// An array of queues, filled in turns.
// bounded: lane[0] 3
// bounded: lane[1] 3
// unbounded: verge with lane
chan lane[2] = [2] of { bit };
chan verge = [4] of { bit };
active proctype Traffic() {
  byte i;
  do
  :: i < 6 -> if :: lane[i % 2]!1; i++ :: else -> verge!1 fi
  :: i == 6 -> break
  od
}
