       01  LISTED.
      /
           05  LI-1                      PIC X.
           EJECT
           05  LI-2                      PIC X(2).
           SKIP1
           05  LI-3                      PIC X(3).
      D    05  LI-DEBUG                  PIC X(99).
           05  LI-4                      PIC X(4). *> at the end
           SKIP3.
