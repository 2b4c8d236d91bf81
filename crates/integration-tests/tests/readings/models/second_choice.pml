// First one queue, then another one, then a third one: how much each of them holds depends on which of those before it are limited.
// bounded: first 5
// bounded: second 4
// bounded: third 2
chan first = [1] of { bit };
chan second = [2] of { bit };
chan third = [1] of { bit };
active proctype Guide() {
  byte i;
  do
  :: i < 5 ->
     if
     :: first!1
     :: else -> if :: second!1 :: else -> third!1 fi
     fi;
     i++
  :: i == 5 -> break
  od
}
