       01  FULL-BINARY.
           05  X1                        PIC 9 COMP-X.
           05  X2                        PIC 9(3) COMP-X.
           05  X3                        PIC S9(5) COMP-X.
           05  X4                        PIC 9(8) COMP-X.
           05  X5                        PIC 9(10) COMPUTATIONAL-X.
           05  X6                        PIC 9(13) COMP-X.
           05  X7                        PIC 9(15) COMP-X.
           05  X8                        PIC S9(18) COMP-X.
           05  X9                        PIC 9(5)V99 COMP-N.
           05  X10                       PIC X COMP-X.
           05  X11                       PIC X(3) COMP-X.
           05  X12                       PIC X(8) COMP-X.
           05  X13                       PIC XX COMP-5.
           05  X14                       PIC X(3) COMP-5.
           05  X15                       PIC X(7) COMP-5.
           05  X16                       PIC X.
