// expect: proved
// bound: questions 3
// verdict: bounded
// maximum: questions 3
//
// As left_waiting.pml, but the switchboard lets in three callers only; after thesis, section 7.6, Listing
// 7.6. The loop is unfolded, so that three processes are created, each once: three questions at most.

mtype = { question, answer };

chan questions = [2] of { mtype };

proctype Caller()
{
    questions!question;
    questions?answer
}

active proctype Switchboard()
{
    byte callers;

    do
    :: callers < 3 -> run Caller(); callers++
    :: else -> break
    od
}
