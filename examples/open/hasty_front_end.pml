// As front_end.pml, but this front end takes the next request before the last one is answered.

mtype = { request, job, done, response };
chan in = [4] of { mtype, byte };     // freeboard: open in, out
chan out = [4] of { mtype, byte };
chan jobs = [2] of { mtype, byte };
chan results = [2] of { mtype, byte };

active proctype FrontEnd() {
  byte who;
  do
  :: in?request(who) -> jobs!job(who)
  :: results?done(who) -> out!response(who)
  od
}

active proctype Worker() {
  byte who;
  do
  :: jobs?job(who) -> results!done(who)
  od
}
