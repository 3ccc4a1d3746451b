      * Writes to a recoverable queue, and commits when its DELAY is
      * cancelled.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. HOLDPGM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-HELD                     PIC X(4) VALUE 'HELD'.
       PROCEDURE DIVISION.
           EXEC CICS WRITEQ TD QUEUE('LOGI') FROM(WS-HELD) END-EXEC
           EXEC CICS WRITEQ TS QUEUE('HELD') FROM(WS-HELD) END-EXEC
           EXEC CICS DELAY FOR SECONDS(60) REQID('HOLDER') NOHANDLE
               END-EXEC
           EXEC CICS RETURN END-EXEC.
