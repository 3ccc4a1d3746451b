       01  GROUP-SIGN SIGN IS LEADING SEPARATE.
           05  S1                        PIC S9(5).
           05  S2                        PIC S9(5) TRAILING.
           05  S3                        PIC 9(5).
           05  S4                        PIC S9(5) COMP.
           05  S5 SIGN TRAILING SEPARATE.
               10  S6                    PIC S9(3)V9.
               10  S7                    PIC S9 COMP-3.
           05  S8                        PIC -(4)9.
           05  S9                        PIC ZZ9.
