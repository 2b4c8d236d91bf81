// Who asks first never sends too much, if nobody else sends.
// bounded: shelf 3
chan shelf = [3] of { byte };
active proctype Baker() { do :: nfull(shelf) -> shelf!1 :: full(shelf) -> skip od }
active proctype Buyer() { byte x; do :: shelf?x od }
