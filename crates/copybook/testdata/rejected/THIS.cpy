           05  THIS-A PIC X.
