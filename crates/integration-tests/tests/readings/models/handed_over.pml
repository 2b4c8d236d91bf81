// Word goes by rendezvous to who sends, after a look.
// bounded: stock 2
chan go = [0] of { bit };
chan stock = [2] of { bit };
active proctype Planner() { do :: nfull(stock) -> go!1 od }
active proctype Maker() { do :: go?_ -> stock!1; nfull(stock) od }
active proctype Shop() { do :: stock?_ od }
