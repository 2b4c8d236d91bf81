// One process looks whether another one could go on.
// unbounded: tray
// unbounded: reports with tray
chan tray = [2] of { bit };
chan reports = [3] of { bit };
active proctype Clerk() { do :: tray!1 od }
active proctype Auditor() { do :: enabled(0) == 0 -> reports!1 od }
