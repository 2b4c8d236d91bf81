// Question and send in one: the shelf never holds more than was declared.
// bounded: shelf 3
chan shelf = [3] of { bit };
active [3] proctype Baker() { do :: atomic { nfull(shelf) -> shelf!1 } od }
active proctype Buyer() { do :: shelf?_ od }
