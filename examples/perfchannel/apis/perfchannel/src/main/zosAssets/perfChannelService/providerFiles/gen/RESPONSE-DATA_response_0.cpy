       01  RESPONSE-DATA.
           05  ALPHA-DATA               PIC X(8000000).
