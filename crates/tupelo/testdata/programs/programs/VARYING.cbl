       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RECORD.
           05  WS-COUNT                 PIC 9.
           05  WS-ITEM                  PIC X OCCURS 1 TO 5 TIMES
                                        DEPENDING ON WS-COUNT.
           05  WS-FOLLOW                PIC X(6).
       01  WS-TEXT                      PIC X(9) VALUE '2abFOLLOW'.
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY HELLO.
       PROCEDURE DIVISION.
           SET ADDRESS OF HELLO-AREA TO ADDRESS OF DFHCOMMAREA
           MOVE 2 TO WS-COUNT
           MOVE WS-TEXT TO WS-RECORD
           MOVE WS-FOLLOW TO HELLO-GREETING
           EXEC CICS RETURN END-EXEC.
