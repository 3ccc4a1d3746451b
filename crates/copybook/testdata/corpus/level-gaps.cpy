       01  UNEVEN.
           05  N1.
               10  N2                    PIC X.
             07  N3                      PIC XX.
           05  N4                        PIC X.
