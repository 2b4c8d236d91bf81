// A sum of lengths, one of the queues being smaller than the sum.
// bounded: near 3
// bounded: far 3
chan near = [1] of { bit };
chan far = [4] of { bit };
active proctype Sower() { do :: len(near) + len(far) < 3 -> if :: near!1 :: far!1 fi od }
active proctype Reaper() { do :: near?_ :: far?_ od }
