       01  OVERLAYS.
           05  O1                        PIC X(3).
           05  O2                        PIC X(3).
           05  O3 REDEFINES O2           PIC X(10).
           05  O4 REDEFINES O2           PIC X(5).
           05  O5 REDEFINES O4           PIC 9.
           05  O6                        PIC X(2).
           05  O7 REDEFINES O6.
               10  O8                    PIC X.
               10  O9                    PIC X.
               10  O10 REDEFINES O9.
                   15  O11               PIC 9.
                   15  O12               PIC 9(4).
           05  REDEFINES O6              PIC 9(2).
           05  FILLER REDEFINES O6       PIC S9(3) COMP-3.
           05  O13                       PIC X.
           05  O14 PIC X(4) REDEFINES O13 VALUE 'LATE'.
           05  O15                       PIC X.
