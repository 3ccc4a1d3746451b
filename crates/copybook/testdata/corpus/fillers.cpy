       01  HOLES.
           05  FILLER                    PIC X(3).
           05                            PIC X(2) VALUE '--'.
           05  H1                        PIC X.
           05  FILLER.
               10  H2                    PIC 9.
               10  FILLER                PIC X.
               10  .
                   15  H3                PIC X.
           05  FILLER OCCURS 3.
               10  H4                    PIC X(2).
           05  FILLER COMP-1.
           05  H5                        PIC X.
