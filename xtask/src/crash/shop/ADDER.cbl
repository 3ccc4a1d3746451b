      * Adds one thing in a file, a queue and two tables, or counts what is
      * there of it.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. ADDER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
           EXEC SQL INCLUDE SQLCA END-EXEC.
       01  WS-ID                       PIC S9(9) COMP.
       01  WS-CLIENT                   PIC S9(9) COMP.
       01  WS-FOUND                    PIC S9(9) COMP.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-ITEMS                    PIC S9(4) COMP.
       01  WS-SHOWN                    PIC -(7)9.
       01  WS-QUEUE.
           05  FILLER                  PIC X(2) VALUE 'RQ'.
           05  WS-QUEUE-ID             PIC 9(8).
       01  WS-RECORD.
           05  WS-KEY                  PIC X(9).
           05  WS-COUNT                PIC 9(8).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY ADDCA.
       PROCEDURE DIVISION.
           MOVE CA-ID TO WS-ID WS-QUEUE-ID
           MOVE CA-CLIENT TO WS-CLIENT
           MOVE '0' TO CA-CODE
           IF CA-OPERATION = 'A'
               PERFORM ADD-ONE
           ELSE
               PERFORM COUNT-ONE
           END-IF
           EXEC CICS RETURN END-EXEC.
       ADD-ONE.
           EXEC SQL INSERT INTO DONE (ID, CLIENT)
               VALUES (:WS-ID, :WS-CLIENT) END-EXEC
           PERFORM GIVE-UP-AFTER-ERROR
           MOVE 'C' TO WS-KEY(1:1)
           MOVE CA-CLIENT TO WS-KEY(2:)
           EXEC CICS READ FILE('ADDED') INTO(WS-RECORD) RIDFLD(WS-KEY)
               UPDATE RESP(WS-RESP) END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
               ADD 1 TO WS-COUNT
               EXEC CICS REWRITE FILE('ADDED') FROM(WS-RECORD) END-EXEC
           ELSE
               MOVE 1 TO WS-COUNT
               EXEC CICS WRITE FILE('ADDED') FROM(WS-RECORD)
                   RIDFLD(WS-KEY) END-EXEC
           END-IF
           MOVE 'I' TO WS-KEY(1:1)
           MOVE CA-ID TO WS-KEY(2:)
           MOVE 1 TO WS-COUNT
           EXEC CICS WRITE FILE('ADDED') FROM(WS-RECORD)
               RIDFLD(WS-KEY) END-EXEC
           EXEC CICS WRITEQ TS QNAME(WS-QUEUE) FROM(WS-RECORD)
               LENGTH(17) END-EXEC
           EXEC SQL UPDATE TOTALS SET N = N + 1
               WHERE CLIENT = :WS-CLIENT END-EXEC
           PERFORM GIVE-UP-AFTER-ERROR.
       GIVE-UP-AFTER-ERROR.
           IF SQLCODE NOT = 0
               MOVE SQLCODE TO WS-SHOWN
               MOVE WS-SHOWN TO CA-CODE
               EXEC CICS SYNCPOINT ROLLBACK END-EXEC
               EXEC CICS RETURN END-EXEC
           END-IF.
       COUNT-ONE.
           EXEC SQL SELECT COUNT(*) INTO :WS-FOUND FROM DONE
               WHERE ID = :WS-ID END-EXEC
           PERFORM GIVE-UP-AFTER-ERROR
           MOVE WS-FOUND TO CA-TABLE
           EXEC SQL SELECT N INTO :WS-FOUND FROM TOTALS
               WHERE CLIENT = :WS-CLIENT END-EXEC
           PERFORM GIVE-UP-AFTER-ERROR
           MOVE WS-FOUND TO CA-TABLE-TOTAL
           MOVE 0 TO CA-FILE CA-FILE-TOTAL CA-QUEUE WS-ITEMS
           MOVE 'I' TO WS-KEY(1:1)
           MOVE CA-ID TO WS-KEY(2:)
           EXEC CICS READ FILE('ADDED') INTO(WS-RECORD) RIDFLD(WS-KEY)
               RESP(WS-RESP) END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
               MOVE WS-COUNT TO CA-FILE
           END-IF
           MOVE 'C' TO WS-KEY(1:1)
           MOVE CA-CLIENT TO WS-KEY(2:)
           EXEC CICS READ FILE('ADDED') INTO(WS-RECORD) RIDFLD(WS-KEY)
               RESP(WS-RESP) END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
               MOVE WS-COUNT TO CA-FILE-TOTAL
           END-IF
           EXEC CICS READQ TS QNAME(WS-QUEUE) INTO(WS-RECORD) ITEM(1)
               NUMITEMS(WS-ITEMS) RESP(WS-RESP) END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
               MOVE WS-ITEMS TO CA-QUEUE
           END-IF.
