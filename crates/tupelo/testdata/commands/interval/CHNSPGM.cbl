      * Started with a channel: notes its name, a container and what
      * RETRIEVE answers, then ends the DELAY of the task that waits.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CHNSPGM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-NOTE.
           05  NOTE-KEY                PIC X(8) VALUE 'CHNS'.
           05  NOTE-CHANNEL            PIC X(8).
           05  NOTE-CODE               PIC X(3).
           05  NOTE-DATA               PIC X(8).
           05  NOTE-RETRIEVE           PIC 9(3).
           05  FILLER                  PIC X(50) VALUE SPACES.
       01  WS-CHANNEL                  PIC X(16).
       01  WS-DATA                     PIC X(7).
       01  WS-LENGTH                   PIC S9(8) COMP VALUE 7.
       PROCEDURE DIVISION.
           EXEC CICS ASSIGN CHANNEL(WS-CHANNEL) STARTCODE(NOTE-CODE)
               END-EXEC
           MOVE WS-CHANNEL TO NOTE-CHANNEL
           EXEC CICS GET CONTAINER('INPUT') INTO(WS-DATA)
               FLENGTH(WS-LENGTH) END-EXEC
           MOVE WS-DATA TO NOTE-DATA
           EXEC CICS RETRIEVE INTO(WS-DATA) NOHANDLE END-EXEC
           MOVE EIBRESP TO NOTE-RETRIEVE
           EXEC CICS WRITE FILE('NOTES') FROM(WS-NOTE)
               RIDFLD(NOTE-KEY) NOHANDLE END-EXEC
           EXEC CICS SYNCPOINT END-EXEC
           PERFORM WITH TEST AFTER UNTIL EIBRESP = 0
               EXEC CICS DELAY FOR MILLISECS(2) NOHANDLE END-EXEC
               EXEC CICS CANCEL REQID('CHANNEL') NOHANDLE END-EXEC
           END-PERFORM
           EXEC CICS RETURN END-EXEC.
