// More than were declared: seen only where the queue is not limited.
// unbounded: queue
// unbounded: complaints
chan queue = [2] of { bit };
chan complaints = [1] of { bit };
active proctype Guest() { do :: queue!1 od }
active proctype Manager() { do :: len(queue) > 2 -> complaints!1 od }
