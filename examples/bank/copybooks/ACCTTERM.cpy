       01  ACCTTERM-AREA.
           05  TERM-KIND                PIC X(8).
           COPY RESULT.
           05  TERM-INTEREST            PIC 9(2)V9(3).
           05  TERM-FEE                 PIC 9(5)V99 COMP-3.
