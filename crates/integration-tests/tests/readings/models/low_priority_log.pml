// The log is written when nobody more important can go on.
// unbounded: orders
// unbounded: log with orders
chan orders = [2] of { bit };
chan log = [3] of { bit };
active proctype Important() priority 5 { do :: orders!1 od }
active proctype Scribe() priority 1 { do :: log!1 od }
