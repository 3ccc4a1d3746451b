       01  BIG-AREA.
           05  BIG-TEXT                  PIC X(8000000).
           05  BIG-TABLE OCCURS 100000.
               10  BIG-ITEM              PIC S9(9) COMP.
               10  BIG-FLAG              PIC X.
