       01  ALIGNED-TABLES.
           05  T1                        PIC X.
           05  T2 OCCURS 3.
               10  T3                    PIC X.
               10  T4                    PIC S9(9) COMP SYNC.
               10  T5                    PIC X.
           05  T6                        PIC X.
           05  T7 OCCURS 3 TIMES         PIC S9(9) COMP SYNC.
           05  T8                        PIC X.
           05  T9 OCCURS 4.
               10  T10                   PIC S9(4) COMP SYNC.
               10  T11                   PIC X.
           05  T12 OCCURS 2.
               10  T13                   PIC X.
               10  T14.
                   15  T15               PIC S9(9) COMP SYNC.
                   15  T16               PIC X.
               10  T17                   PIC X.
           05  T18                       PIC X.
