// expect: proved
// bound: toServer 3
// bound: toClient 3
// verdict: bounded
// maximum: toServer 3
// maximum: toClient 3
//
// Three clients, each of which waits for its answer before it asks again, and one server; thesis,
// Figure 3.4, with several clients. toServer has room for all of them, toClient has not.

#define CLIENTS 3

mtype = { request, reply };

chan toServer = [CLIENTS] of { mtype };
chan toClient = [2] of { mtype };

active [CLIENTS] proctype Client()
{
    do
    :: toServer!request;
       toClient?reply
    od
}

active proctype Server()
{
    do
    :: toServer?request -> toClient!reply
    od
}
