       01  TWO-LISTS.
           05  FIRST-PART.
               10  HOW-MANY              PIC 9.
           05  SECOND-PART.
               10  HOW-MANY              PIC 9.
           05  ITEM-A PIC XX OCCURS 1 TO 5
               DEPENDING ON HOW-MANY OF FIRST-PART.
           05  ITEM-B PIC XXX OCCURS 1 TO 5
               DEPENDING ON HOW-MANY IN SECOND-PART OF TWO-LISTS.
