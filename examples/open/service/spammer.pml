// A client of a service that waits for nothing.
mtype = { request, job, done, response };
chan in = [4] of { mtype };       // freeboard: open in, out
chan out = [4] of { mtype };

active proctype Spammer() {
  do
  :: in!request
  :: out?response
  od
}
