       01  CALC-AREA.
           05  CALC-OP                 PIC X(4).
           05  CALC-NAME               PIC X(12).
           05  CALC-COUNT              PIC S9(5).
           05  CALC-PRICE              PIC S9(5)V99 COMP-3.
           05  CALC-TOTAL              PIC S9(9) COMP.
