// Three clients of a service, each of which waits for its response.
mtype = { request, job, done, response };
chan in = [4] of { mtype };       // freeboard: open in, out
chan out = [4] of { mtype };

active [3] proctype Client() {
  do
  :: in!request; out?response
  od
}
