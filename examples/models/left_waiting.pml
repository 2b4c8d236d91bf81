// expect: refuted
// grows: questions
// verdict: unbounded
// maximum: questions unbounded
//
// A switchboard lets in callers for ever. Each asks one question and waits for an answer that nobody
// gives; after thesis, section 7.6, Listing 7.6. Unbounded, although no loop sends: every caller let in
// leaves one more question behind, which nobody takes away. (Processes can be created without a limit
// here. Spin stops at 255.)

mtype = { question, answer };

chan questions = [2] of { mtype };

proctype Caller()
{
    questions!question;
    questions?answer
}

active proctype Switchboard()
{
    do
    :: run Caller()
    od
}
