       IDENTIFICATION DIVISION.
       PROGRAM-ID. NOTE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RECORD.
           05  WS-KEY                  PIC X(8).
           05  WS-TASK                 PIC 9(7).
           05  FILLER                  PIC X(65) VALUE SPACES.
       01  WS-BEGUN                    PIC X(8).
       01  WS-LENGTH                   PIC S9(4) COMP VALUE 8.
       PROCEDURE DIVISION.
           EXEC CICS RETRIEVE INTO(WS-KEY) LENGTH(WS-LENGTH) END-EXEC
           MOVE EIBTASKN TO WS-TASK
           IF WS-KEY (1:1) = 'S'
               MOVE 'B' TO WS-BEGUN
               MOVE WS-KEY (2:7) TO WS-BEGUN (2:7)
               EXEC CICS READ FILE('MARKS') INTO(WS-RECORD)
                   RIDFLD(WS-BEGUN) NOHANDLE END-EXEC
               IF EIBRESP = DFHRESP(NOTFND)
                   MOVE WS-BEGUN TO WS-KEY
                   EXEC CICS WRITE FILE('MARKS') FROM(WS-RECORD)
                       RIDFLD(WS-BEGUN) END-EXEC
                   EXEC CICS DELAY FOR HOURS(1) END-EXEC
               END-IF
               MOVE 'S' TO WS-KEY (1:1)
           END-IF
           EXEC CICS WRITE FILE('NOTES') FROM(WS-RECORD)
               RIDFLD(WS-KEY) END-EXEC
           EXEC CICS RETURN END-EXEC.
