      * What every program answers beside its data.
           05  RESULT-CODE              PIC 9(3).
               88  RESULT-OK            VALUE 0.
               88  RESULT-BAD-INPUT     VALUE 400.
               88  RESULT-NOT-FOUND     VALUE 404.
               88  RESULT-CONFLICT      VALUE 409.
               88  RESULT-NO-FUNDS      VALUE 422.
               88  RESULT-NOT-ALLOWED   VALUE 422.
               88  RESULT-FAILED        VALUE 500.
           05  RESULT-TEXT              PIC X(60).
