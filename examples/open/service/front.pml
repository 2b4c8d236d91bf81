// The front of a service, without its worker and its clients. It waits for nobody: how much is under
// way is up to the clients.
mtype = { request, job, done, response };
chan in = [4] of { mtype };       // freeboard: open in, out, jobs, results
chan out = [4] of { mtype };
chan jobs = [2] of { mtype };
chan results = [2] of { mtype };

active proctype Front() {
  do
  :: in?request -> jobs!job
  :: results?done -> out!response
  od
}
