// expect: proved
// bound: toDesk 1
// bound: toTraveller 1
// livelock: proved
// verdict: bounded
// verdict: livelock-free
// maximum: toDesk 1
// maximum: toTraveller 1
//
// A traveller asks a desk about one of two cases, and asks again when the answer has status 4 (known, look
// later), but not when it has status 5 (unknown); after thesis, section 11.4, Listing 11.7, an excerpt of
// a model of CORBA's GIOP, closed here. Bounded: each question gives one answer, each answer at most one
// question, and there is one to begin with. No livelock, where finding a case in the register is
// progress: asking again takes an answer with status 4, and the step just before that is sent is the one
// marked. Who does not follow the status from one process to the other sees the traveller ask again
// after answers with status 5.

#define NOBODY 255

mtype = { ask, tell };

chan toDesk = [2] of { mtype, byte, byte };
chan toTraveller = [2] of { mtype, byte, byte };

active proctype Traveller()
{
    bit pending[2];
    byte ticket, status;
    pending[0] = 1;
    pending[1] = 1;
    if
    :: toDesk!ask(0, 0)
    :: toDesk!ask(1, 1)
    fi;
    do
    :: toTraveller?tell(ticket, status) ->
       if
       :: pending[ticket] == 1 ->
          if
          :: status == 4 -> toDesk!ask(ticket, ticket)
          :: status == 5 -> pending[ticket] = 0
          fi
       :: else
       fi
    od
}

active proctype Desk()
{
    byte holder[2];
    byte ticket, piece, status;
    holder[0] = NOBODY;
    do
    :: toDesk?ask(ticket, piece) ->
       if
       :: holder[piece] == NOBODY -> status = 5
       :: else ->
progress_found:
          status = 4
       fi;
       toTraveller!tell(ticket, status)
    od
}
