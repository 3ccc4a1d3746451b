      * Started: notes how in temporary storage. WAIT has nothing to wait
      * for, since a task without a terminal has its own START's data.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. NOTEPGM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-NOTE.
           05  NOTE-CODE               PIC X(3).
           05  NOTE-USER               PIC X(9).
           05  NOTE-DATA               PIC X(9) VALUE SPACES.
           05  NOTE-FIRST              PIC 9(3).
           05  FILLER                  PIC X VALUE SPACE.
           05  NOTE-AGAIN              PIC 9(3).
       01  WS-AT                       USAGE POINTER.
       01  WS-LENGTH                   PIC S9(4) COMP.
       LINKAGE SECTION.
       01  LK-DATA                     PIC X(8).
       PROCEDURE DIVISION.
           EXEC CICS ASSIGN STARTCODE(NOTE-CODE) USERID(NOTE-USER)
               END-EXEC
           EXEC CICS RETRIEVE SET(WS-AT) LENGTH(WS-LENGTH) WAIT
               NOHANDLE END-EXEC
           MOVE EIBRESP TO NOTE-FIRST
           IF EIBRESP = 0
               SET ADDRESS OF LK-DATA TO WS-AT
               MOVE LK-DATA (1:WS-LENGTH) TO NOTE-DATA
           END-IF
           EXEC CICS RETRIEVE SET(WS-AT) LENGTH(WS-LENGTH) WAIT
               NOHANDLE END-EXEC
           MOVE EIBRESP TO NOTE-AGAIN
           EXEC CICS WRITEQ TS QUEUE('NOTED') FROM(WS-NOTE) END-EXEC
           EXEC CICS RETURN END-EXEC.
