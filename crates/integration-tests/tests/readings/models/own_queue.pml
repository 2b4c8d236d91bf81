// Somebody who writes to himself.
// bounded: notes 3
chan notes = [2] of { bit };
active [2] proctype Self() { do :: nfull(notes) -> notes!1 :: notes?_ od }
