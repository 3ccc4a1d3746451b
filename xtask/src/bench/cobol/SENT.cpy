       01  WS-SENT.
           05  SENT-KEY                PIC 9(8).
           05  SENT-BEGAN              PIC S9(18) COMP-5.
       01  WS-RECORD.
           05  RECORD-KEY              PIC 9(8).
           05  RECORD-LATE             PIC 9(12).
