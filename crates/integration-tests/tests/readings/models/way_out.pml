// The way out is a send; as long as there is no room for it, one goes on.
// bounded: door 3
// unbounded: steps with door
chan door = [2] of { bit };
chan steps = [3] of { bit };
active proctype Dancer() { door!1; door!1; { do :: steps!1 od } unless { door!1 } }
