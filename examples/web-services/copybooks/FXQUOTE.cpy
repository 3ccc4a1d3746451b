      * An amount of one currency in another.
       01  FX-QUOTE.
           05  FX-AMOUNT               PIC S9(9)V99 COMP-3.
           05  FX-FROM                 PIC X(3).
           05  FX-TO                   PIC X(3).
           05  FX-RATE                 PIC 9(5)V9(6) COMP-3.
           05  FX-RESULT               PIC S9(11)V99 COMP-3.
           05  FX-REMARK               PIC X(40).
