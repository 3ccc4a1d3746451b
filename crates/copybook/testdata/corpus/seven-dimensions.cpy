       01  DEEP-TABLE.
         05 D1 OCCURS 2.
          07 D2 OCCURS 2.
           09 D3 OCCURS 2.
            11 D4 OCCURS 2.
             13 D5 OCCURS 2.
              15 D6 OCCURS 2.
               17 D7 OCCURS 2 PIC X(2).
