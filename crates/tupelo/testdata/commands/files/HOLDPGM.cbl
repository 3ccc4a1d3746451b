      * Changes a record and keeps it until its DELAY is cancelled.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. HOLDPGM.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RECORD                   PIC X(30).
       01  WS-KEY                      PIC X(4) VALUE 'NS01'.
       PROCEDURE DIVISION.
           EXEC CICS READ FILE('CUST') INTO(WS-RECORD) RIDFLD(WS-KEY)
               UPDATE END-EXEC
           EXEC CICS REWRITE FILE('CUST') FROM(WS-RECORD) END-EXEC
           EXEC CICS WRITEQ TS QUEUE('HELD') FROM(WS-KEY) END-EXEC
           EXEC CICS DELAY FOR SECONDS(60) REQID('HOLDER') NOHANDLE
               END-EXEC
           EXEC CICS RETURN END-EXEC.
