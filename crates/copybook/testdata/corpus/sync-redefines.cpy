       01  ALIGNED-OVERLAYS.
           05  R1                        PIC X.
           05  R2                        PIC S9(9) COMP SYNC.
           05  R3 REDEFINES R2           PIC S9(9) COMP SYNC.
           05  R4 REDEFINES R2.
               10  R5                    PIC X.
               10  R6                    PIC S9(4) COMP SYNC.
           05  R7                        PIC X.
           05  R8                        PIC X(4).
           05  R9 REDEFINES R8           PIC S9(9) COMP SYNC.
           05  R10 OCCURS 2.
               10  R11                   PIC S9(9) COMP SYNC.
               10  R12                   PIC X(3).
               10  R13 REDEFINES R12     PIC X.
           05  R14                       PIC X.
