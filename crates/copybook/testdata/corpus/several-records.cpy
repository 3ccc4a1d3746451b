       01  HEADER-RECORD.
           05  HR-TYPE                   PIC X VALUE 'H'.
           05  HR-DATE                   PIC 9(8).
           05  FILLER                    PIC X(71).
       01  DETAIL-RECORD.
           05  DR-TYPE                   PIC X VALUE 'D'.
           05  DR-AMOUNT                 PIC S9(13)V99.
           05  FILLER                    PIC X(64).
       01  TRAILER-RECORD.
           05  TR-TYPE                   PIC X VALUE 'T'.
           05  TR-COUNT                  PIC 9(9).
           05  FILLER                    PIC X(70).
