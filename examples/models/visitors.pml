// expect: refuted
// grows: guestbook
// bound: bell 1
// verdict: unbounded
// maximum: guestbook unbounded
// maximum: bell 1
//
// No loop sends to the guestbook, but visitors are created for ever and each writes one line; after paper
// 000 (SPIN 2004), Figure 8. The bell rings once. Nobody reads the guestbook, so n visitors leave n
// lines. (Processes can be created without a limit here. Spin stops at 255.)

mtype = { line, ring };

chan guestbook = [2] of { mtype };
chan bell = [2] of { mtype };

proctype Visitor()
{
    guestbook!line
}

active proctype Museum()
{
    bell!ring;
    do
    :: run Visitor()
    od
}
