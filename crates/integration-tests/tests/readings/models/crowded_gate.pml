// A gate that holds one is full from the first guest on, however much room there is: `full` compares with the declared number.
// bounded: gate 1
// unbounded: bells
// unbounded: notes
chan gate = [1] of { byte };
chan bells = [2] of { byte };
chan notes = [8] of { byte };
byte lamp;
active proctype Porter() {
  gate!1;
  do
  :: full(gate) -> bells!1; notes!1
  od
}
active proctype Lamp() { do :: lamp = 1 - lamp od }
