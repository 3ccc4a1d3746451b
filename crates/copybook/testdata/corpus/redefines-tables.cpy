       01  TABLE-OVERLAYS.
           05  TO-1                      PIC X(2) OCCURS 5 TIMES.
           05  TO-2 REDEFINES TO-1       PIC X(10).
           05  TO-3 REDEFINES TO-1       PIC X(3) OCCURS 4 TIMES.
           05  TO-4                      PIC X(12) VALUE 'JANFEBMARAPR'.
           05  TO-5 REDEFINES TO-4.
               10  TO-6                  PIC XXX OCCURS 4 TIMES.
           05  TO-7                      PIC X.
