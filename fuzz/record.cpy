       01  REC.
           05  KIND             PIC X.
           05  NAME             PIC X(12).
           05  SIGNED-NUMBER    PIC S9(5)V99.
           05  LEADING-SIGN     PIC S9(4) SIGN LEADING SEPARATE.
           05  PACKED-NUMBER    PIC S9(7)V9(2) COMP-3.
           05  BINARY-NUMBER    PIC S9(9) COMP.
           05  NATIVE-NUMBER    PIC 9(4) COMP-5.
           05  EDITED-NUMBER    PIC $$$,$$9.99CR.
           05  REAL-NUMBER      COMP-2.
           05  AREA-A           PIC X(8).
           05  AREA-B REDEFINES AREA-A.
               10  HALF         PIC 9(4) OCCURS 2.
           05  ROW-COUNT        PIC 9(2) COMP.
           05  ROWS OCCURS 0 TO 9 DEPENDING ON ROW-COUNT.
               10  ROW-ID       PIC 9(3).
               10  ROW-TEXT     PIC X(5).
           05  LAST-FIELD       PIC X(3).
