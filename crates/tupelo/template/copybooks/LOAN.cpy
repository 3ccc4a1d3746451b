       01  LOAN-AREA.
           05  LOAN-AMOUNT              PIC 9(9)V99.
           05  LOAN-RATE                PIC 9(2)V999.
           05  LOAN-MONTHS              PIC 9(3).
           05  LOAN-STATUS              PIC X.
               88  LOAN-GRANTED         VALUE 'G'.
               88  LOAN-REFUSED         VALUE 'R'.
           05  LOAN-REASON              PIC X(40).
           05  LOAN-PAYMENT             PIC 9(9)V99.
