      * Adds one thing to a recoverable queue and has QTHERE do its part in
      * the same unit of work, or counts what is there of it.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. QADDER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-ITEMS                    PIC S9(4) COMP.
       01  WS-SHOWN                    PIC 9(8).
       01  WS-ITEM                     PIC X(8).
       01  WS-QUEUE.
           05  FILLER                  PIC X(2) VALUE 'RH'.
           05  WS-QUEUE-ID             PIC 9(8).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY QADCA.
       PROCEDURE DIVISION.
           MOVE CA-ID TO WS-QUEUE-ID
           MOVE '0' TO CA-CODE
           MOVE 0 TO CA-HERE CA-THERE CA-STARTED CA-TRANSIENT
           IF CA-OPERATION = 'A'
               MOVE CA-ID TO WS-ITEM
               EXEC CICS WRITEQ TS QNAME(WS-QUEUE) FROM(WS-ITEM)
                   LENGTH(8) RESP(WS-RESP) END-EXEC
               PERFORM GIVE-UP-AFTER-ERROR
           ELSE
               EXEC CICS READQ TS QNAME(WS-QUEUE) INTO(WS-ITEM) ITEM(1)
                   NUMITEMS(WS-ITEMS) RESP(WS-RESP) END-EXEC
               IF WS-RESP = DFHRESP(NORMAL)
                   MOVE WS-ITEMS TO CA-HERE
               END-IF
           END-IF
           EXEC CICS LINK PROGRAM('QTHERE') COMMAREA(DFHCOMMAREA)
               LENGTH(LENGTH OF DFHCOMMAREA) RESP(WS-RESP) END-EXEC
           PERFORM GIVE-UP-AFTER-ERROR
           IF CA-CODE NOT = '0'
               EXEC CICS SYNCPOINT ROLLBACK END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
       GIVE-UP-AFTER-ERROR.
           IF WS-RESP NOT = DFHRESP(NORMAL)
               MOVE WS-RESP TO WS-SHOWN
               MOVE WS-SHOWN TO CA-CODE
               EXEC CICS SYNCPOINT ROLLBACK RESP(WS-RESP) END-EXEC
               EXEC CICS RETURN END-EXEC
           END-IF.
