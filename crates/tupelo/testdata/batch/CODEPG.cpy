       01  ACCOUNT.
           05  A-NAME          PIC X(10).
           05  A-PAID          PIC S9(5)V99 COMP-3.
           05  A-COUNT         PIC S9(4) COMP.
           05  A-BALANCE       PIC S9(5)V99.
