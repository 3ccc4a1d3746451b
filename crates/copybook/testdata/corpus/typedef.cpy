       01  MONEY IS TYPEDEF.
           05  AMOUNT                    PIC S9(9)V99 COMP-3.
           05  CURRENCY-CODE             PIC XXX.
       01  PRICE-LIST.
           05  LIST-PRICE                TYPE MONEY.
           05  SALE-PRICE                TYPE TO MONEY.
           05  PL-END                    PIC X.
