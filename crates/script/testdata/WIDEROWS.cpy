       01  WIDE-ROWS.
           05  ROW OCCURS 2.
               10  SUM             PIC S9(18) COMP.
           05  PLAIN               PIC S9(18) COMP-3 OCCURS 2.
