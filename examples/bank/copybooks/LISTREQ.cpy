       01  LIST-REQUEST.
           05  LIST-START               PIC 9(8).
           05  LIST-LIMIT               PIC 9(4) COMP.
