// Question and send in one indivisible step, by three processes.
// bounded: seats 2
chan seats = [2] of { bit };
active [3] proctype Usher() { do :: d_step { nfull(seats) -> seats!1 } od }
active proctype Leaver() { do :: seats?_ od }
