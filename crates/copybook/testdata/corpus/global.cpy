       01  VISIBLE-AREA IS GLOBAL.
           05  VA-1                      PIC X(8).
       01  ANOTHER GLOBAL                PIC X(5).
