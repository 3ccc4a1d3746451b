                   15  FD-ONE            PIC X(4).
                   15  FD-TWO            PIC 9(4).
               10  FD-THREE              PIC X.
