       01  SHARED-AREA EXTERNAL.
           05  SA-1                      PIC X(8).
       01  SHARED-NAMED IS EXTERNAL AS "AREA2" PIC X(5).
