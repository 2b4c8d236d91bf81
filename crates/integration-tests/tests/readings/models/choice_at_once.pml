// A choice inside of an atomic sequence.
// unbounded: line
// unbounded: log with line
chan line = [3] of { bit };
chan log = [1] of { bit };
active proctype Caller() { do :: atomic { if :: line!1 :: else -> log!1 fi } od }
active proctype Callee() { do :: line?_ od }
