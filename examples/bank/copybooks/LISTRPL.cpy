       01  LIST-REPLY.
           COPY RESULT.
           05  LIST-NEXT                PIC 9(8).
           05  LIST-COUNT               PIC 9(4) COMP.
           05  LIST-ENTRY OCCURS 0 TO 200 TIMES
                   DEPENDING ON LIST-COUNT.
               10  ENTRY-NUMBER         PIC 9(8).
               10  ENTRY-HOLDER         PIC X(30).
               10  ENTRY-KIND           PIC X(8).
               10  ENTRY-BALANCE        PIC S9(11)V99 COMP-3.
