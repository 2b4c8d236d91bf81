// expect: proved
// bound: steps 3
// verdict: bounded
// maximum: steps 3
//
// After thesis, Fig. 12.3 (Examples 12.3 and 12.4): a loop that goes on while one side of a seesaw is up or the other one is
// not yet; each round takes 2 from x and gives 1 to y. Neither side alone tells how often: x + y falls by 1 a round and lets three
// of them happen, -y two. Here each round sends a message. The values are followed, or all states looked at.

chan steps = [4] of { bit };

active proctype Seesaw()
{
    int x = 6;
    int y = -1;
    do
    :: x + y >= 3 || -y >= 0 -> steps!1; x = x - 2; y = y + 1
    :: else -> break
    od
}
