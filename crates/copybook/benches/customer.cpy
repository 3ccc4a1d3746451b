       01  CUSTOMER.
           05  CUST-ID                  PIC S9(9)  COMP.
           05  CUST-KEY                 PIC X(8).
           05  NAME.
               10  TITLE                PIC X(10).
               10  FIRST-NAME           PIC X(30).
               10  LAST-NAME            PIC X(40).
           05  ADDRESS.
               10  STREET               PIC X(40).
               10  CITY                 PIC X(30).
               10  REGION               PIC X(20).
               10  POSTCODE             PIC X(10).
               10  COUNTRY              PIC X(2).
           05  PHONE                    PIC X(20).
           05  EMAIL                    PIC X(50).
           05  BIRTH-DATE               PIC 9(8).
           05  OPENED                   PIC 9(8).
           05  CREDIT-LIMIT             PIC S9(9)      COMP-3.
           05  BALANCE                  PIC S9(9)V99   COMP-3.
           05  INTEREST                 PIC S9(3)V9(4).
           05  SCORE                    PIC 9(3).
           05  VISITS                   PIC S9(4)      COMP.
           05  POINTS                   PIC 9(9)       COMP.
           05  FLAGS                    PIC X(8).
           05  ORDER-COUNT              PIC 9(2).
           05  ORDERS OCCURS 5 TIMES.
               10  ORDER-NO             PIC 9(9).
               10  ORDER-DATE           PIC 9(8).
               10  ORDER-AMOUNT         PIC S9(7)V99   COMP-3.
               10  ORDER-STATUS         PIC X(4).
               10  ORDER-TEXT           PIC X(30).
           05  REMARKS                  PIC X(141).
