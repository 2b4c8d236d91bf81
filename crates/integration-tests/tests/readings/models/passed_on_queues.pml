// Queues are parameters; each worker has its own number of places, and they share the floor.
// bounded: small 4
// bounded: large 4
// unbounded: ground with small
chan small = [1] of { bit };
chan large = [3] of { bit };
chan ground = [2] of { bit };
proctype Worker(chan out; chan rest) {
  byte i;
  do
  :: i < 4 -> if :: out!1; i++ :: else -> rest!1 fi
  :: i == 4 -> break
  od
}
init { atomic { run Worker(small, ground); run Worker(large, ground) } }
