       01  MESSAGE-AREA.
           05  MESSAGE-COUNT             PIC 99.
           05  PART-COUNT                PIC 9(3) COMP-3.
           05  MESSAGE-TEXT              PIC X(20)
                   OCCURS 0 TO 6 TIMES DEPENDING ON MESSAGE-COUNT.
           05  MESSAGE-TRAILER           PIC X(8).
           05  MESSAGE-PARTS.
               10  MESSAGE-PART          PIC X(3)
                   OCCURS 1 TO 9 TIMES DEPENDING ON PART-COUNT.
               10  MESSAGE-PARTS-END     PIC XX.
           05  MESSAGE-END               PIC X(4).
