// expect: proved
// bound: desk 3
// bound: road[0] 4
// bound: road[1] 2
// bound: road[2] 2
// bound: shelf 3
// verdict: bounded
// maximum: desk 2
// maximum: road[0] 4
// maximum: road[1] 2
// maximum: road[2] 2
// maximum: shelf 2
//
// Two readers ask at a desk for a book from a branch. The desk keeps in a table what it has asked for where, and a branch that closes for the day says so: what
// is still asked for there is asked for again then. What was on its way there comes too late, and says so by the number of the day that the messenger has
// written on it. No more books are asked for than there are readers, as many as are in the table or wait at the desk; so branches close as often as they have found
// something, and then no more. The messenger loses nothing that the branches send, as both count the days; he could send something to himself, as far as one can see who does not know that no
// reader asks for a book from branch 0.

mtype = { order, ready, closed };

chan desk = [3] of { byte };
chan down = [0] of { byte, byte };
chan road[3] = [4] of { mtype, byte, byte, byte };
chan up = [0] of { mtype, byte, byte };
chan shelf = [2] of { byte };

proctype Reader()
{
  if
  :: desk!1
  :: desk!2
  fi;
  shelf?_
}

proctype Desk()
{
  byte used[6], at[6];
  byte branch, slot;

end:
  do
  :: desk?branch ->
    slot = 0;
    do
    :: used[branch * 2 + slot] == 1 -> slot = slot + 1
    :: used[branch * 2 + slot] == 0 -> break
    od;
    used[branch * 2 + slot] = 1;
    at[branch * 2 + slot] = branch;
    down!branch(slot)
  :: up?ready(branch, slot) ->
    used[branch * 2 + slot] == 1;
    used[branch * 2 + slot] = 0;
    shelf!branch
  :: up?closed(branch, slot) ->
    slot = 0;
    do
    :: slot != 2 ->
      if
      :: used[branch * 2 + slot] == 1 ->
        desk!at[branch * 2 + slot];
        used[branch * 2 + slot] = 0
      :: used[branch * 2 + slot] == 0
      fi;
      slot = slot + 1
    :: slot == 2 -> break
    od
  od
}

proctype Messenger()
{
  mtype kind;
  byte branch, slot, day, to, place;
  byte days[3];

end:
  do
  :: down?branch(slot) -> road[branch]!order(days[branch], 0, slot)
  :: road[0]?kind(day, branch, slot) ->
    if
    :: day == days[branch] ->
      do
      :: up!kind(branch, slot) -> break
      :: down?to(place) -> road[to]!order(days[to], 0, place)
      od
    :: day != days[branch]
    fi;
    if
    :: kind == closed -> days[branch] = (days[branch] + 1) % 4
    :: kind != closed
    fi
  od
}

proctype Branch(byte home)
{
  byte from, slot, day, today;

end:
  do
  :: road[home]?order(day, from, slot) ->
    if
    :: day == today ->
      road[0]!ready(today, home, slot);
      if
      :: road[0]!closed(today, home, 0); today = (today + 1) % 4
      :: true
      fi
    :: day != today
    fi
  od
}

init {
  atomic {
    run Messenger();
    run Desk();
    run Branch(1);
    run Branch(2);
    run Reader();
    run Reader()
  }
}
