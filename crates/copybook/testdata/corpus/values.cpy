       01  INITIAL-VALUES.
           05  V1                        PIC X(5) VALUE 'HELLO'.
           05  V2                        PIC X(5) VALUE "O'NEIL".
           05  V3                        PIC X(5) VALUE 'DON''T'.
           05  V4                        PIC X(5) VALUE SPACES.
           05  V5                        PIC 9(5) VALUE ZEROES.
           05  V6                        PIC X(5) VALUE LOW-VALUES.
           05  V7                        PIC X(5) VALUE IS HIGH-VALUE.
           05  V8                        PIC X(5) VALUE QUOTES.
           05  V9                        PIC X(5) VALUE ALL 'AB'.
           05  V10                       PIC X(2) VALUE X'0D0A'.
           05  V11                       PIC S9(3)V99 VALUE -123.45.
           05  V12                       PIC S9(3) VALUE +5.
           05  V13                       PIC V99 VALUE .25.
           05  V14                       POINTER VALUE NULL.
           05  V15                       PIC X(6) VALUE 'ABC' & 'DEF'.
           05  V16                       PIC X(4) VALUE Z'ABC'.
           05  V17                       PIC N(3) VALUE N'ABC'.
           05  V18                       PIC ZZ9 VALUE '  7'.
           05  V19                       PIC X(3) OCCURS 2 VALUE 'ABC'.
           05  V20 VALUE 'GROUP'.
               10  V21                   PIC X(3).
               10  V22                   PIC X(3).
