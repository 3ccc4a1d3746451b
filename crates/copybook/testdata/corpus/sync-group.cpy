       01  ALIGNED-GROUP SYNC.
           05  Q1                        PIC X.
           05  Q2                        PIC S9(4) COMP.
           05  Q3 SYNCHRONIZED.
               10  Q4                    PIC X.
               10  Q5                    PIC S9(9) COMP.
