// `empty` knows nothing of capacities.
// bounded: letterbox 2
chan letterbox = [1] of { bit };
active [2] proctype Postman() { do :: empty(letterbox) -> letterbox!1 od }
active proctype Owner() { do :: letterbox?_ od }
