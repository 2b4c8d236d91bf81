// expect: proved
// bound: street[0] 1
// bound: street[1] 1
// bound: street[2] 1
// livelock: proved
// verdict: bounded
// maximum: street[0] 1
// maximum: street[1] 1
// maximum: street[2] 1
// verdict: livelock-free
//
// A writer asks for two people, one of whom moves. Who does not live where he is asked for has left word where he has gone to, and the letter is sent
// after him, by postmen who take letters as they are. No letter is sent to and fro for ever; for that, who is asked for and where he lives has to be
// known on the whole way. A letter says more than that: what an answer costs is looked at where it is one, and why there is none where there is none.
// All of that together, at each place, would be much.

mtype = { ask, here, gone, lost };

/* What a letter says of who is asked for, where he lives now, what the answer costs, and why there is none. */
typedef Letter {
  byte who;
  byte house;
  byte price;
  byte reason
}

chan out[3] = [0] of { mtype, byte, Letter };
chan street[3] = [4] of { mtype, byte, Letter };
chan inside[3] = [0] of { mtype, byte, Letter };
chan notice[3] = [0] of { byte, byte };

/* Takes letters from one house to another, as they are. */
proctype Postman(byte home)
{
  mtype kind;
  Letter letter;
  byte other;

end:
  do
  :: out[home]?kind(other, letter) -> street[other]!kind(home, letter)
  :: street[home]?kind(other, letter) -> inside[home]!kind(other, letter)
  od
}

/* Knows of two people where they live. */
proctype House(byte home)
{
  byte lives[2];
  Letter letter;
  byte who, where, from;

  lives[0] = 1;
  lives[1] = 2;

end:
  do
  :: notice[home]?who(where) -> lives[who] = where
  :: inside[home]?ask(from, letter) ->
    who = letter.who;
    if
    :: lives[who] == home ->
      if
      :: letter.price = 2
      :: letter.price = 5
      fi;
      out[home]!here(from, letter)
    :: lives[who] != home ->
      letter.house = lives[who];
      out[home]!gone(from, letter)
    :: true ->
      if
      :: letter.reason = 1
      :: letter.reason = 6
      fi;
      out[home]!lost(from, letter)
    fi
  od
}

/* Asks for one of them, and where he has gone to. */
active proctype Writer()
{
  Letter letter;
  byte from, purse, excuse;

end:
  do
  :: true ->
    if
    :: purse = 2; excuse = 6
    :: purse = 5; excuse = 1
    fi;
    if
    :: letter.who = 0; letter.house = 1
    :: letter.who = 1; letter.house = 2
    fi;
    out[0]!ask(letter.house, letter);
    do
    :: inside[0]?gone(from, letter) -> out[0]!ask(letter.house, letter)
    :: inside[0]?here(from, letter) ->
      if
      :: letter.price <= purse -> break
      :: letter.price > purse -> break
      fi
    :: inside[0]?lost(from, letter) ->
      if
      :: letter.reason == excuse -> break
      :: letter.reason != excuse -> break
      fi
    od;
progress_answered:
    skip
  od
}

/* Moves: tells the new house first. */
proctype Mover(byte who, at, to)
{
  notice[to]!who(to);
  notice[at]!who(to)
}

init {
  atomic {
    run Postman(0);
    run Postman(1);
    run Postman(2);
    run House(1);
    run House(2);
    run Mover(0, 1, 2)
  }
}
