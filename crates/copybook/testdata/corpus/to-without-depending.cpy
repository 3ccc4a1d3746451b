       01  FIXED-AFTER-ALL.
           05  LINE-OF-TEXT              PIC X(8) OCCURS 1 TO 5 TIMES.
           05  BEHIND                    PIC X.
