       01  ACCTINQ-AREA.
           05  INQ-NUMBER               PIC 9(8).
           COPY RESULT.
           05  INQ-HOLDER               PIC X(30).
           05  INQ-KIND                 PIC X(8).
           05  INQ-BALANCE              PIC S9(11)V99 COMP-3.
           05  INQ-OVERDRAFT            PIC 9(7)V99 COMP-3.
           05  INQ-OPENED               PIC 9(8).
           05  INQ-MOVEMENTS            PIC 9(8) COMP.
