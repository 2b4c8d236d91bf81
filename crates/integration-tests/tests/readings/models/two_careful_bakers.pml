// Two that ask at the same time: each puts one more on a shelf that had room for one.
// bounded: shelf 4
chan shelf = [3] of { bit };
active [2] proctype Baker() { do :: nfull(shelf) -> shelf!1 od }
active proctype Buyer() { do :: shelf?_ od }
