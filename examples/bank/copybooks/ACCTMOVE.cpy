       01  ACCTMOVE-AREA.
           05  MOVE-NUMBER              PIC 9(8).
           05  MOVE-KIND                PIC X(10).
               88  MOVE-IS-DEPOSIT      VALUE 'DEPOSIT'.
               88  MOVE-IS-WITHDRAWAL   VALUE 'WITHDRAWAL'.
           05  MOVE-AMOUNT              PIC 9(9)V99 COMP-3.
           COPY RESULT.
           05  MOVE-BALANCE             PIC S9(11)V99 COMP-3.
