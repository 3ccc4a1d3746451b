       01  WIDE.
           05  BIG                 PIC S9(18).
           05  EXACT               PIC S9(16)V99 COMP-3.
           05  SMALL               PIC 9(4) COMP.
           05  ROW OCCURS 3.
               10  NAME            PIC X(4).
               10  CELL            PIC 9(2) OCCURS 3.
           05  DATE-TEXT           PIC X(8).
           05  DATE-PARTS REDEFINES DATE-TEXT.
               10  YEAR            PIC 9(4).
               10  MONTH           PIC 9(2).
               10  DAY             PIC 9(2).
