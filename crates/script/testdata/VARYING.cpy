       01  VARYING.
           05  COUNT-OF            PIC 9(2).
           05  ITEMS OCCURS 0 TO 9 DEPENDING ON COUNT-OF.
               10  CODE            PIC X(2).
           05  TAIL                PIC X(5).
