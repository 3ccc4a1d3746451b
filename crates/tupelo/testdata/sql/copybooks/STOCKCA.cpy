      * What STOCK is to do, and what came of each step.
           05  CA-STEPS                PIC X(12).
           05  CA-ITEM                 PIC X(8).
           05  CA-RESULT OCCURS 12     PIC X(9).
