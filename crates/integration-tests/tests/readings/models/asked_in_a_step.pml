// What a step has found out is acted upon later.
// bounded: rack 3
// unbounded: heap
chan rack = [3] of { bit };
chan heap = [1] of { bit };
active proctype Porter() {
  bit none;
  do
  :: d_step { if :: full(rack) -> none = 1 :: nfull(rack) -> none = 0 fi };
     if :: none -> heap!1 :: !none -> rack!1 fi
  od
}
