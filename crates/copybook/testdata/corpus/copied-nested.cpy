       01  NESTED-RECORD.
           COPY OUTERPART.
           05  NR-END                    PIC X.
