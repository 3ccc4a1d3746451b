       IDENTIFICATION DIVISION.
       PROGRAM-ID. FRONT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ITEM                     PIC X(8).
       01  WS-RESP                     PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           COPY STOCKCA.
       PROCEDURE DIVISION.
           MOVE CA-ITEM TO WS-ITEM
           IF CA-STEPS(1:1) = 'L'
               EXEC CICS READQ TS QNAME('LOG') INTO(WS-ITEM)
                   RESP(WS-RESP) END-EXEC
               IF WS-RESP = DFHRESP(NORMAL)
                   MOVE WS-ITEM TO CA-RESULT(1)
               END-IF
               EXEC CICS RETURN END-EXEC
           END-IF
           EXEC CICS LINK PROGRAM('STOCK') SYSID('PEER')
               COMMAREA(DFHCOMMAREA) LENGTH(128) END-EXEC
           EXEC CICS WRITEQ TS QNAME('LOG') FROM(WS-ITEM) END-EXEC
           IF CA-STEPS(12:1) = 'A'
               EXEC CICS ABEND ABCODE('SHOP') NODUMP END-EXEC
           END-IF
           EXEC CICS RETURN END-EXEC.
