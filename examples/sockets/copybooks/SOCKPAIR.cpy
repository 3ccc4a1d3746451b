      * What RECEIVER and SENDER of a session share: a queue, and the
      * turns by which the one waits for the other, one an item.
       01  TURN.
           05  SESSION-QUEUE.
               10  FILLER              PIC X(4) VALUE 'SEND'.
               10  SESSION-NAME        PIC X(4).
           05  TURN-NUMBER             PIC 9(8) VALUE 1.
       01  ITEM-BYTES                  PIC S9(4) BINARY.
       01  RESPONSE                    PIC S9(8) BINARY.
