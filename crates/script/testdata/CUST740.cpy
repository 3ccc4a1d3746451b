      * A customer record of 740 bytes, for measuring.
       01  CUSTOMER.
           05  CUST-NUMBER         PIC 9(8).
           05  CUST-NAME           PIC X(40).
           05  CUST-STREET         PIC X(40).
           05  CUST-CITY           PIC X(30).
           05  CUST-ZIP            PIC X(10).
           05  CUST-COUNTRY        PIC X(2).
           05  CUST-BALANCE        PIC S9(9)V99 COMP-3.
           05  CUST-LIMIT          PIC S9(9)V99 COMP-3.
           05  CUST-SINCE          PIC 9(8).
           05  CUST-VISITS         PIC 9(8) COMP.
           05  CUST-ORDER OCCURS 10.
               10  ORDER-NUMBER    PIC 9(8).
               10  ORDER-TEXT      PIC X(30).
               10  ORDER-AMOUNT    PIC S9(7)V99 COMP-3.
               10  ORDER-PIECES    PIC 9(4).
           05  CUST-NOTE           PIC X(116).
