// expect: proved
// bound: road 3
// bound: shop 3
// bound: home 3
// verdict: bounded
// maximum: road 3
// maximum: shop 3
// maximum: home 3
//
// A messenger carries orders and answers, and looks at what kind each is. A shop that has moved says so at most twice; the customer orders twice for that, and
// once for any other answer. The kind has to be told apart where the messenger looks at it, and the answer on all its way through him to the customer.

mtype = { order, answer, done, moved };

chan road = [4] of { mtype, mtype };
chan shop = [4] of { mtype };
chan home = [4] of { mtype };

active proctype Messenger()
{
  mtype kind, status;

end:
  do
  :: road?kind(status) ->
    if
    :: kind == order -> shop!status
    :: kind == answer -> home!status
    fi
  od
}

active proctype Shop()
{
  byte moves;

end:
  do
  :: shop?_ ->
    if
    :: moves < 2 -> moves++; road!answer(moved)
    :: road!answer(done)
    fi
  od
}

active proctype Customer()
{
  mtype status;

  road!order(done);
end:
  do
  :: home?status ->
    if
    :: status == moved -> road!order(done); road!order(done)
    :: status == done -> road!order(done)
    fi
  od
}
