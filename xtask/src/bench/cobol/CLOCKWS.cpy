       01  WS-STAMP.
           05  FILLER                  PIC X(9).
           05  WS-HOUR                 PIC 99.
           05  WS-MINUTE               PIC 99.
           05  WS-SECOND               PIC 99.
           05  FILLER                  PIC X.
           05  WS-NANOS                PIC 9(9).
       01  WS-NOW                      PIC S9(18) COMP-5.
       01  WS-BEGAN                    PIC S9(18) COMP-5.
