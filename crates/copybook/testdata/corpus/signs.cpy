       01  SIGNS.
           05  P1                        PIC S9(4).
           05  P2                        PIC S9(4) SIGN TRAILING.
           05  P3                        PIC S9(4) SIGN IS LEADING.
           05  P4                        PIC S9(4) LEADING SEPARATE.
           05  P5  PIC S9(4) SIGN IS TRAILING SEPARATE CHARACTER.
           05  P6                        PIC S9(4) TRAILING.
           05  P7                        PIC S9(4) DISPLAY LEADING.
           05  P8                        PIC X.
