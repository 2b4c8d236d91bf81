// Tickets limit what is under way only as long as the board that holds them is limited.
// unbounded: board
// unbounded: oven
chan board = [2] of { bit };
chan oven = [5] of { bit };
active proctype Baker() { do :: board!1; oven!1 od }
active proctype Helper() { do :: oven?_ -> board?_ od }
