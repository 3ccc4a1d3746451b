       01  REQUEST-AREA.
           05  REQUEST-ID                PIC X(6).
           05  REQUEST-DATA              PIC X(94).
       01  REPLY-AREA REDEFINES REQUEST-AREA.
           05  REPLY-CODE                PIC 9(2).
           05  REPLY-DATA                PIC X(120).
       01  ERROR-AREA REDEFINES REQUEST-AREA PIC X(10).
