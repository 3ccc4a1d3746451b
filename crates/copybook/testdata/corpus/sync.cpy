       01  ALIGNED-AREA.
           05  A1                        PIC X.
           05  A2                        PIC S9(4) COMP SYNC.
           05  A3                        PIC X.
           05  A4                        PIC S9(9) COMP SYNCHRONIZED.
           05  A5                        PIC X.
           05  A6                        PIC S9(18) COMP-5 SYNC LEFT.
           05  A7                        PIC X.
           05  A8                        COMP-1 SYNC.
           05  A9                        PIC X.
           05  A10                       COMP-2 SYNC RIGHT.
           05  A11                       PIC X.
           05  A12                       INDEX SYNC.
           05  A13                       PIC X.
           05  A14                       POINTER SYNC.
           05  A15                       PIC X.
           05  A16                       PIC S9(5) COMP-3 SYNC.
           05  A17                       PIC X(3) SYNC.
           05  A18                       PIC 9(9) COMP-X SYNC.
           05  A19                       PIC X.
           05  A20                       PIC 9(5) COMP-X SYNC.
           05  A21                       PIC X.
           05  A22                       BINARY-SHORT SYNC.
           05  A23                       PIC X.
           05  A24                       BINARY-DOUBLE SYNC.
           05  A25                       PIC X.
           05  A26                       FLOAT-DECIMAL-16 SYNC.
           05  A27                       PIC X.
           05  A28                       FLOAT-DECIMAL-34 SYNC.
           05  A29                       PIC X.
           05  A30                       BINARY-CHAR SYNC.
