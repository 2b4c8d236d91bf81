// Four processes, each of which sends once: who finds no room in the box takes the bin.
// bounded: box 4
// bounded: bin 3
chan box = [1] of { bit };
chan bin = [2] of { bit };
proctype Kid() { if :: box!1 :: else -> bin!1 fi }
init { byte i; do :: i < 4 -> run Kid(); i++ :: i == 4 -> break od }
