       01  RESPONSE-LENGTH.
           05  ALPHA-LEN-C              PIC X(8).
