       01  XFER-REQUEST.
           05  XFER-FROM                PIC 9(8).
           05  XFER-TO                  PIC 9(8).
           05  XFER-AMOUNT              PIC 9(9)V99 COMP-3.
