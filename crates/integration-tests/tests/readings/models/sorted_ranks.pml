// A sorted send waits for room as others do.
// bounded: ranks 4
// unbounded: crowd with ranks
chan ranks = [3] of { byte };
chan crowd = [1] of { byte };
active proctype Herald() {
  byte x;
  do
  :: x < 4 -> if :: ranks!!3 - x; x++ :: else -> crowd!0 fi
  :: x == 4 -> break
  od
}
