       01  OUTER-RECORD.
           05  OR-KEY                    PIC X(4).
           COPY DATEPART.
           05  OR-END                    PIC X.
