// A length that is compared with the number declared: the same whatever room there is.
// bounded: bowl 2
// unbounded: floor
chan bowl = [2] of { bit };
chan floor = [4] of { bit };
active proctype Cook() { do :: len(bowl) < 2 -> bowl!1 :: len(bowl) == 2 -> floor!1 od }
