      * One account, as the file ACCTFILE holds it.  Key: ACCOUNT-NUMBER.
       01  ACCOUNT-RECORD.
           05  ACCOUNT-NUMBER           PIC 9(8).
           05  ACCOUNT-HOLDER           PIC X(30).
           05  ACCOUNT-KIND             PIC X(8).
               88  ACCOUNT-IS-CURRENT   VALUE 'CURRENT'.
               88  ACCOUNT-IS-SAVINGS   VALUE 'SAVINGS'.
           05  ACCOUNT-BALANCE          PIC S9(11)V99 COMP-3.
           05  ACCOUNT-OVERDRAFT        PIC 9(7)V99 COMP-3.
           05  ACCOUNT-OPENED           PIC 9(8).
           05  ACCOUNT-MOVEMENTS        PIC 9(8) COMP.
           05  FILLER                   PIC X(10).
