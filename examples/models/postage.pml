// expect: refuted
// grows: letters
// verdict: unbounded
// maximum: letters unbounded
//
// A writer saves stamps, now and then takes all of them to the desk, and sends a letter for each; after thesis, section
// 12.1, Example 12.2. Unbounded: each letter takes a stamp from the desk, and the desk is filled only when it is
// empty, so the loop that writes letters needs the loop that fetches stamps; but there is no limit to the stamps saved
// before. Who takes "needs" for "so often at most" calls it bounded.

mtype = { letter };

chan letters = [5] of { mtype };

active proctype Writer()
{
    int saved = 0;
    int desk = 0;
    do
    :: saved++
    :: desk == 0 && saved > 0 -> desk = saved; saved = 0
    :: desk > 0 -> letters!letter; desk--
    od
}
