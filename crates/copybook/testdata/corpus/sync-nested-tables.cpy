       01  ALIGNED-DEEP.
           05  D1                        PIC X.
           05  D2 OCCURS 3.
               10  D3 OCCURS 2.
                   15  D4                PIC S9(9) COMP SYNC.
                   15  D5                PIC X(3).
               10  D6                    PIC X.
               10  D7 OCCURS 2.
                   15  D8                PIC S9(4) COMP SYNC.
                   15  D9                PIC X.
           05  D10                       PIC X.
           05  D11 OCCURS 2.
               10  D12                   PIC S9(4) COMP SYNC.
               10  D13                   COMP-2 SYNC.
               10  D14                   PIC X.
