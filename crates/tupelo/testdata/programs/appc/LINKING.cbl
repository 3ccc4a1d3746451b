       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-AREA                      PIC X(30000).
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-RESP2                     PIC S9(8) COMP.
       01  WS-SHOWN                     PIC 9(4).
       01  WS-SHOWN2                    PIC 9(4).
       01  WS-PROGRAM                   PIC X(8) VALUE 'ROUND'.
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY HELLO.
       PROCEDURE DIVISION.
           SET ADDRESS OF HELLO-AREA TO ADDRESS OF DFHCOMMAREA
           EXEC CICS HANDLE ABEND LABEL(FAILED) END-EXEC
           MOVE HELLO-NAME TO WS-AREA
           EVALUATE HELLO-NAME
             WHEN 'none'    MOVE 'NONE' TO WS-PROGRAM
             WHEN 'stopped' MOVE 'STOPPED' TO WS-PROGRAM
             WHEN 'missing' MOVE 'MISSING' TO WS-PROGRAM
             WHEN 'script'  MOVE 'GREET' TO WS-PROGRAM
           END-EVALUATE
           IF HELLO-NAME = 'defined'
               EXEC CICS LINK PROGRAM('ROUND')
                    COMMAREA(WS-AREA) LENGTH(30000)
                    RESP(WS-RESP) RESP2(WS-RESP2)
               END-EXEC
           ELSE
               EXEC CICS LINK PROGRAM(WS-PROGRAM) SYSID('PEER')
                    COMMAREA(WS-AREA) LENGTH(30000) SYNCONRETURN
                    RESP(WS-RESP) RESP2(WS-RESP2)
               END-EXEC
           END-IF
           MOVE WS-RESP TO WS-SHOWN
           MOVE WS-RESP2 TO WS-SHOWN2
           MOVE SPACES TO HELLO-GREETING
           STRING WS-SHOWN ' ' WS-SHOWN2 ' ' DELIMITED BY SIZE
                  WS-AREA(29981:20) DELIMITED BY SIZE
                  INTO HELLO-GREETING
           EXEC CICS RETURN END-EXEC.
       FAILED.
           EXEC CICS ASSIGN ABCODE(WS-PROGRAM(1:4)) END-EXEC
           MOVE WS-PROGRAM(1:4) TO HELLO-GREETING
           EXEC CICS RETURN END-EXEC.
