       01  ERROR-AREA.
           05  ERROR-TEXT               PIC X(60).
