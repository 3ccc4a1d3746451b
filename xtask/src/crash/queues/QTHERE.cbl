      * Adds one thing to two recoverable queues and starts a task for it, or
      * counts what is there of it. It leaves the end of the unit of work to
      * its caller, which may be in another region.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. QTHERE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                     PIC S9(8) COMP.
       01  WS-ITEMS                    PIC S9(4) COMP.
       01  WS-SHOWN                    PIC 9(8).
       01  WS-ITEM                     PIC X(8).
       01  WS-QUEUE.
           05  FILLER                  PIC X(2) VALUE 'RT'.
           05  WS-QUEUE-ID             PIC 9(8).
       01  WS-RECORD.
           05  WS-KEY                  PIC X(8).
           05  WS-COUNT                PIC 9(8).
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY QADCA.
       PROCEDURE DIVISION.
           MOVE CA-ID TO WS-QUEUE-ID WS-ITEM WS-KEY
           EVALUATE CA-OPERATION
           WHEN 'A'
               PERFORM ADD-ONE
           WHEN 'C'
               PERFORM COUNT-ONE
           WHEN OTHER
               PERFORM COUNT-TRANSIENT
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
       ADD-ONE.
           EXEC CICS WRITEQ TS QNAME(WS-QUEUE) FROM(WS-ITEM) LENGTH(8)
               RESP(WS-RESP) END-EXEC
           PERFORM NOTE-ERROR
           EXEC CICS WRITEQ TD QUEUE('RTDQ') FROM(WS-ITEM) LENGTH(8)
               RESP(WS-RESP) END-EXEC
           PERFORM NOTE-ERROR
           EXEC CICS START TRANSID('BEGN') FROM(WS-ITEM) LENGTH(8)
               PROTECT RESP(WS-RESP) END-EXEC
           PERFORM NOTE-ERROR.
       NOTE-ERROR.
           IF WS-RESP NOT = DFHRESP(NORMAL)
               MOVE WS-RESP TO WS-SHOWN
               MOVE WS-SHOWN TO CA-CODE
           END-IF.
       COUNT-ONE.
           EXEC CICS READQ TS QNAME(WS-QUEUE) INTO(WS-ITEM) ITEM(1)
               NUMITEMS(WS-ITEMS) RESP(WS-RESP) END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
               MOVE WS-ITEMS TO CA-THERE
           END-IF
           EXEC CICS READ FILE('BEGUN') INTO(WS-RECORD) RIDFLD(WS-KEY)
               RESP(WS-RESP) END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
               MOVE WS-COUNT TO CA-STARTED
           END-IF.
       COUNT-TRANSIENT.
           MOVE DFHRESP(NORMAL) TO WS-RESP
           PERFORM UNTIL WS-RESP NOT = DFHRESP(NORMAL)
               EXEC CICS READQ TD QUEUE('RTDQ') INTO(WS-ITEM)
                   RESP(WS-RESP) END-EXEC
               IF WS-RESP = DFHRESP(NORMAL)
                   ADD 1 TO CA-TRANSIENT
               END-IF
           END-PERFORM.
