       01  XFER-REPLY.
           COPY RESULT.
           05  XFER-FROM-BALANCE        PIC S9(11)V99 COMP-3.
           05  XFER-TO-BALANCE          PIC S9(11)V99 COMP-3.
