       01  LIST-REPLY.
           05  RESULT-CODE              PIC 9(3).
               88  RESULT-OK            VALUE 0.
               88  RESULT-BAD-INPUT     VALUE 400.
               88  RESULT-NOT-FOUND     VALUE 404.
               88  RESULT-CONFLICT      VALUE 409.
               88  RESULT-NO-FUNDS      VALUE 422.
               88  RESULT-FAILED        VALUE 500.
           05  RESULT-TEXT              PIC X(60).
           05  LIST-NEXT                PIC 9(8).
           05  LIST-COUNT               PIC 9(4) COMP.
           05  LIST-ENTRY OCCURS 0 TO 200 TIMES
                   DEPENDING ON LIST-COUNT.
               10  ENTRY-NUMBER         PIC 9(8).
               10  ENTRY-HOLDER         PIC X(30).
               10  ENTRY-KIND           PIC X(8).
               10  ENTRY-BALANCE        PIC S9(11)V99 COMP-3.
