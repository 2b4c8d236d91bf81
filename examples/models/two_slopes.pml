// expect: proved
// livelock: proved
// verdict: bounded
// verdict: livelock-free
//
// Round after round a walker goes down two slopes with a climb before each, and may leave a slope
// early; after thesis, section 11.3.1, Listing 11.4. There is no channel, so it is bounded. No livelock,
// where the first climb is progress: on either slope each step takes 1 off a height of 5 at most, so the
// walker leaves it, and the way round passes the first climb. The first slope needs the round, and not
// the second slope, which changes the same variable.

active proctype Walker()
{
    int height;
    do
    :: true ->
progress_climb:
       height = 5;
       do
       :: height > 0 -> height--
       :: break
       od;
       height = 5;
       do
       :: height > 0 -> height--
       :: break
       od
    od
}
