// A sensor that writes to a log what its full queue does not take: the log grows as long as nobody empties the queue.
// bounded: samples 5
// unbounded: log with samples
chan samples = [2] of { byte };
chan log = [4] of { byte };
active proctype Sensor() {
  byte i;
  do
  :: i < 5 -> if :: samples!i; i++ :: else -> log!i fi
  :: i == 5 -> break
  od
}
