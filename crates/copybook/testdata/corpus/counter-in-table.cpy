       01  ORDERS.
           05  ONE-ORDER OCCURS 4 TIMES.
               10  LINES-IN-ORDER        PIC 99.
               10  ORDER-LINE            PIC X(8)
                   OCCURS 1 TO 3 DEPENDING ON LINES-IN-ORDER.
