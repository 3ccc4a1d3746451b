      * Working storage of TELL.
       01  TELL-COUNT                  PIC S9(4) COMP VALUE 0.
       01  TELL-STEP                   PIC X(20).
       01  TELL-DATA                   PIC X(40).
       01  TELL-RESP                   PIC ZZ9.
       01  TELL-RESP2                  PIC ZZ9.
