       01.
           05  UN-1                      PIC X.
       01  FILLER.
           05  UN-2                      PIC X(2).
       01  PIC X(3).
