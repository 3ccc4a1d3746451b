       01  GROUP-USAGES COMP.
           05  G1                        PIC S9(5).
           05  G2 COMP-3.
               10  G3                    PIC 9(5).
               10  G4                    PIC S9(4)V99 DISPLAY.
               10  G5 COMP-5.
                   15  G6                PIC 99.
                   15  G7                PIC 9(7).
           05  G8 DISPLAY.
               10  G9                    PIC X(5).
           05  G10 POINTER.
               10  G11.
               10  G12.
           05  G13 COMP-2.
               10  G14.
       01  GROUP-INDEX INDEX.
           05  G15.
           05  G16 OCCURS 3.
