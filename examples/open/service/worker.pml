// The worker of a service: it answers each job once.
mtype = { request, job, done, response };
chan jobs = [2] of { mtype };     // freeboard: open jobs, results
chan results = [2] of { mtype };
chan steps = [1] of { mtype };

active proctype Worker() {
  do
  :: jobs?job -> steps!job; steps?job; results!done
  od
}
