       01  W-LIST.
           05  W-COUNT                   PIC 9.
           05  W-ITEM OCCURS 7 TIMES DEPENDING W-COUNT PIC X(4).
