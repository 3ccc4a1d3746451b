       01  ACCTOPEN-AREA.
           05  OPEN-NUMBER              PIC 9(8).
           05  OPEN-HOLDER              PIC X(30).
           05  OPEN-KIND                PIC X(8).
           05  OPEN-DEPOSIT             PIC S9(11)V99 COMP-3.
           05  OPEN-OVERDRAFT           PIC 9(7)V99 COMP-3.
           COPY RESULT.
           05  OPEN-DATE                PIC 9(8).
