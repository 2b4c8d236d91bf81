// The same attempt three times, by a macro.
// bounded: hook 3
// bounded: dropped 2
#define TRY(queue) if :: queue!1 :: else -> dropped!1 fi
chan hook = [1] of { bit };
chan dropped = [4] of { bit };
active proctype Angler() { TRY(hook); TRY(hook); TRY(hook) }
