// At most three are lost, and the three of them only where there was no room.
// unbounded: wire
// bounded: lost 3
chan wire = [2] of { bit };
chan lost = [1] of { bit };
active proctype Sender() {
  byte n;
  do
  :: n < 3 -> if :: wire!1 :: else -> lost!1; n++ fi
  :: n == 3 -> break
  od
}
