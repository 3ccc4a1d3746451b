       01  RIGHT-SIDE.
           05  J1                        PIC X(10) JUST.
           05  J2                        PIC X(10) JUSTIFIED RIGHT.
           05  J3                        PIC A(5) JUST RIGHT.
