       01  ACCTMOVE-AREA.
           05  MOVE-NUMBER              PIC 9(8).
           05  MOVE-KIND                PIC X(10).
               88  MOVE-IS-DEPOSIT      VALUE 'DEPOSIT'.
               88  MOVE-IS-WITHDRAWAL   VALUE 'WITHDRAWAL'.
           05  MOVE-AMOUNT              PIC 9(9)V99 COMP-3.
           05  RESULT-CODE              PIC 9(3).
               88  RESULT-OK            VALUE 0.
               88  RESULT-BAD-INPUT     VALUE 400.
               88  RESULT-NOT-FOUND     VALUE 404.
               88  RESULT-CONFLICT      VALUE 409.
               88  RESULT-NO-FUNDS      VALUE 422.
               88  RESULT-FAILED        VALUE 500.
           05  RESULT-TEXT              PIC X(60).
           05  MOVE-BALANCE             PIC S9(11)V99 COMP-3.
