// expect: proved
// bound: letters[0] 1
// bound: letters[1] 1
// bound: delivered 1
// livelock: proved
// verdict: bounded
// maximum: letters[0] 1
// maximum: letters[1] 1
// maximum: delivered 1
// verdict: livelock-free
//
// A tenant moves between two towns a few times. Before leaving one, the tenant registers at the office of the other; so at any time
// one of the offices knows the tenant. One that does not sends letters on to the other. No letter is sent on for ever, though what each of the
// offices knows by itself would allow it: that takes both of them and the tenant. There is one letter at a time, so it is bounded.

#define MOVES 3

chan registry[2] = [0] of { bool };
chan letters[2] = [2] of { byte };
chan delivered = [1] of { byte };

proctype Office(byte town; bool known) {
  byte letter;
  do
  :: registry[town]?known
  :: letters[town]?letter ->
     if
     :: known -> delivered!letter
     :: !known -> letters[1 - town]!letter
     fi
  od
}

proctype Tenant() {
  byte moves;
  do
  :: moves < MOVES ->
     moves++;
     registry[1]!true;
     registry[0]!false;
     registry[0]!true;
     registry[1]!false
  od
}

proctype Sender() {
  byte letter;
  do
  :: letters[0]!7;
     delivered?letter;
progress_delivered:
     skip
  od
}

init {
  atomic {
    run Office(0, true);
    run Office(1, false);
    run Tenant();
    run Sender()
  }
}
