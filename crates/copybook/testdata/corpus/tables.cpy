       01  CALENDAR.
           05  YEAR-ENTRY OCCURS 10 TIMES INDEXED BY YX.
               10  YEAR-NUMBER           PIC 9(4).
               10  MONTH-ENTRY OCCURS 12 INDEXED BY MX, MX2.
                   15  MONTH-NAME        PIC X(9).
                   15  DAY-ENTRY OCCURS 31 TIMES
                        INDEXED BY DX.
                       20  DAY-HOURS     PIC S9(3)V9 COMP-3
                            OCCURS 2.
                       20  DAY-CODE      PIC X.
           05  RATES OCCURS 5 ASCENDING KEY RATE-FROM
                          DESCENDING KEY IS RATE-CODE RATE-TO
                          INDEXED RX.
               10  RATE-CODE             PIC X(2).
               10  RATE-FROM             PIC 9(8).
               10  RATE-TO               PIC 9(8).
