       01  SEPARATED.
           05  SP-1, PIC X(3), VALUE 'ABC'.
           05  SP-2; PIC X; OCCURS 3, TIMES.
           05  SP-3  PIC ZZ,ZZ9.99.
           05  SP-4  PIC 9(3),9.
           05  SP-5  PIC X. 05 SP-6 PIC X.
