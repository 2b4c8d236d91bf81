// A front end hands requests to a worker and waits for each answer. Who asks is not part of the model.

mtype = { request, job, done, response };
chan in = [4] of { mtype, byte };     // freeboard: open in, out
chan out = [4] of { mtype, byte };
chan jobs = [2] of { mtype, byte };
chan results = [2] of { mtype, byte };

active proctype FrontEnd() {
  byte who;
  do
  :: in?request(who) ->
     jobs!job(who);
     results?done(who);
     out!response(who)
  od
}

active proctype Worker() {
  byte who;
  do
  :: jobs?job(who) -> results!done(who)
  od
}
