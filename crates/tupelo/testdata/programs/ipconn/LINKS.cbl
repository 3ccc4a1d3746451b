       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-AREA                      PIC X(30).
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-RESP2                     PIC S9(8) COMP.
       01  WS-SHOWN                     PIC 9(3).
       01  WS-SHOWN2                    PIC 9(3).
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY HELLO.
       PROCEDURE DIVISION.
           SET ADDRESS OF HELLO-AREA TO ADDRESS OF DFHCOMMAREA
           MOVE HELLO-NAME TO WS-AREA
           IF HELLO-NAME(5:1) = 'S'
               EXEC CICS LINK PROGRAM('KEEPS') SYSID('PEER')
                    COMMAREA(WS-AREA) LENGTH(30) SYNCONRETURN
                    RESP(WS-RESP) RESP2(WS-RESP2)
               END-EXEC
           ELSE
               EXEC CICS LINK PROGRAM('KEEPS') SYSID('PEER')
                    COMMAREA(WS-AREA) LENGTH(30)
                    RESP(WS-RESP) RESP2(WS-RESP2)
               END-EXEC
           END-IF
           MOVE WS-RESP TO WS-SHOWN
           MOVE WS-RESP2 TO WS-SHOWN2
           MOVE SPACES TO HELLO-GREETING
           STRING WS-SHOWN '/' WS-SHOWN2 ' ' WS-AREA(6:10)
                  DELIMITED BY SIZE INTO HELLO-GREETING
           EXEC CICS RETURN END-EXEC.
