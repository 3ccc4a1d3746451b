       01  ACCTOPEN-AREA.
           05  OPEN-NUMBER              PIC 9(8).
           05  OPEN-HOLDER              PIC X(30).
           05  OPEN-KIND                PIC X(8).
           05  OPEN-DEPOSIT             PIC S9(11)V99 COMP-3.
           05  OPEN-OVERDRAFT           PIC 9(7)V99 COMP-3.
           05  RESULT-CODE              PIC 9(3).
               88  RESULT-OK            VALUE 0.
               88  RESULT-BAD-INPUT     VALUE 400.
               88  RESULT-NOT-FOUND     VALUE 404.
               88  RESULT-CONFLICT      VALUE 409.
               88  RESULT-NO-FUNDS      VALUE 422.
               88  RESULT-FAILED        VALUE 500.
           05  RESULT-TEXT              PIC X(60).
           05  OPEN-DATE                PIC 9(8).
