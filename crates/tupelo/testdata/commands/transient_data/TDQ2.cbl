      * Automatic transaction initiation: the second record starts TRIG,
      * which tells in temporary storage how it was started.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TDQ2.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY TELLDATA.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-TRIES                    PIC S9(4) COMP VALUE 0.
       01  WS-DATA                     PIC X(30).
       LINKAGE SECTION.
       COPY TOLD.
       PROCEDURE DIVISION.
           EXEC CICS WRITEQ TD QUEUE('WORK') FROM('ONE') NOHANDLE
               END-EXEC
           MOVE 'BELOW THE LEVEL' TO TELL-STEP PERFORM TELL
           EXEC CICS WRITEQ TD QUEUE('WORK') FROM('TWO') NOHANDLE
               END-EXEC
           MOVE 'AT THE LEVEL' TO TELL-STEP PERFORM TELL
           MOVE DFHRESP(QIDERR) TO WS-RESP
           PERFORM UNTIL WS-RESP = DFHRESP(NORMAL) OR WS-TRIES > 500
               EXEC CICS DELAY FOR MILLISECS(20) END-EXEC
               ADD 1 TO WS-TRIES
               EXEC CICS READQ TS QUEUE('TOLD') INTO(WS-DATA)
                   ITEM(1) RESP(WS-RESP) END-EXEC
           END-PERFORM
           MOVE WS-DATA TO TELL-DATA
           MOVE 'TRIGGERED' TO TELL-STEP PERFORM TELL
           EXEC CICS ASSIGN QNAME(WS-DATA) NOHANDLE END-EXEC
           MOVE 'QNAME HERE' TO TELL-STEP PERFORM TELL
           EXEC CICS RETURN END-EXEC.
       COPY TELL.
