       01  INVOICE.
           05  INVOICE-NUMBER            PIC 9(9) COMP.
           05  INVOICE-DATE              PIC 9(7) COMP-3.
           05  INVOICE-CURRENCY          PIC XXX.
           05  INVOICE-LINES             PIC S9(4) COMP.
           05  INVOICE-LINE OCCURS 1 TO 20 TIMES
                            DEPENDING ON INVOICE-LINES
                            ASCENDING KEY IS LINE-PRODUCT
                            INDEXED BY LINE-INDEX.
               10  LINE-PRODUCT          PIC X(12).
               10  LINE-QUANTITY         PIC S9(5) COMP-3.
               10  LINE-PRICE            PIC S9(7)V99 COMP-3.
               10  LINE-TAX-RATE         PIC V999 COMP-3.
