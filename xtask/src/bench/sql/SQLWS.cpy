       COPY CLOCKWS.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-TIMES                    PIC S9(8) COMP-5.
       01  WS-KEY                      PIC S9(9) COMP.
       01  WS-NAME                     PIC X(20).
       01  WS-COUNTED                  PIC S9(9) COMP.
       01  WS-ID                       PIC S9(9) COMP.
