      * A line, as the customer's program gets it.
       01  LINE-AREA.
           05  LINE-LENGTH             PIC 9(4) BINARY VALUE 0.
           05  LINE-TEXT               PIC X(1000).
      * What is left of the last read.
       01  READ-AT                     PIC 9(8) BINARY VALUE 1.
       01  READ-END                    PIC 9(8) BINARY VALUE 0.
       01  PIECE-LENGTH                PIC 9(8) BINARY.
       01  PIECE-ROOM                  PIC 9(8) BINARY.
       01  LINE-IS-THERE               PIC X.
