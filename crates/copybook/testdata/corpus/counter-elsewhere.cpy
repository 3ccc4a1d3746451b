       01  HOW-MANY                      PIC 9(4) COMP.
       01  LIST-AREA.
           05  LIST-ITEM                 PIC X(10)
                   OCCURS 1 TO 50 DEPENDING ON HOW-MANY.
