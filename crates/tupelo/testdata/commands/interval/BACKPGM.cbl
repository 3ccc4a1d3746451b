      * Started with data: notes what RETRIEVE gives, then ends the DELAY
      * of the task that waits for it.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. BACKPGM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-NOTE.
           05  NOTE-KEY                PIC X(8) VALUE 'BACK'.
           05  NOTE-CODE               PIC X(3).
           05  NOTE-DATA               PIC X(9).
           05  NOTE-TRAN               PIC X(5).
           05  NOTE-TERM               PIC X(5).
           05  NOTE-QUEUE              PIC X(9).
           05  NOTE-LENGTH             PIC 9(4).
           05  FILLER                  PIC X VALUE SPACE.
           05  NOTE-SHORT              PIC 9(3).
           05  FILLER                  PIC X VALUE SPACE.
           05  NOTE-AGAIN              PIC 9(3).
           05  FILLER                  PIC X(29) VALUE SPACES.
       01  WS-LENGTH                   PIC S9(4) COMP VALUE 4.
       01  WS-DATA                     PIC X(8).
       01  WS-TRAN                     PIC X(4).
       01  WS-TERM                     PIC X(4).
       01  WS-QUEUE                    PIC X(8).
       PROCEDURE DIVISION.
           MOVE SPACES TO WS-DATA
           EXEC CICS ASSIGN STARTCODE(NOTE-CODE) END-EXEC
           EXEC CICS RETRIEVE INTO(WS-DATA) LENGTH(WS-LENGTH)
               RTRANSID(WS-TRAN) RTERMID(WS-TERM) QUEUE(WS-QUEUE)
               NOHANDLE END-EXEC
           MOVE EIBRESP TO NOTE-SHORT
           MOVE WS-LENGTH TO NOTE-LENGTH
           MOVE WS-DATA TO NOTE-DATA
           MOVE WS-TRAN TO NOTE-TRAN
           MOVE WS-TERM TO NOTE-TERM
           MOVE WS-QUEUE TO NOTE-QUEUE
           EXEC CICS RETRIEVE INTO(WS-DATA) NOHANDLE END-EXEC
           MOVE EIBRESP TO NOTE-AGAIN
           EXEC CICS WRITE FILE('NOTES') FROM(WS-NOTE)
               RIDFLD(NOTE-KEY) NOHANDLE END-EXEC
           EXEC CICS SYNCPOINT END-EXEC
           PERFORM WITH TEST AFTER UNTIL EIBRESP = 0
               EXEC CICS DELAY FOR MILLISECS(2) NOHANDLE END-EXEC
               EXEC CICS CANCEL REQID('WAITER') NOHANDLE END-EXEC
           END-PERFORM
           EXEC CICS RETURN END-EXEC.
