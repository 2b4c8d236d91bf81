// A flag is up while a send waits: somebody who looks then tells.
// bounded: slot 2
// bounded: told 1
chan slot = [1] of { bit };
chan told = [3] of { bit };
bit waiting;
active proctype Slow() { slot!1; atomic { waiting = 1; slot!1; waiting = 0 } }
active proctype Look() { waiting == 1 -> told!1 }
