// Which number `full` compares with is known only when it is known which queue is meant.
// bounded: cup 1
// bounded: jug 3
// unbounded: puddle
chan cup = [1] of { bit };
chan jug = [3] of { bit };
chan puddle = [2] of { bit };
proctype Pour(chan into) { do :: nfull(into) -> into!1 :: full(into) -> puddle!1 od }
init { atomic { run Pour(cup); run Pour(jug) } }
