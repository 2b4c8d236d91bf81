// expect: proved
// bound: asked 2
// bound: answers 2
// bound: passed 2
// verdict: bounded
// maximum: asked 2
// maximum: answers 2
// maximum: passed 2
//
// A relay passes answers on, with two numbers that say nothing and a kind that says whether to ask again, twice then. Only the first
// letter says so, so there are two questions in all. What the kind is has to be followed through the relay, and the numbers need not be.

typedef Answer { byte x; byte y; byte kind }

chan asked = [4] of { byte, byte };
chan answers = [4] of { Answer };
chan passed = [4] of { Answer };

active proctype Helper() {
  byte x, y;
  select (x : 0 .. 40);
  select (y : 0 .. 40);
  answers!x, y, 4
}

active proctype Server() {
  Answer answer;
  do
  :: asked?answer.x, answer.y -> answer.kind = 1; answers!answer
  od
}

active proctype Relay() {
  Answer answer;
  do
  :: answers?answer -> passed!answer
  od
}

active proctype Client() {
  Answer answer;
  do
  :: passed?answer ->
     if
     :: answer.kind == 4 -> asked!answer.x, answer.y; asked!answer.y, answer.x
     :: else
     fi
  od
}
