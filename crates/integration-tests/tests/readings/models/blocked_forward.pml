// A relay that waits for room holds back what it would say next; nothing but waiting comes of it.
// bounded: request 1
// bounded: relay 1
// bounded: reply 1
chan request = [1] of { bit };
chan relay = [3] of { bit };
chan reply = [2] of { bit };
active proctype Client() { do :: request!1; reply?_ od }
active proctype Middle() { do :: request?_ -> relay!1 od }
active proctype Server() { do :: relay?_ -> reply!1 od }
