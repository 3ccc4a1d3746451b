       IDENTIFICATION DIVISION.
       PROGRAM-ID. PIPS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RECORD                    PIC X(100).
       01  WS-NAME                      PIC X(40).
       01  WS-NAME-LENGTH               PIC S9(4) COMP.
       01  WS-LIST                      POINTER.
       01  WS-LIST-LENGTH               PIC S9(4) COMP.
       01  WS-RESP                      PIC S9(8) COMP.
       LINKAGE SECTION.
       01  LS-LIST                      PIC X(32763).
       PROCEDURE DIVISION.
           EXEC CICS RECEIVE INTO(WS-RECORD) END-EXEC
           EXEC CICS EXTRACT PROCESS
                PROCNAME(WS-NAME) PROCLENGTH(WS-NAME-LENGTH)
                MAXPROCLEN(40)
                PIPLIST(WS-LIST) PIPLENGTH(WS-LIST-LENGTH)
                RESP(WS-RESP)
           END-EXEC
           IF WS-LIST = NULL
               EXEC CICS SEND FROM('NONE') LENGTH(4) LAST WAIT END-EXEC
           ELSE
               SET ADDRESS OF LS-LIST TO WS-LIST
               EXEC CICS SEND FROM(LS-LIST) LENGTH(WS-LIST-LENGTH)
                    LAST WAIT
               END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
