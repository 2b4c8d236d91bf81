// expect: proved
// bound: catches[0] 1
// bound: catches[1] 1
// bound: shares[0] 1
// bound: shares[1] 1
// verdict: bounded
// maximum: catches[0] 1
// maximum: catches[1] 1
// maximum: shares[0] 1
// maximum: shares[1] 1
//
// Two fishers declare each season whether they held back or took all they could, and a warden adjusts
// their accounts; after thesis, section 3.3, Listing 3.1. Bounded: a fisher says nothing more before the
// answer is there, and the warden answers each of the two once for one word from each. How far the
// accounts go up or down (without a limit) makes no difference to that.

mtype = { season, account };

chan catches[2] = [1] of { mtype, bit };
chan shares[2] = [1] of { mtype, int };

proctype Fisher(int seat)
{
    int points = 5;
    int change;
    do
    :: points < 0 -> break
    :: points >= 0 ->
       if
       :: catches[seat]!season(0)
       :: catches[seat]!season(1)
       fi;
       shares[seat]?account(change);
       points = points + change
    od
}

active proctype Warden()
{
    bit left, right;
    int toLeft, toRight;
    do
    :: catches[0]?season(left);
       catches[1]?season(right);
       if
       :: left == 0 && right == 0 -> toLeft = -2; toRight = -2
       :: left == 0 && right == 1 -> toLeft = 1; toRight = -1
       :: left == 1 && right == 0 -> toLeft = -1; toRight = 1
       :: left == 1 && right == 1 -> toLeft = -1; toRight = -1
       fi;
       shares[0]!account(toLeft);
       shares[1]!account(toRight)
    od
}

init {
    run Fisher(0);
    run Fisher(1)
}
