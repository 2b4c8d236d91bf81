// Somebody can always go on, so the time never runs out.
// bounded: ask 1
// bounded: answer 1
chan ask = [1] of { bit };
chan answer = [3] of { bit };
active proctype Client() { do :: ask!1; if :: answer?_ :: timeout -> skip fi od }
active proctype Server() { do :: ask?_ -> answer!1 od }
