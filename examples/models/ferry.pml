// expect: proved
// bound: deck 4
// bound: quay 4
// verdict: bounded
// maximum: deck 4
// maximum: quay 4
//
// A harbour counts the cars that it has sent across and not yet back: the window of a sliding window protocol,
// by what it is for. Nothing asks whether `away` is above 0 before it is lowered; it is because the car
// that comes back has been counted. Bounded: `away` is at most 4, and as many cars are on the deck, on the quay
// or with the crew; one is sent before it is counted, but then nothing else happens to `away` in between.
// If `away--` could take a byte below 0, it would be 255, and there would be no such bound.

chan deck = [4] of { byte };
chan quay = [4] of { byte };

active proctype Harbour()
{
    byte away, car;
    do
    :: away < 4 ->
        deck!car;
        away++
    :: quay?car ->
        away--
    od
}

active proctype Crew()
{
    byte car;
end:
    do
    :: deck?car -> quay!car
    od
}
