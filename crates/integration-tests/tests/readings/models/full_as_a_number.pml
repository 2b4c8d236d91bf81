// Whether a queue is full, kept in a variable.
// bounded: pail 2
// unbounded: grass
chan pail = [2] of { bit };
chan grass = [3] of { bit };
byte spilt;
active proctype Milker() {
  do
  :: if :: full(pail) -> spilt = 1 :: nfull(pail) -> spilt = 0 fi;
     if :: spilt == 1 -> grass!1 :: spilt == 0 -> pail!1 fi
  od
}
