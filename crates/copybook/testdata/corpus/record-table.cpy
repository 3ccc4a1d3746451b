       01  RECORD-TABLE OCCURS 5.
           05  RT-1                      PIC S9(9) COMP SYNC.
           05  RT-2                      PIC X.
